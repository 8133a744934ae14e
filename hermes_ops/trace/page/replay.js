"use strict";
// The session replay: the waterfall, the conversation, what is picked, playing, searching, keys and addresses.

(() => {
  const story = JSON.parse(document.getElementById("story").textContent);
  const $ = (id) => document.getElementById(id);
  const list = $("list"), right = $("right"), graph = $("graph").content.firstElementChild;
  const whole = Math.max(1, ...story.steps.map((s) => s.start + s.ms));
  const hue = new Map();
  let picked = 0, view = "waterfall", timer = 0, hits = null;

  story.evidence = Object.fromEntries(story.steps.filter((s) => s.evidence).map((s) => [s.evidence, s.n]));
  story.cited = new Set((story.run.text || "").match(/[A-Z]{1,3}\d{1,5}/g) || []);
  const byNumber = new Map(story.steps.map((s) => [s.n, s]));

  function color(lane) {
    const name = story.lanes[lane].agent;
    if (!hue.has(name)) hue.set(name, hue.size % 7);
    return `var(--l${hue.get(name)})`;
  }

  // ── the list ────────────────────────────────────────────────────────────────────────────────

  const WORDS = { branch: "ask", checked: "check", context: "code", recall: "memory", tell: "memory", compacted: "cut", fallback: "failed" };

  function row(step) {
    const bar = el("span", { class: step.ms < whole / 400 ? "bar dot" : "bar" });
    const from = (100 * step.start) / whole, size = Math.max(0.3, (100 * step.ms) / whole);
    bar.style.left = `min(${from}%, calc(100% - 7px))`;
    if (step.ms >= whole / 400) bar.style.width = size + "%";
    const label = el("span", { class: "took" }, took(step.ms) + (step.tokens ? ` · ${count(step.tokens)} tok` : ""));
    if (from + size < 62) label.style.left = `calc(${from + size}% + 6px)`;
    else label.style.right = `calc(${100 - from}% + 4px)`;
    const name = el("span", { class: "name" }, el("span", { class: "num" }, step.n), el("span", { class: "kind" }, WORDS[step.kind] || step.kind),
      el("span", { class: "what", title: flat(step.title) }, step.title), step.evidence ? el("span", { class: "tag" }, step.evidence) : null,
      step.status && tone(step.status) !== "good" && step.kind !== "model" ? pill(step.status) : null);
    name.style.paddingLeft = 8 + 16 * step.depth + "px";
    const classes = ["row", step.opens >= 0 && "open", step.bad && "bad"].filter(Boolean).join(" ");
    const item = el("li", { class: classes, role: "option", id: "row-" + step.n, "aria-selected": "false", "data-n": step.n }, name, el("span", { class: "bars" }, bar, label));
    item.style.setProperty("--lane", color(step.opens >= 0 ? step.opens : step.lane));
    return item;
  }

  function runRow() {
    const name = el("span", { class: "name" }, el("span", { class: "num" }), el("span", { class: "kind" }, "run"), el("span", { class: "what" }, "answer, route and cost"));
    return el("li", { class: "row open", role: "option", id: "row-0", "aria-selected": "false", "data-n": 0 }, name, el("span", { class: "bars" }));
  }

  function talk(step, who, said, cls, when) {
    const item = el("li", { class: ["talk", cls, step && step.bad && "bad"].filter(Boolean).join(" "), role: "option", "aria-selected": "false", "data-n": step ? step.n : 0 },
      el("div", { class: "who" }, who, el("span", { class: "soft" }, when || (step ? `step ${step.n} · +${took(step.start)} · ${took(step.ms)}` : ""))), el("div", { class: "said" }, said.length > 1400 ? said.slice(0, 1400) + "…" : said || "–"));
    item.style.marginLeft = 18 * (step ? step.depth + (step.opens >= 0 ? 1 : 0) : 0) + "px";
    item.style.setProperty("--lane", color(step ? (step.opens >= 0 ? step.opens : step.lane) : 0));
    return item;
  }

  function speeches(step) {
    const d = step.detail || {}, who = story.lanes[step.lane].agent;
    if (step.kind === "model") {
      const calls = (d.calls || []).map((c) => `→ ${c.name} ${c.args === null ? c.raw : JSON.stringify(c.args)}`).join("\n");
      const said = [d.text, calls].filter(Boolean).join("\n");
      return [d.reasoning ? talk(step, `${who} thinks`, d.reasoning, "thought") : null, talk(step, `${who} says`, said)];
    }
    if (step.kind === "route") {
      const said = [...d.chosen.map((c) => `asks ${c.agent}: ${c.reason || "no reason was given"}`), ...d.not_asked.map((n) => `not ${n.agent}: ${n.why}`)];
      return [talk(step, `${who} decides`, said.join("\n"))];
    }
    if (step.kind === "tool") return [talk(step, `${d.tool}${step.evidence ? " [" + step.evidence + "]" : ""}`, `${JSON.stringify(d.args || {})}\n${d.text || step.status}`)];
    if (step.kind === "branch") return [talk(step, d.asked ? `${who} asks ${d.asked.agent}` : who, d.asked ? d.asked.task || "" : step.title)];
    if (step.kind === "checked") return [talk(step, "the answer, checked", d.text || "(the text was removed)", "person")];
    if (step.kind === "fallback") return [talk(step, "no model", d.why || "")];
    return [];
  }

  // A sub-agent answers when the last of its steps was told.
  function conversation() {
    const told = [talk(null, story.run.user, story.run.question, "person", "asks")], open = [];
    const close = (depth) => {
      while (open.length && open[open.length - 1].depth >= depth) {
        const step = open.pop();
        if (step.detail.asked) told.push(talk(step, `${step.detail.asked.agent} answers`, step.detail.text || step.status));
      }
    };
    for (const step of story.steps) {
      close(step.depth);
      told.push(...speeches(step).filter(Boolean));
      if (step.opens >= 0) open.push(step);
    }
    close(0);
    return told;
  }

  function drawList() {
    list.replaceChildren(...(view === "waterfall" ? [runRow(), ...story.steps.map(row)] : conversation()));
    [...list.children].forEach((item, n) => { if (!item.id) item.id = "talk-" + n; });
    list.removeAttribute("aria-activedescendant");
    $("axis").hidden = view !== "waterfall";
    for (const name of ["waterfall", "conversation"]) $(name).setAttribute("aria-pressed", String(view === name));
    mark();
    showHits();
  }

  function axis() {
    const ticks = $("ticks");
    for (const part of [0, 0.25, 0.5, 0.75]) {
      const tick = el("span", {}, took(part * whole).replace("<1 ms", "0"));
      tick.style.left = part * 100 + "%";
      ticks.append(tick);
    }
  }

  // ── what is picked ──────────────────────────────────────────────────────────────────────────

  function items() { return [...list.children].filter((i) => !i.classList.contains("later")); }

  function mark() {
    for (const item of list.querySelectorAll('[aria-selected="true"]')) item.setAttribute("aria-selected", "false");
    const own = items().filter((i) => Number(i.dataset.n) === picked);
    for (const item of own) item.setAttribute("aria-selected", "true");
    if (own[0]) { if (timer || own[0].offsetParent) own[0].scrollIntoView({ block: "nearest" }); list.setAttribute("aria-activedescendant", own[0].id); }
  }

  function pick(n, quiet) {
    picked = byNumber.has(n) ? n : 0;
    const parts = picked ? drawStep(byNumber.get(picked), story) : drawRun(story, el("div", { class: "graph", tabindex: 0, role: "group", "aria-label": "route of the run" }, graph.cloneNode(true)));
    right.replaceChildren(nav(), ...parts);
    right.scrollTop = 0;
    if (!quiet) { const to = picked ? "#step-" + picked : "#run"; if (location.hash !== to) history.replaceState(null, "", to); }
    document.body.classList.toggle("detail", Boolean(picked) || location.hash === "#run");
    mark();
  }

  function nav() {
    const go = (words, n, key) => el("button", { type: "button", title: key, onclick: () => pick(n) }, words);
    const at = story.steps.findIndex((s) => s.n === picked);
    const before = at > 0 ? story.steps[at - 1].n : 0, after = at + 1 < story.steps.length ? story.steps[at + 1].n : 0;
    return el("div", { class: "nav" }, el("button", { type: "button", class: "back", onclick: leave }, "← steps"),
      picked ? go("The run", 0, "o") : null, picked ? go("‹ step", before, "k") : null, after ? go(picked ? "step ›" : "First step ›", after, "j") : null);
  }

  function leave() { document.body.classList.remove("detail"); history.replaceState(null, "", "#steps"); }

  function move(by) {
    const at = story.steps.findIndex((s) => s.n === picked);
    const next = at < 0 ? (by > 0 ? 0 : story.steps.length - 1) : Math.min(story.steps.length - 1, Math.max(0, at + by));
    pick(story.steps[next].n);
  }

  function fromAddress() {
    const found = /^#step-(\d+)$/.exec(location.hash);
    pick(found ? Number(found[1]) : 0, true);
  }

  // ── playing ─────────────────────────────────────────────────────────────────────────────────

  function play() {
    if (timer) return stop();
    if (!story.steps.length) return undefined;
    if (picked === story.steps[story.steps.length - 1].n) picked = 0;
    $("play").textContent = "❚❚ Pause";
    $("play").setAttribute("aria-pressed", "true");
    return tick();
  }

  function tick() {
    const at = story.steps.findIndex((s) => s.n === picked);
    if (at + 1 >= story.steps.length) return stop();
    const step = story.steps[at + 1];
    pick(step.n);
    document.body.classList.remove("detail");
    list.querySelector(".now")?.classList.remove("now");
    list.querySelector(`[data-n="${step.n}"]`)?.classList.add("now");
    later(at + 1);
    timer = setTimeout(tick, Math.min(1600, Math.max(350, step.opens >= 0 ? 350 : step.ms / 4)));
    return undefined;
  }

  function later(at) {
    if (view !== "conversation") return;
    const upto = story.steps[at].n;
    for (const item of list.children) item.classList.toggle("later", Number(item.dataset.n) > upto);
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    $("play").textContent = "▶ Play";
    $("play").setAttribute("aria-pressed", "false");
    for (const item of list.querySelectorAll(".later, .now")) item.classList.remove("later", "now");
    return undefined;
  }

  // ── searching ───────────────────────────────────────────────────────────────────────────────

  const indexed = new Map();
  const BARE = new Set(["sent", "new", "cut", "usage", "prefix"]); // numbers that nobody looks for
  function words(step) {
    if (!indexed.has(step.n)) {
      const d = step.detail || {}, seen = (d.sent || []).slice(d.sent ? d.sent.length - d.new : 0).map((m) => story.messages[m].text);
      indexed.set(step.n, [step.title, step.evidence, step.kind, story.lanes[step.lane].agent, ...strings(d), ...seen].join("\n").toLowerCase());
    }
    return indexed.get(step.n);
  }

  function strings(value) {
    if (typeof value === "string") return [value];
    if (value && typeof value === "object") return Object.entries(value).flatMap(([key, inner]) => (BARE.has(key) ? [] : strings(inner)));
    return typeof value === "number" ? [String(value)] : [];
  }

  function search() {
    const wanted = $("find").value.trim().toLowerCase();
    hits = wanted ? story.steps.filter((s) => words(s).includes(wanted)).map((s) => s.n) : null;
    showHits();
  }

  function showHits() {
    const found = hits && new Set(hits);
    for (const item of list.children) {
      item.classList.toggle("hit", Boolean(found && found.has(Number(item.dataset.n))));
      item.classList.toggle("dim", Boolean(found && !found.has(Number(item.dataset.n)) && item.dataset.n !== "0"));
    }
    $("hits").textContent = hits ? `${hits.length} of ${story.steps.length}` : "";
  }

  function nextHit(by) {
    if (!hits || !hits.length) return;
    const at = by > 0 ? hits.find((n) => n > picked) : [...hits].reverse().find((n) => n < picked);
    pick(at ?? (by > 0 ? hits[0] : hits[hits.length - 1]));
  }

  // ── keys ────────────────────────────────────────────────────────────────────────────────────

  function up() { const step = byNumber.get(picked); if (step) pick(story.lanes[step.lane].step); }
  function into() {
    const step = byNumber.get(picked);
    const first = step && story.steps.find((s) => s.lane === step.opens);
    if (first) pick(first.n); else right.querySelector("h2")?.focus();
  }

  const KEYS = {
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), h: up, ArrowLeft: up, l: into, ArrowRight: into, Enter: into,
    g: () => pick(story.steps[0]?.n), Home: () => pick(story.steps[0]?.n), G: () => pick(story.steps.at(-1)?.n), End: () => pick(story.steps.at(-1)?.n),
    o: () => pick(0), " ": play, "/": () => $("find").focus(), n: () => nextHit(1), N: () => nextHit(-1), v: () => see(view === "waterfall" ? "conversation" : "waterfall"),
    t: theme, "?": () => $("help").showModal(), Escape: () => { if (timer) stop(); $("find").value = ""; search(); },
  };

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    if (event.target === $("find")) {
      if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") { $("find").value = ""; search(); list.focus(); }
      return;
    }
    const inside = event.target.closest("button, a, summary, pre, .wide, .graph");
    if (inside && ["Enter", " ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    const act = KEYS[event.key];
    if (act) { event.preventDefault(); act(); }
  }

  function see(name) { if (timer) stop(); view = name; drawList(); }

  function theme() {
    const now = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = now;
    try { localStorage.setItem("hermes-ops-theme", now); } catch { /* a file may have no storage */ }
  }

  function begin() {
    let wanted = null;
    try { wanted = localStorage.getItem("hermes-ops-theme"); } catch { /* as above */ }
    document.documentElement.dataset.theme = wanted || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    axis();
    drawList();
    list.addEventListener("click", (e) => { const item = e.target.closest("li"); if (item) pick(Number(item.dataset.n)); });
    $("find").addEventListener("input", search);
    $("play").addEventListener("click", play);
    $("waterfall").addEventListener("click", () => see("waterfall"));
    $("conversation").addEventListener("click", () => see("conversation"));
    $("theme").addEventListener("click", theme);
    $("keys").addEventListener("click", () => $("help").showModal());
    document.addEventListener("keydown", key);
    addEventListener("hashchange", fromAddress);
    fromAddress();
    list.focus({ preventScroll: true });
  }

  begin();
})();
