// Writing: mentions with a picker, pasted pictures, files, replies and topics. Enter sends, Shift+Enter is a new line.

import { act, current, everybody, inThread, renderContext, state, toast } from "./app.js";
import { $, el, post } from "./dom.js";

const draft = { mentions: [], pictures: [] };

export function setUpWriting() {
  const text = $("text");
  $("write").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      $("picker").hidden ? send() : $("picker").querySelector("button")?.click();
    }
    if (event.key === "Escape") $("picker").hidden = true;
  });
  text.addEventListener("input", () => {
    const asked = text.value.slice(0, text.selectionStart).match(/@([^\s@]*)$/);
    asked ? pick(asked[1]) : ($("picker").hidden = true);
    text.rows = Math.min(6, text.value.split("\n").length);
  });
  text.addEventListener("paste", (event) => {
    for (const item of event.clipboardData.items) {
      if (item.type.startsWith("image/")) {
        event.preventDefault();
        addPicture(item.getAsFile());
      }
    }
  });
  $("at").addEventListener("click", () => pick(""));
  $("file").addEventListener("change", (event) => {
    const file = event.target.files[0];
    event.target.value = "";
    if (file) file.type.startsWith("image/") ? addPicture(file) : sendFile(file);
  });
}

function pick(start) {
  const chat = current();
  const here = everybody().filter((one) => one.id !== state.me && (chat.people.includes(one.id) || chat.apps.includes(one.id)));
  const all = chat.mode === "p2p" ? here : [...here, { id: "all", name: "所有人" }];
  const fitting = all.filter((one) => one.name.toLowerCase().includes(start.toLowerCase()) || one.id.startsWith(start));
  const box = $("picker");
  box.hidden = !fitting.length;
  box.replaceChildren(...fitting.map((one) => el("button", { type: "button", role: "option", onclick: () => mention(one) }, "@" + one.name, one.bot ? el("i", {}, "机器人") : null)));
}

function mention(one) {
  const text = $("text");
  text.value = text.value.slice(0, text.selectionStart).replace(/@[^\s@]*$/, "") + `@${one.name} ` + text.value.slice(text.selectionStart);
  if (!draft.mentions.some((m) => m.id === one.id)) draft.mentions.push(one);
  $("picker").hidden = true;
  text.focus();
}

async function upload(kind, file) {
  const query = new URLSearchParams({ who: state.me, kind, name: file.name || "" });
  try {
    return (await post("/sandbox/upload?" + query, file)).key;
  } catch (error) {
    toast("error", error.message);
    return "";
  }
}

async function addPicture(file) {
  const key = await upload("image", file);
  if (!key) return;
  draft.pictures.push(key);
  showPictures();
}

function showPictures() {
  const one = (key) => el("button", { type: "button", title: "移除", onclick: () => (draft.pictures.splice(draft.pictures.indexOf(key), 1), showPictures()) }, el("img", { src: "/sandbox/blob/" + key, alt: "图片" }));
  $("pictures").replaceChildren(...draft.pictures.map(one));
}

async function sendFile(file) {
  const key = await upload("file", file);
  if (key) await act("file", { chat: state.chat, key });
}

// Names that were picked become keys in the place where they stand.
function keyed(text) {
  const meant = [...draft.mentions].filter((one) => text.includes("@" + one.name)).sort((a, b) => b.name.length - a.name.length);
  const people = meant.filter((one) => one.id !== "all");
  people.forEach((one, n) => (text = text.replaceAll("@" + one.name, `@_user_${n + 1} `)));
  if (meant.length > people.length) text = text.replaceAll("@所有人", "");
  return { text: text.replace(/ {2,}/g, " ").trim(), mentions: [...people, ...meant.filter((one) => one.id === "all")].map((one) => one.id) };
}

async function send() {
  const { text, mentions } = keyed($("text").value);
  if (!text && !mentions.length && !draft.pictures.length) return;
  const last = state.thread ? inThread(state.thread).at(-1)?.id : "";
  const body = { chat: state.chat, text, mentions, pictures: draft.pictures, reply_to: state.replyTo || last || "", thread: Boolean(state.thread) };
  $("text").value = "";
  $("text").rows = 1;
  Object.assign(draft, { mentions: [], pictures: [] });
  state.replyTo = "";
  showPictures();
  renderContext();
  await act("say", body);
}
