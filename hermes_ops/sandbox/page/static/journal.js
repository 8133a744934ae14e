// The side panel: every exchange of the protocol, newest last, and buttons for what goes wrong.

import { act, toast } from "./app.js";
import { $, el } from "./dom.js";

const KEPT = 500;

function line({ kind, data }) {
  if (kind === "rest") return `${data.method} ${data.path} → ${data.code ?? data.status}`;
  if (kind === "frame") return `${data.way === "in" ? "←" : "→"} ${data.headers.type ?? "?"} ${data.size} B`;
  if (kind === "push") return `${data.event} ${data.what ?? `#${data.attempt} → ${data.code ?? "无应答"}`}`;
  if (kind === "socket") return `${data.what} ${data.code ?? ""}`;
  if (kind === "discover") return `discovery → ${data.code}`;
  if (kind === "click") return `click → ${data.code || "ok"} ${data.why ?? ""}`;
  if (kind === "webhook") return `webhook → ${data.status ?? data.failed}`;
  return data.what ?? kind;
}

function bad({ kind, data }) {
  if (kind === "rest") return Boolean(data.code) || data.status >= 400 || Boolean(data.faults);
  if (kind === "push") return data.code !== 200;
  return kind === "odd" || (kind === "click" && data.code) || (kind === "discover" && data.code);
}

export function entry(one) {
  const list = $("entries");
  const bottom = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const detail = el("pre");
  const open = (event) => event.target.open && !detail.textContent && (detail.textContent = JSON.stringify(one.data, null, 1));
  const time = new Date(one.at * 1000).toLocaleTimeString("zh-CN", { hour12: false });
  const node = el("li", { class: bad(one) ? "bad" : one.kind }, el("details", { ontoggle: open }, el("summary", {}, el("time", {}, time), " ", line(one)), detail));
  node.hidden = !fits(node);
  list.append(node);
  while (list.children.length > KEPT) list.firstChild.remove();
  if (bottom) list.scrollTop = list.scrollHeight;
}

const fits = (node) => node.textContent.toLowerCase().includes($("filter").value.trim().toLowerCase());

export function setUpJournal() {
  $("filter").addEventListener("input", () => {
    for (const node of $("entries").children) node.hidden = !fits(node);
  });
  $("faults").addEventListener("click", async (event) => {
    const name = event.target.dataset.fault;
    if (!name) return;
    const done = await act("fault", { name });
    if (done) toast("warning", done.did);
  });
}
