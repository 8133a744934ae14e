// One message as the chat shows it: texts, posts, pictures, files, cards with their counters, reactions, topics.

import { act, go, inThread, render, renderOne, state } from "./app.js";
import { card } from "./card.js";
import { el, link, picture } from "./dom.js";
import { markdown } from "./markdown.js";

const EMOJI = {
  THUMBSUP: "👍", ThumbsDown: "👎", OK: "👌", DONE: "✅", CheckMark: "✔️", CrossMark: "❌", ERROR: "⚠️", Typing: "⌨️", OnIt: "🏃",
  OneSecond: "⏳", THINKING: "🤔", GLANCE: "👀", Get: "💡", HEART: "❤️", PARTY: "🎉", LAUGH: "😂", APPLAUSE: "👏", Alarm: "⏰",
};
const OFFERED = ["THUMBSUP", "ThumbsDown", "DONE", "GLANCE", "HEART"];
const STEP = 70; // ms, the platform's print_frequency

export function bubble(m) {
  const own = m.author.id === state.me;
  const time = new Date(m.at * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const head = el("div", { class: "who" }, el("b", {}, m.author.name), m.author.bot ? el("i", {}, "机器人") : null, el("time", {}, time), m.edited ? el("small", {}, "已编辑") : null);
  const inside = m.deleted ? el("p", { class: "gone" }, "消息已撤回") : body(m);
  return el("li", { "data-id": m.id, class: own ? "own" : "" },
    el("span", { class: "avatar" + (m.author.bot ? " bot" : "") }, m.author.name.slice(0, 1)),
    el("div", { class: "message" }, head, quoted(m), inside, m.deleted ? null : [reactions(m), topic(m), tools(m, own)]));
}

function quoted(m) {
  const parent = state.messages.get(m.parent);
  if (!parent || (m.thread && state.thread)) return null;
  const text = parent.deleted ? "消息已撤回" : parent.card ? parent.card.json.header?.title?.content || "[卡片]" : text0(parent);
  return el("blockquote", { class: "quoted" }, `${parent.author.name}：${text.slice(0, 60)}`);
}

const named = (m, text) => m.mentions.reduceRight((all, x) => all.replaceAll(x.key, "@" + x.name), text);
const text0 = (m) => (typeof m.content?.text === "string" ? named(m, m.content.text) : `[${m.type}]`);

function body(m) {
  if (m.card) return withCounter(m);
  if (m.type === "text") return el("p", { class: "text" }, pieces(m, m.content.text || ""));
  if (m.type === "post") return postBody(m);
  if (m.type === "image") return el("div", { class: "picture" }, picture(m.content.image_key));
  if (m.type === "file") return el("p", { class: "text" }, "📄 " + m.content.file_name);
  return el("p", { class: "gone" }, `[${m.type}] ` + JSON.stringify(m.content).slice(0, 200));
}

// Longest key first: @_user_1 is the beginning of @_user_10.
function pieces(m, text) {
  const keys = m.mentions.map((x) => x.key).sort((a, b) => b.length - a.length);
  const split = keys.length ? text.split(new RegExp(`(${keys.map((k) => k.replace(/[^\w@]/g, "\\$&")).join("|")}|https?://\\S+)`)) : text.split(/(https?:\/\/\S+)/);
  return split.map((part) => {
    const one = m.mentions.find((x) => x.key === part);
    if (one) return el("span", { class: "at" }, "@" + one.name);
    return /^https?:\/\//.test(part) ? link(part, part) : part;
  });
}

function postBody(m) {
  const lines = (m.content.content || []).map((line) => el("div", {}, line.map((e) => postElement(m, e))));
  return el("div", { class: "text" }, m.content.title ? el("b", {}, m.content.title) : null, lines);
}

function postElement(m, e) {
  if (e.tag === "text") return el("span", { class: (e.style || []).map((s) => "s-" + String(s).replace(/\W/g, "")).join(" ") }, e.text);
  if (e.tag === "a") return link(e.href || "", e.text || e.href);
  if (e.tag === "at") return el("span", { class: "at" }, "@" + (e.user_name || e.user_id));
  if (e.tag === "img") return el("div", { class: "picture" }, picture(e.image_key));
  if (e.tag === "md") return markdown(e.text || "", state.names);
  if (e.tag === "code_block") return el("pre", {}, e.text);
  if (e.tag === "hr") return el("hr");
  return `[${e.tag}]`;
}

// ── cards ─────────────────────────────────────────────────────────────────────────────────────

function withCounter(m) {
  const shown = m.card.streaming ? typed(m) : m.card.json;
  const ctx = {
    names: state.names, opened: state.opened, key: m.id + "/", again: () => renderOne(state.messages.get(m.id)),
    press: (path, values) => act("press", { message: m.id, path, values }),
  };
  const { bytes, elements, tables, streaming, generating, sequence } = m.card;
  const near = (value, most) => (value > most ? "over" : value > most * 0.85 ? "near" : "");
  const counter = el("div", { class: "counter" },
    el("span", { class: near(bytes, state.limits.bytes) }, `${(bytes / 1024).toFixed(1)}/${state.limits.bytes / 1024} KB`),
    el("span", { class: near(elements, state.limits.elements) }, `${elements}/${state.limits.elements} 元素`),
    tables ? el("span", { class: near(tables, state.limits.tables) }, `${tables} 表`) : null,
    sequence ? el("span", {}, `#${sequence}`) : null,
    streaming ? el("span", { class: "live" }, "流式中") : generating ? el("span", { class: "over" }, "一直生成中") : null);
  return el("div", { class: "withcard" }, card(shown, ctx), counter);
}

// What is already typed out of each text of a streaming card; new words come a few at a time.
function typed(m) {
  const seen = state.shown.get(m.id) || new Map();
  state.shown.set(m.id, seen);
  const walk = (node) => {
    if (Array.isArray(node)) return node.map(walk);
    if (!node || typeof node !== "object") return node;
    const copy = Object.fromEntries(Object.entries(node).map(([k, v]) => [k, k === "chart_spec" ? v : walk(v)]));
    if (node.element_id && typeof node.content === "string") {
      const before = seen.get(node.element_id) ?? "";
      if (!node.content.startsWith(before)) seen.set(node.element_id, node.content);
      copy.content = node.content.slice(0, seen.get(node.element_id)?.length ?? 0);
      if (!seen.has(node.element_id)) seen.set(node.element_id, "");
      copy.content ||= node.content ? "▍" : "";
    }
    return copy;
  };
  return walk(m.card.json);
}

function grow(m) {
  const seen = state.shown.get(m.id);
  if (!seen) return false;
  let more = false;
  const walk = (node) => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (!node || typeof node !== "object") return;
    if (node.element_id && typeof node.content === "string") {
      const done = (seen.get(node.element_id) ?? "").length;
      const left = node.content.length - done;
      if (left > 0) {
        seen.set(node.element_id, node.content.slice(0, done + Math.max(2, Math.ceil(left / 12))));
        more = true;
      }
    }
    Object.values(node).forEach(walk);
  };
  walk(m.card.json);
  return more;
}

export function typing() {
  setInterval(() => {
    for (const m of state.messages.values()) {
      if (m.chat === state.chat && m.card?.streaming && !m.deleted && grow(m)) renderOne(m);
    }
  }, STEP);
}

// ── around a message ──────────────────────────────────────────────────────────────────────────

function reactions(m) {
  const kinds = [...new Set(m.reactions.map((r) => r.emoji))];
  if (!kinds.length) return null;
  const one = (emoji) => {
    const who = m.reactions.filter((r) => r.emoji === emoji).map((r) => r.who.name);
    return el("button", { type: "button", title: `${emoji}: ${who.join("、")}`, onclick: () => act("react", { message: m.id, emoji }) }, EMOJI[emoji] || emoji, " ", who.join("、"));
  };
  return el("div", { class: "reactions" }, kinds.map(one));
}

function topic(m) {
  if (!m.thread || state.thread) return null;
  const count = inThread(m.thread).length - 1;
  return el("button", { type: "button", class: "topic", onclick: () => go(state.chat, m.thread) }, count ? `话题 · ${count} 条回复` : "进入话题");
}

function tools(m, own) {
  const reply = () => {
    state.replyTo = m.id;
    render();
    document.getElementById("text").focus();
  };
  return el("div", { class: "tools" },
    el("button", { type: "button", onclick: reply }, "回复"),
    OFFERED.map((emoji) => el("button", { type: "button", "aria-label": emoji, onclick: () => act("react", { message: m.id, emoji }) }, EMOJI[emoji])),
    own ? el("button", { type: "button", onclick: () => act("recall", { message: m.id }) }, "撤回") : null);
}
