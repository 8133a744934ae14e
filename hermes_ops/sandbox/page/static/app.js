// The chat page: state from /sandbox/state, changes from /sandbox/stream, gestures to /sandbox/do/….

import { $, el, post } from "./dom.js";
import { entry, setUpJournal } from "./journal.js";
import { bubble, typing } from "./message.js";
import { setUpWriting } from "./write.js";

export const state = {
  people: [], apps: [], chats: new Map(), messages: new Map(), names: {}, limits: {},
  me: "", chat: "", thread: "", replyTo: "", unread: new Map(), opened: new Map(), shown: new Map(),
};

export const mine = (chat) => chat.people.includes(state.me);
export const current = () => state.chats.get(state.chat);
export const everybody = () => [...state.people, ...state.apps.map((app) => ({ ...app, bot: true }))];

export async function act(name, body) {
  try {
    return await post("/sandbox/do/" + name, { who: state.me, ...body });
  } catch (error) {
    toast("error", error.message);
    return null;
  }
}

export function toast(type, text, extra = "") {
  const node = el("div", { class: `toast ${["info", "success", "warning", "error"].includes(type) ? type : "info"}` }, text, extra ? el("small", {}, extra) : null);
  $("toasts").append(node);
  setTimeout(() => node.remove(), 5000);
}

async function start() {
  const all = await (await fetch("/sandbox/state")).json();
  Object.assign(state, { people: all.people, apps: all.apps, names: all.names, limits: all.limits });
  state.chats = new Map(all.chats.map((chat) => [chat.id, chat]));
  state.messages = new Map(all.messages.map((message) => [message.id, message]));
  state.me = state.me || all.people[0].id;
  const me = $("me");
  me.replaceChildren(...all.people.map((one) => el("option", { value: one.id, selected: one.id === state.me }, one.name)));
  $("entries").replaceChildren();
  for (const one of all.journal) entry(one);
  if (!current() || !mine(current())) state.chat = [...state.chats.values()].find(mine).id;
  render();
}

function listen() {
  const stream = new EventSource("/sandbox/stream");
  let lost = false;
  stream.addEventListener("open", () => lost && start());
  stream.addEventListener("error", () => (lost = true));
  stream.addEventListener("journal", (event) => entry(JSON.parse(event.data)));
  stream.addEventListener("chat", (event) => {
    const chat = JSON.parse(event.data);
    state.chats.set(chat.id, chat);
    renderChats();
  });
  stream.addEventListener("message", (event) => changed(JSON.parse(event.data)));
  stream.addEventListener("click", (event) => pressed(JSON.parse(event.data)));
}

function changed(message) {
  const known = state.messages.has(message.id);
  state.messages.set(message.id, message);
  if (message.chat !== state.chat && !known) state.unread.set(message.chat, (state.unread.get(message.chat) || 0) + 1);
  if (message.chat === state.chat) known ? renderOne(message) : renderMessages();
  renderChats();
}

function pressed(click) {
  if (click.who !== state.me) return;
  if (click.code) toast("error", `出错了（${click.code}）`, click.why);
  else if (click.toast?.content) toast(click.toast.type, click.toast.content);
}

export function go(chat, thread = "") {
  Object.assign(state, { chat, thread, replyTo: "" });
  state.unread.delete(chat);
  document.body.classList.remove("side");
  render();
}

export function render() {
  renderChats();
  renderMessages();
  renderContext();
}

function summary(message) {
  if (!message) return "";
  if (message.deleted) return "已撤回";
  if (message.card) {
    const config = message.card.json.config || {};
    if (message.card.generating) return config.summary?.content || "生成中…";
    return config.summary?.content || message.card.json.header?.title?.content || "[卡片]";
  }
  if (message.type !== "text") return { post: "[富文本]", image: "[图片]", file: "[文件]" }[message.type] || `[${message.type}]`;
  return message.mentions.reduceRight((text, m) => text.replaceAll(m.key, "@" + m.name), message.content.text || "");
}

function chatItem(chat) {
  const messages = [...state.messages.values()].filter((m) => m.chat === chat.id);
  const unread = state.unread.get(chat.id);
  const kind = { topic: "话题群", group: "群", p2p: "机器人" }[chat.mode];
  return el("li", {}, el("button", { type: "button", class: chat.id === state.chat ? "here" : "", onclick: () => go(chat.id) },
    el("span", { class: "avatar" }, chat.name.slice(0, 1)),
    el("span", { class: "about" }, el("b", {}, chat.name), el("small", {}, kind), el("span", { class: "last" }, summary(messages.at(-1)))),
    unread ? el("em", {}, String(unread)) : null));
}

function renderChats() {
  $("chats").replaceChildren(...[...state.chats.values()].filter(mine).map(chatItem));
}

export function visible() {
  const all = [...state.messages.values()].filter((m) => m.chat === state.chat);
  if (state.thread) return all.filter((m) => m.thread === state.thread);
  const seen = new Set();
  return all.filter((m) => {
    if (!m.thread) return true;
    const first = !seen.has(m.thread);
    seen.add(m.thread);
    return first;
  });
}

export const inThread = (thread) => [...state.messages.values()].filter((m) => m.thread === thread);

function renderMessages() {
  const list = $("messages");
  $("title").textContent = (state.thread ? "话题 · " : "") + (current()?.name || "");
  list.replaceChildren(...visible().map((m) => bubble(m)));
  list.scrollTop = list.scrollHeight;
}

export function renderOne(message) {
  const list = $("messages");
  const old = list.querySelector(`[data-id="${CSS.escape(message.id)}"]`);
  if (!old) {
    if (message.thread && !state.thread) renderMessages();
    return;
  }
  const bottom = list.scrollHeight - list.scrollTop - list.clientHeight < 60;
  const focus = old.contains(document.activeElement) && document.activeElement.matches("input,textarea,select");
  if (focus && !message.card?.streaming) return void document.activeElement.addEventListener("blur", () => renderOne(state.messages.get(message.id)), { once: true });
  old.replaceWith(bubble(message));
  if (bottom) list.scrollTop = list.scrollHeight;
}

export function renderContext() {
  const reply = state.messages.get(state.replyTo);
  const box = $("context");
  box.hidden = !reply && !state.thread;
  const text = state.thread ? "在话题中回复" : reply ? `回复 ${reply.author.name}：${summary(reply).slice(0, 40)}` : "";
  box.querySelector("span").textContent = text;
}

$("me").addEventListener("change", (event) => {
  state.me = event.target.value;
  go([...state.chats.values()].find(mine).id);
});
$("new-group").addEventListener("click", async () => {
  const name = window.prompt("群名称");
  if (!name) return;
  const made = await act("group", { name });
  if (made) go(made.id);
});
$("context").querySelector("button").addEventListener("click", () => {
  state.thread ? go(state.chat) : (state.replyTo = "");
  renderContext();
});
$("show-side").addEventListener("click", () => document.body.classList.toggle("side"));
$("show-journal").addEventListener("click", () => document.body.classList.toggle("journal"));
$("hide-journal").addEventListener("click", () => document.body.classList.remove("journal"));

setUpJournal();
setUpWriting();
typing();
start().then(listen);
