// VChart specs as plain SVG: line, area, bar, scatter, common, pie; everything else, and what can't be drawn, as a table.

import { el, svg } from "./dom.js";

const W = 460;
const H = 220;
const LEFT = 44;
const BOTTOM = 28;
const TOP = 10;
const INK = 8; // classes k0 … k7

export function chart(spec) {
  const title = spec.title && (spec.title.text || (typeof spec.title === "string" ? spec.title : ""));
  const rows = values(spec.data);
  let drawn = null;
  try {
    drawn = draw(spec, rows);
  } catch {
    drawn = null;
  }
  return el("figure", { class: "chart" }, title ? el("figcaption", {}, title) : null, drawn || dataTable(rows), note(spec, drawn));
}

function note(spec, drawn) {
  return drawn ? null : el("small", {}, `图表 ${spec.type}：以数据表显示`);
}

export function values(data) {
  const one = Array.isArray(data) ? data : data ? [data] : [];
  return one.flatMap((d) => (Array.isArray(d.values) ? d.values : Array.isArray(d) ? d : typeof d === "object" && !d.id ? [d] : []));
}

const field = (name) => (Array.isArray(name) ? name[0] : name);

function draw(spec, rows) {
  if (spec.type === "pie") return pie(rows, field(spec.categoryField), field(spec.valueField));
  const layers = spec.type === "common" ? spec.series || [] : [spec];
  const known = new Set(["line", "area", "bar", "scatter"]);
  if (!layers.length || !layers.every((s) => known.has(s.type))) return null;
  const parts = layers.map((s) => ({ ...s, rows: layerRows(s, spec, rows) }));
  return axes(parts, spec);
}

function layerRows(series, spec, rows) {
  if (series === spec) return rows;
  const data = Array.isArray(spec.data) ? spec.data : [spec.data];
  const own = series.data || data.find((d) => d && d.id === series.dataId) || data[series.dataIndex || 0];
  return values(own);
}

function axes(parts, spec) {
  const across = spec.direction === "horizontal";
  const points = parts.flatMap((p) =>
    p.rows.map((row) => {
      const [x, y] = [row[field(p.xField)], row[field(p.yField)]];
      const value = across ? x : y;
      return { kind: p.type, x: across ? y : x, y: value === null || value === undefined ? null : Number(value), series: String(row[field(p.seriesField)] ?? ""), dash: Boolean(p.line?.style?.lineDash) };
    }),
  );
  if (!points.length || points.some((p) => Number.isNaN(p.y) || p.x === undefined)) return null;
  const names = [...new Set(points.map((p) => p.series))];
  const ink = inks(spec.color, names);
  const xs = [...new Set(points.map((p) => String(p.x)))];
  const [low, top] = extent(points, xs, spec, across);
  if (across) return el("div", {}, bars(points, xs, low, top, ink, spec), legend(names, ink));
  const step = (W - LEFT - 8) / xs.length;
  const xAt = (x) => LEFT + step * (xs.indexOf(String(x)) + 0.5);
  const yAt = (y) => TOP + (H - TOP - BOTTOM) * (1 - (y - low) / (top - low));
  const place = { step, xAt, yAt, low, ink, beside: spec.stack || parts.length > 1 ? 1 : names.length };
  const marks = spec.stack ? stack(points, xs, place) : names.flatMap((name, n) => series(points.filter((p) => p.series === name), n, place));
  return el("div", {}, svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img" }, grid(top, low, yAt), marks, ticks(xs, xAt)), legend(names, ink));
}

// What colours a series: its own of an ordinal scale, or a class.
function inks(color, names) {
  const own = (name) => (color && Array.isArray(color.range) ? color.range[(color.domain || names).indexOf(name)] : Array.isArray(color) ? color[names.indexOf(name)] : undefined);
  return (name) => (own(name) ? { fill: own(name), stroke: own(name) } : { class: `k${names.indexOf(name) % INK}` });
}

function extent(points, xs, spec, across) {
  const axis = (spec.axes || []).find((a) => a.orient === (across ? "bottom" : "left")) || {};
  const sums = xs.map((x) => points.filter((p) => String(p.x) === x).reduce((sum, p) => sum + (p.y ?? 0), 0));
  const heights = spec.stack ? sums : points.map((p) => p.y ?? 0);
  const low = axis.min ?? Math.min(...heights, 0);
  return [low, axis.max ?? (Math.max(...heights, low) === low ? low + 1 : Math.max(...heights))];
}

function bars(points, xs, low, top, ink, spec) {
  const [row, left] = [26, 150];
  const height = row * xs.length + BOTTOM;
  const at = (v) => left + (W - left - 10) * Math.max(0, Math.min(1, (v - low) / (top - low)));
  const marks = points.flatMap((p) => {
    const y = row * xs.indexOf(String(p.x));
    const name = svg("text", { x: left - 6, y: y + 17, "text-anchor": "end" }, String(p.x).length > 24 ? String(p.x).slice(0, 23) + "…" : String(p.x));
    return [name, p.y === null ? "" : svg("rect", { x: left, y: y + 4, width: Math.max(1, at(p.y) - left), height: row - 8, ...ink(p.series) }, tip(p))];
  });
  const ends = [low, top].map((v, n) => svg("text", { x: at(v), y: height - 8, "text-anchor": n ? "end" : "start" }, short(v)));
  const goals = (spec.markLine || []).filter((m) => typeof m.x === "number").map((m) => svg("line", { x1: at(m.x), x2: at(m.x), y1: 0, y2: height - BOTTOM, class: "goal" }, svg("title", {}, m.label?.text || "")));
  return svg("svg", { viewBox: `0 0 ${W} ${height}`, role: "img" }, marks, goals, ends);
}

function series(points, n, { step, xAt, yAt, low, ink, beside }) {
  const known = points.filter((p) => p.y !== null);
  const width = (step * 0.8) / beside;
  const out = known.filter((p) => p.kind === "bar").map((p) => {
    const x = xAt(p.x) - step * 0.4 + width * (beside > 1 ? n : 0);
    return svg("rect", { x, y: Math.min(yAt(p.y), yAt(0)), width, height: Math.abs(yAt(p.y) - yAt(0)), ...ink(p.series) }, tip(p));
  });
  out.push(...known.filter((p) => p.kind === "scatter").map((p) => svg("circle", { cx: xAt(p.x), cy: yAt(p.y), r: 3.5, ...ink(p.series) }, tip(p))));
  for (const run of runs(points.filter((p) => p.kind === "line" || p.kind === "area"))) {
    const own = ink(run[0].series);
    const path = run.map((p, i) => `${i ? "L" : "M"}${xAt(p.x).toFixed(1)} ${yAt(p.y).toFixed(1)}`).join("");
    if (run[0].kind === "area") {
      const floor = yAt(Math.max(low, 0));
      out.push(svg("path", { ...own, d: `${path}L${xAt(run.at(-1).x)} ${floor}L${xAt(run[0].x)} ${floor}Z`, class: `fill ${own.class || ""}` }));
    }
    out.push(svg("path", { ...own, d: path, class: `stroke ${own.class || ""}`, ...(run[0].dash ? { "stroke-dasharray": "4 2" } : {}) }));
    if (!run[0].dash) out.push(...run.map((p) => svg("circle", { cx: xAt(p.x), cy: yAt(p.y), r: 2, ...own }, tip(p))));
  }
  return out;
}

// A line is broken where a value is missing.
function runs(points) {
  const out = [[]];
  for (const p of points) {
    if (p.y === null) out.push([]);
    else out.at(-1).push(p);
  }
  return out.filter((run) => run.length);
}

function stack(points, xs, { step, xAt, yAt, ink }) {
  return xs.flatMap((x) => {
    let floor = 0;
    return points
      .filter((p) => String(p.x) === x && p.y !== null)
      .map((p) => {
        const y = yAt(floor + p.y);
        const height = yAt(floor) - y;
        floor += p.y;
        return svg("rect", { x: xAt(x) - step * 0.4, y, width: step * 0.8, height, ...ink(p.series) }, tip(p));
      });
  });
}

const tip = (p) => svg("title", {}, `${p.series} ${p.x}: ${p.y}`.trim());

const short = (n) => (Math.abs(n) >= 1000 ? `${+(n / 1000).toFixed(1)}k` : String(+n.toFixed(2)));

function grid(top, low, yAt) {
  const parts = Number.isInteger(top) && low === 0 && top < 4 ? top : 4;
  return [...Array(parts + 1).keys()].flatMap((n) => {
    const value = low + ((top - low) * n) / parts;
    const y = yAt(value);
    return [svg("line", { x1: LEFT, x2: W - 8, y1: y, y2: y, class: "grid" }), svg("text", { x: LEFT - 5, y: y + 4, "text-anchor": "end" }, short(value))];
  });
}

function ticks(xs, xAt) {
  const every = Math.ceil(xs.length / 7);
  return xs.filter((_, n) => n % every === 0).map((x) => svg("text", { x: xAt(x), y: H - 8, "text-anchor": "middle" }, x.length > 12 ? x.slice(-8) : x));
}

function legend(names, ink) {
  if (names.length < 2 && !names[0]) return null;
  const mark = (name) => svg("svg", { viewBox: "0 0 10 10", class: "key" }, svg("rect", { width: 10, height: 10, ...ink(name) }));
  return el("div", { class: "legend" }, names.map((name) => el("span", {}, mark(name), " ", el("i", {}, name))));
}

function pie(rows, category, value) {
  const total = rows.reduce((sum, row) => sum + Number(row[value]), 0);
  if (!total || !Number.isFinite(total)) return null;
  let angle = -Math.PI / 2;
  const slices = rows.map((row, n) => {
    const share = Number(row[value]) / total;
    const to = angle + share * 2 * Math.PI * 0.99999;
    const [x1, y1, x2, y2] = [Math.cos(angle), Math.sin(angle), Math.cos(to), Math.sin(to)].map((v) => 110 + 95 * v);
    angle = to;
    const d = `M110 110L${x1} ${y1}A95 95 0 ${share > 0.5 ? 1 : 0} 1 ${x2} ${y2}Z`;
    return svg("path", { d, class: `k${n % INK}` }, svg("title", {}, `${row[category]}: ${row[value]}`));
  });
  return el("div", {}, svg("svg", { viewBox: "0 0 220 220", role: "img", class: "pie" }, slices), legend(rows.map((row) => String(row[category])), inks(null, rows.map((row) => String(row[category])))));
}

function dataTable(rows) {
  const names = [...new Set(rows.flatMap((row) => (row && typeof row === "object" ? Object.keys(row) : [])))];
  const body = rows.slice(0, 50).map((row) => el("tr", {}, names.map((name) => el("td", {}, String(row[name] ?? "")))));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, names.map((n) => el("th", {}, n)))), el("tbody", {}, body)));
}
