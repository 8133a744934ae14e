"use strict";
// Building blocks: elements and text. Everything from a run goes in as text nodes, never as markup.

const SVG = "http://www.w3.org/2000/svg";
// The same characters as in orchestrator/cleaning.py; those above U+FFFF by their two halves.
const UNSEEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
  "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff9-\\ufffb\\ufffe\\uffff]" +
  "|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|[\\udb40-\\udb43][\\udc00-\\udfff]");
const UNSEEN_ALL = new RegExp(UNSEEN.source, "g");
const AT_FIRST = 6000; // characters of a text that are shown before "show all"

function el(tag, attrs, ...inside) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const part of inside.flat(3)) {
    if (part === undefined || part === null || part === false) continue;
    node.append(part instanceof Node ? part : visible(String(part)));
  }
  return node;
}

// Text in which nothing hides: control characters and marks of direction are shown by their number.
function visible(text) {
  if (!UNSEEN.test(text)) return document.createTextNode(text);
  const whole = document.createDocumentFragment();
  let from = 0;
  for (const found of text.matchAll(UNSEEN_ALL)) {
    if (found.index > from) whole.append(text.slice(from, found.index));
    const sign = document.createElement("span");
    sign.className = "ctl";
    sign.textContent = "U+" + found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    whole.append(sign);
    from = found.index + found[0].length;
  }
  whole.append(text.slice(from));
  return whole;
}

// Evidence ids in brackets become links to the step that found them.
function linked(text, evidence) {
  const whole = document.createDocumentFragment();
  let from = 0;
  for (const group of text.matchAll(/[\[【]([^\[\]【】]{1,200})[\]】]/g)) {
    for (const id of group[1].matchAll(/[A-Z]{1,3}\d{1,5}/g)) {
      if (!Object.hasOwn(evidence, id[0])) continue;
      const at = group.index + 1 + id.index;
      whole.append(visible(text.slice(from, at)));
      whole.append(el("a", { class: "ev", href: "#step-" + evidence[id[0]], title: "the step that found it" }, id[0]));
      from = at + id[0].length;
    }
  }
  whole.append(visible(text.slice(from)));
  return whole;
}

function long(text, evidence, tag = "pre", cls = "") {
  const box = el(tag, { class: cls, tabindex: tag === "pre" ? 0 : undefined });
  const fill = (part) => box.replaceChildren(evidence ? linked(part, evidence) : visible(part));
  if (text.length <= AT_FIRST) { fill(text); return box; }
  fill(text.slice(0, AT_FIRST));
  const left = (text.length - AT_FIRST).toLocaleString();
  const more = el("button", { class: "more", type: "button" }, `show ${left} more characters`);
  more.addEventListener("click", () => { fill(text); more.remove(); });
  return el("div", {}, box, more);
}

function pretty(value) { return typeof value === "string" ? value : JSON.stringify(value, null, 1); }

function took(ms) {
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return Math.round(ms) + " ms";
  if (ms < 60000) return (ms / 1000).toFixed(1) + " s";
  return Math.floor(ms / 60000) + " min " + Math.round((ms % 60000) / 1000) + " s";
}

function count(n) { return (n || 0).toLocaleString("en"); }

function money(cost) { return cost === null || cost === undefined ? "–" : cost.toFixed(4); }

function flat(text, most = 160) {
  const line = text.slice(0, 4 * most).replace(/\s+/g, " ").trim();
  return line.length > most ? line.slice(0, most) + "…" : line;
}

function tone(status) {
  if (["ok", "done"].includes(status)) return "good";
  if (["failed", "error", "denied", "interrupted", "didn't end"].includes(status)) return "bad";
  return ["partial", "no_evidence", "no_data", "cancelled", "needs_input", "running"].includes(status) ? "warn" : "";
}

function pill(status) { return status ? el("span", { class: "pill " + tone(status) }, status) : null; }

function table(heads, rows) {
  const cell = (tag, value, n) => el(tag, { class: heads[n].startsWith("#") ? "num2" : "", scope: tag === "th" ? "col" : null }, value);
  const head = el("tr", {}, heads.map((h, n) => cell("th", h.replace(/^#/, ""), n)));
  return el("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "table" },
    el("table", {}, el("thead", {}, head), el("tbody", {}, rows.map((r) => el("tr", {}, r.map((v, n) => cell("td", v, n)))))));
}
