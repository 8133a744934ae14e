"use strict";
// Light and dark, picking two runs, and new rows while runs go on. The pages work without it.

(() => {
  const root = document.documentElement, $ = (id) => document.getElementById(id);
  const EVERY = { running: 1500, quiet: 5000 };

  function stored() { try { return localStorage.getItem("hermes-ops-theme"); } catch { return null; } }
  root.dataset.theme = stored() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  function theme() {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("hermes-ops-theme", root.dataset.theme); } catch { /* private windows may have no storage */ }
  }

  // ── picking two ─────────────────────────────────────────────────────────────────────────────

  const boxes = () => [...document.querySelectorAll('#list input[name="run"]')];
  const order = [];

  function picked(box) {
    const at = order.indexOf(box.value);
    if (at >= 0) order.splice(at, 1);
    if (box.checked) order.push(box.value);
    while (order.length > 2) order.shift();
    mark();
  }

  function mark() {
    for (const box of boxes()) box.checked = order.includes(box.value);
    $("compare").disabled = order.length !== 2;
    $("picked").textContent = order.length === 2 ? "Two picked." : order.length === 1 ? "One picked; pick another." : "Pick two runs to set them side by side.";
  }

  // ── new rows ────────────────────────────────────────────────────────────────────────────────

  let seen = "";

  async function renew() {
    const address = new URL(location.href);
    address.searchParams.set("part", "rows");
    address.searchParams.set("seen", seen);
    const answer = await fetch(address, { headers: { "X-Requested-With": "inspector" }, redirect: "error" });
    if (answer.status === 401) { location.reload(); return; }
    if (!answer.ok) throw new Error(String(answer.status));
    seen = answer.headers.get("X-Rows") || "";
    if (answer.status === 204) return;
    const page = new DOMParser().parseFromString(`<table>${await answer.text()}</table>`, "text/html");
    const fresh = page.getElementById("rows"), old = $("rows");
    if (!fresh || !old) return;
    const focus = document.activeElement && old.contains(document.activeElement) ? place(document.activeElement) : null;
    old.replaceWith(fresh);
    mark();
    if (focus) find(focus)?.focus({ preventScroll: true });
  }

  // Where the focus was, in words that the new rows have too.
  function place(node) { return { run: node.closest("tr").dataset.run, cell: node.closest("td").dataset.name }; }
  function find(at) {
    const row = [...document.querySelectorAll("#rows tr")].find((r) => r.dataset.run === at.run);
    return row?.querySelector(`[data-name="${at.cell}"] a, [data-name="${at.cell}"] input`);
  }

  async function follow() {
    if (!document.hidden) {
      try { await renew(); $("live").textContent = running() ? `Live · ${running()} running` : "Live"; }
      catch { $("live").textContent = "The service doesn't answer; trying again."; }
    }
    setTimeout(follow, running() ? EVERY.running : EVERY.quiet);
  }

  function running() { return document.querySelectorAll("#rows tr.running").length; }

  // ── begin ───────────────────────────────────────────────────────────────────────────────────

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "t") theme();
    if (event.key === "/" && $("f-q")) { event.preventDefault(); $("f-q").focus(); }
    if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  }

  function step(by) {
    const links = [...document.querySelectorAll("#rows .q a")];
    const at = links.indexOf(document.activeElement);
    links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  }

  addEventListener("DOMContentLoaded", () => {
    $("theme")?.addEventListener("click", theme);
    const here = document.querySelector("header nav [aria-current]");
    if (here) here.parentNode.scrollLeft = here.offsetLeft - 60; // scrollIntoView would move where Tab begins, too
    document.addEventListener("keydown", keys);
    if ($("filters") && matchMedia("(max-width: 800px)").matches) $("filters").open = Boolean($("clear"));
    const list = $("list");
    if (!list) return;
    for (const box of boxes()) if (box.checked) order.push(box.value);
    list.addEventListener("change", (e) => { if (e.target.name === "run") picked(e.target); });
    mark();
    if (list.dataset.live) follow();
  });
})();
