// The markdown of cards and posts as DOM nodes: headings, lists, quotes, code, tables, rules, and the inline tags.

import { el, link, picture } from "./dom.js";

const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: "\u00a0", apos: "'" };
const COLORS = new Set(
  "red green blue grey yellow orange purple violet indigo turquoise wathet carmine lime neutral".split(" "),
);

export function plain(text) {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? parseInt(hex, 16) : 0;
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    return ENTITIES[name] ?? all;
  });
}

const INLINE = [
  [/^(`+)(?!`)([\s\S]+?)(?<!`)\1(?!`)/, (m) => el("code", {}, m[2])],
  [/^!\[([^\]]*)\]\(\s*([^)\s]+)[^)]*\)/, (m) => picture(m[2], plain(m[1]))],
  [/^\[([^\]]*)\]\(\s*([^)\s]+)[^)]*\)/, (m, names) => link(plain(m[2]), inline(m[1], names))],
  [/^<((?:https?):\/\/[^>\s]+)>/i, (m) => link(m[1], m[1])],
  [/^https?:\/\/[^\s<>()）】，。]+/i, (m) => link(m[0], m[0])],
  [/^(\*\*|__)(?=\S)([\s\S]+?\S|\S)\1/, (m, names) => el("strong", {}, inline(m[2], names))],
  [/^~~(?=\S)([\s\S]+?)~~/, (m, names) => el("s", {}, inline(m[1], names))],
  [/^\*(?=\S)([^*]+?)\*/, (m, names) => el("em", {}, inline(m[1], names))],
  [/^<font color=['"]?(\w+)['"]?\s*>([\s\S]*?)<\/font>/i, (m, names) => el("span", { class: tint(m[1]) }, inline(m[2], names))],
  [/^<text_tag color=['"]?(\w+)['"]?\s*>([\s\S]*?)<\/text_tag>/i, (m) => el("span", { class: "tag " + tint(m[1]) }, plain(m[2]))],
  [/^<at (?:id|user_id)=['"]?([^'">\s]+)['"]?[^>]*>([\s\S]*?)<\/at>/i, (m, names) => mention(m[1], m[2], names)],
  [/^<(?:person|number_tag|local_datetime)[^>]*>([\s\S]*?)<\/(?:person|number_tag|local_datetime)>/i, (m) => plain(m[1])],
  [/^<br\s*\/?>/i, () => el("br")],
  [/^\\([\\`*_~[\](){}#<>!|+.-])/, (m) => m[1]],
];

function tint(name) {
  return COLORS.has(name) ? "c-" + name : "";
}

function mention(id, text, names) {
  return el("span", { class: "at" }, "@" + (id === "all" ? "所有人" : names[id] || plain(text) || id));
}

export function inline(text, names = {}) {
  const out = [];
  let run = "";
  let at = 0;
  const flush = () => {
    if (run) out.push(plain(run));
    run = "";
  };
  while (at < text.length) {
    const rest = text.slice(at);
    const found = /^[`!\[<h*_~\\]/.test(rest) && INLINE.map(([rule, make]) => [rest.match(rule), make]).find(([m]) => m);
    if (found) {
      flush();
      out.push(found[1](found[0], names));
      at += found[0][0].length;
    } else {
      run += text[at];
      at += 1;
    }
  }
  flush();
  return out;
}

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));
const DASHES = /^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;

export function markdown(text, names = {}) {
  const lines = String(text).split("\n");
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const [node, next] = block(lines, at, names);
    if (node) out.push(node);
    at = next;
  }
  return el("div", { class: "md" }, out);
}

function block(lines, at, names) {
  const line = lines[at];
  const fence = line.match(/^ {0,3}(`{3,}|~{3,})(.*)$/);
  if (fence) return code(lines, at, fence);
  if (!line.trim()) return [null, at + 1];
  const heading = line.match(/^ {0,3}(#{1,6})\s+(.*?)\s*#*$/);
  if (heading) return [el("h" + Math.min(6, heading[1].length + 2), {}, inline(heading[2], names)), at + 1];
  if (/^ {0,3}([-*_])(\s*\1){2,}\s*$/.test(line) || /^<hr\s*\/?>$/i.test(line.trim())) return [el("hr"), at + 1];
  if (line.includes("|") && at + 1 < lines.length && DASHES.test(lines[at + 1]) && lines[at + 1].includes("|")) {
    return table(lines, at, names);
  }
  if (/^ {0,3}>/.test(line)) return quote(lines, at, names);
  if (ITEM.test(line)) return list(lines, at, names);
  return paragraph(lines, at, names);
}

function code(lines, at, fence) {
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(fence[1])) end += 1;
  return [el("pre", {}, el("code", {}, lines.slice(at + 1, end).join("\n"))), end + 1];
}

function table(lines, at, names) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const row = (line, tag) => el("tr", {}, cells(line).map((cell) => el(tag, {}, inline(cell, names))));
  const head = el("thead", {}, row(lines[at], "th"));
  const body = el("tbody", {}, lines.slice(at + 2, end).map((line) => row(line, "td")));
  return [el("div", { class: "scroll" }, el("table", {}, head, body)), end];
}

function quote(lines, at, names) {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, "")).join("\n");
  return [el("blockquote", {}, markdown(inner, names)), end];
}

function list(lines, at, names) {
  const first = lines[at].match(ITEM);
  const depth = first[1].length;
  const node = el(/\d/.test(first[2]) ? "ol" : "ul", /\d/.test(first[2]) ? { start: parseInt(first[2], 10) } : {});
  let end = at;
  while (end < lines.length) {
    const item = lines[end].match(ITEM);
    if (!item || item[1].length < depth) break;
    if (item[1].length > depth && node.lastChild) {
      const [inner, next] = list(lines, end, names);
      node.lastChild.append(inner);
      end = next;
    } else {
      node.append(el("li", {}, inline(item[3], names)));
      end += 1;
    }
  }
  return [node, end];
}

function paragraph(lines, at, names) {
  let end = at + 1;
  const starts = (line) => /^ {0,3}(#{1,6}\s|>|`{3,}|~{3,})/.test(line) || ITEM.test(line);
  const isTable = (n) => lines[n].includes("|") && n + 1 < lines.length && DASHES.test(lines[n + 1]);
  while (end < lines.length && lines[end].trim() && !starts(lines[end]) && !isTable(end)) end += 1;
  const parts = lines.slice(at, end).map((line, n) => [n ? el("br") : null, inline(line, names)]);
  return [el("p", {}, parts), end];
}
