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
      return { kind: p.type, x: across ? y : x, y: Number(across ? x : y), series: String(row[field(p.seriesField)] ?? "") };
    }),
  );
  if (!points.length || points.some((p) => !Number.isFinite(p.y) || p.x === undefined)) return null;
  const xs = [...new Set(points.map((p) => String(p.x)))];
  const names = [...new Set(points.map((p) => p.series))];
  const stacked = Boolean(spec.stack);
  const heights = stacked ? xs.map((x) => points.filter((p) => String(p.x) === x).reduce((sum, p) => sum + p.y, 0)) : points.map((p) => p.y);
  const top = Math.max(...heights, 0) || 1;
  const low = Math.min(...heights, 0);
  const step = (W - LEFT - 8) / xs.length;
  const xAt = (x) => LEFT + step * (xs.indexOf(String(x)) + 0.5);
  const yAt = (y) => TOP + (H - TOP - BOTTOM) * (1 - (y - low) / (top - low));
  const marks = names.flatMap((name, n) => series(points.filter((p) => p.series === name), n, { names, step, xAt, yAt, low, stacked, base: {} }));
  const all = stacked ? stack(points, names, { xs, step, xAt, yAt }) : marks;
  return el("div", {}, svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img" }, grid(top, low, yAt), all, ticks(xs, xAt)), legend(names));
}

function series(points, n, { names, step, xAt, yAt, low }) {
  const bars = points.filter((p) => p.kind === "bar");
  const dots = points.filter((p) => p.kind === "scatter");
  const lines = points.filter((p) => p.kind === "line" || p.kind === "area");
  const width = (step * 0.8) / names.length;
  const out = bars.map((p) => {
    const x = xAt(p.x) - step * 0.4 + width * n;
    const y = Math.min(yAt(p.y), yAt(0));
    return svg("rect", { x, y, width, height: Math.abs(yAt(p.y) - yAt(0)), class: `k${n % INK}` }, tip(p));
  });
  out.push(...dots.map((p) => svg("circle", { cx: xAt(p.x), cy: yAt(p.y), r: 3.5, class: `k${n % INK}` }, tip(p))));
  if (lines.length) {
    const path = lines.map((p, i) => `${i ? "L" : "M"}${xAt(p.x).toFixed(1)} ${yAt(p.y).toFixed(1)}`).join("");
    if (lines[0].kind === "area") {
      const floor = yAt(Math.max(low, 0));
      out.push(svg("path", { d: `${path}L${xAt(lines.at(-1).x)} ${floor}L${xAt(lines[0].x)} ${floor}Z`, class: `fill k${n % INK}` }));
    }
    out.push(svg("path", { d: path, class: `stroke k${n % INK}` }));
    out.push(...lines.map((p) => svg("circle", { cx: xAt(p.x), cy: yAt(p.y), r: 2, class: `k${n % INK}` }, tip(p))));
  }
  return out;
}

function stack(points, names, { xs, step, xAt, yAt }) {
  return xs.flatMap((x) => {
    let floor = 0;
    return points
      .filter((p) => String(p.x) === x)
      .map((p) => {
        const y = yAt(floor + p.y);
        const height = yAt(floor) - y;
        floor += p.y;
        return svg("rect", { x: xAt(x) - step * 0.4, y, width: step * 0.8, height, class: `k${names.indexOf(p.series) % INK}` }, tip(p));
      });
  });
}

const tip = (p) => svg("title", {}, `${p.series} ${p.x}: ${p.y}`.trim());

const short = (n) => (Math.abs(n) >= 1000 ? `${+(n / 1000).toFixed(1)}k` : String(+n.toFixed(2)));

function grid(top, low, yAt) {
  return [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const value = low + (top - low) * share;
    const y = yAt(value);
    return [svg("line", { x1: LEFT, x2: W - 8, y1: y, y2: y, class: "grid" }), svg("text", { x: LEFT - 5, y: y + 4, "text-anchor": "end" }, short(value))];
  });
}

function ticks(xs, xAt) {
  const every = Math.ceil(xs.length / 7);
  return xs.filter((_, n) => n % every === 0).map((x) => svg("text", { x: xAt(x), y: H - 8, "text-anchor": "middle" }, x.length > 12 ? x.slice(-8) : x));
}

function legend(names) {
  if (names.length < 2 && !names[0]) return null;
  return el("div", { class: "legend" }, names.map((name, n) => el("span", { class: `k${n % INK}` }, "■ ", el("i", {}, name))));
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
  return el("div", {}, svg("svg", { viewBox: "0 0 220 220", role: "img", class: "pie" }, slices), legend(rows.map((row) => String(row[category]))));
}

function dataTable(rows) {
  const names = [...new Set(rows.flatMap((row) => (row && typeof row === "object" ? Object.keys(row) : [])))];
  const body = rows.slice(0, 50).map((row) => el("tr", {}, names.map((name) => el("td", {}, String(row[name] ?? "")))));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, names.map((n) => el("th", {}, n)))), el("tbody", {}, body)));
}
