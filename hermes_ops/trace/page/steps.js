"use strict";
// One step, and the run as a whole, in the right pane. Reads the story; changes nothing.

function stepLink(n, words) { return el("a", { href: "#step-" + n }, words || "step " + n); }

function section(title, ...inside) {
  const parts = inside.flat().filter((p) => p !== null && p !== undefined && p !== false);
  return parts.length ? [el("h3", {}, title), ...parts] : [];
}

function text(title, said, story, cls) {
  return said ? section(title, long(said, story.evidence, "div", "prose " + (cls || ""))) : [];
}

function json(title, value, open) {
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length)) return [];
  const said = pretty(value);
  const box = el("details", { open: open && said.length < 3000 },
    el("summary", {}, el("span", { class: "role" }, title), el("span", { class: "peek" }, flat(said))));
  return [onceOpen(box, () => long(said))];
}

// Long contents are made when they are first looked at.
function onceOpen(box, make) {
  const fill = () => { if (box.open && !box.dataset.full) { box.dataset.full = "1"; box.append(...[make()].flat()); } };
  box.addEventListener("toggle", fill);
  fill();
  return box;
}

const KINDS = {
  model(step, story) {
    const d = step.detail, u = d.usage || {};
    const numbers = [["model", d.model], ["input", count(u.prompt_tokens) + " tokens"], ["cached", count(u.cached_tokens)],
      ["output", count(u.completion_tokens) + " tokens"], ["cost", money(u.cost)], ["attempts", d.attempts || 1], ["finish", d.finish]];
    const calls = (d.calls || []).map((c, i) => {
      const made = story.steps.find((s) => s.by === step.n && s.kind !== "route" && Number(s.call) === i);
      return [made ? stepLink(made.n, c.name) : c.name, el("pre", {}, pretty(c.args === null ? c.raw : c.args)), c.fault ? el("span", { class: "pill bad" }, c.fault) : ""];
    });
    return [
      el("p", { class: "meta" }, numbers.map(([k, v]) => el("span", {}, k + " ", el("b", {}, v === null || v === undefined ? "–" : v)))),
      d.final ? el("p", { class: "notice" }, "Its last step: no more calls were allowed.") : null,
      d.text === null ? el("p", { class: "notice" }, "The text of this step was removed.") : null,
      text("Thought", d.reasoning, story, "think"),
      text(calls.length ? "Said beside its calls" : "Said", d.text, story),
      calls.length ? section("Calls", table(["call", "arguments", ""], calls)) : [],
      (d.notes || []).length ? section("Mended by the gateway", d.notes.map((n) => el("p", { class: "notice" }, n))) : [],
      section(`What it was sent: ${d.sent.length} messages, ${d.new} of them new to it`,
        d.note ? el("p", { class: "notice" }, d.note) : null, d.sent.map((at, i) => message(story.messages[at], i, d))),
      el("p", { class: "soft" }, "prompt ", el("code", {}, d.prompt || "–"), " (hash of system prompt and tools) · messages ", el("code", {}, d.prefix || "–")),
    ];
  },
  route(step, story) {
    const d = step.detail;
    const rows = d.chosen.map((c) => {
      const made = story.steps.find((s) => s.kind === "branch" && s.n > step.n && (s.detail.asked || {}).agent === c.agent);
      return [made ? stepLink(made.n, c.agent) : c.agent, el("span", { class: "pill good" }, "asked"), [c.reason || "no reason was given", c.task ? el("div", { class: "soft" }, c.task) : "", c.window ? el("div", { class: "soft" }, "window " + c.window) : ""]];
    });
    const left = d.not_asked.map((r) => [r.agent, el("span", { class: "pill warn" }, "not asked"), [r.why, r.by === "model" ? el("div", { class: "soft" }, "in the model's own words") : ""]]);
    return [section("Who was asked, who wasn't, and why", table(["sub-agent", "", "why"], [...rows, ...left])),
      step.by ? el("p", {}, "The model decided this in ", stepLink(step.by), ": its prompt, thought and calls stand there.")
        : el("p", {}, d.rules ? "No model decided this: it follows from the words of the question." : ""),
      el("p", { class: "soft" }, "prompt ", el("code", {}, d.prompt || "–"), " · model ", d.model || "–", " · turn ", d.turn)];
  },
  tool(step, story) {
    const d = step.detail;
    const facts = [["rows", d.total === null || d.total === undefined ? null : `${count(d.shown)} of ${count(d.total)}`], ["source", d.source], ["complete", d.complete === false ? "no" : null]];
    const figures = (d.figures || []).map((f) => [f.name, Object.entries(f.labels || {}).map(([k, v]) => k + "=" + v).join(", "), (f.approx ? "≈ " : "") + f.value + (f.unit || "")]);
    const link = d.link && /^https?:\/\//.test(d.link) ? el("a", { href: d.link, rel: "noreferrer noopener" }, d.link) : d.link;
    return [
      d.removed ? el("p", { class: "notice" }, "The result was removed.") : null,
      el("p", { class: "meta" }, facts.filter(([, v]) => v).map(([k, v]) => el("span", {}, k + " ", el("b", {}, v)))),
      step.evidence ? el("p", {}, "Evidence ", el("b", {}, step.evidence), story.cited.has(step.evidence) ? ", which the answer cites." : ". The answer doesn't cite it.") : null,
      section("Arguments", long(pretty(d.args || {}))), d.query ? section("Exact query", long(d.query)) : [],
      d.window ? section("Window", long(`${d.window.start} – ${d.window.end}`)) : [], link ? section("Link", el("p", {}, link)) : [],
      (d.gaps || []).length ? section("Gaps", d.gaps.map((g) => el("p", { class: "notice" }, g))) : [],
      figures.length ? section("Figures", table(["figure", "of", "#value"], figures)) : [],
      text("What the model saw", d.text, story), json("Data for code", d.data),
    ];
  },
  branch(step, story) {
    const d = step.detail, a = d.asked;
    if (!a) return [json("Arguments", d.args, true), text("What came back", d.text, story)];
    const rows = [["task", a.task], ["window", a.window], ["reason", a.reason], ["status", a.status], ["stopped", a.stopped], ["needs", a.needs]];
    const wrong = [...(a.unreachable || []), ...(a.gaps || [])];
    const inside = story.steps.filter((s) => s.lane === step.opens);
    return [section("Asked", table(["", ""], rows.filter(([, v]) => v).map(([k, v]) => [el("b", {}, k), v]))),
      wrong.length ? section("Gaps", wrong.map((g) => el("p", { class: "notice" }, g))) : [],
      section("Its steps", el("p", {}, inside.map((s, i) => [i ? ", " : "", stepLink(s.n, s.title)]))),
      text("What it found, as the supervisor saw it", d.text, story), json("Findings", d.findings)];
  },
  agent(step, story) {
    const d = step.detail, said = d.text;
    return [el("p", { class: "meta" }, el("span", {}, "brain ", el("b", {}, d.brain || "–")), el("span", {}, "prompt ", el("code", {}, d.prompt || "–"))),
      section("System prompt, as it was sent", said === null ? el("p", { class: "notice" }, "The text was removed.") : said ? long(said) : el("p", {}, "None: no model is asked, a playbook decides.")),
      (d.tools || []).length ? section(`Tools, as a model is told of them: ${d.tools.length}`, d.tools.map(tool)) : []];
  },
  checked(step, story) {
    const wrong = step.detail.unverified;
    return [wrong.length ? section("Not borne out by the evidence", wrong.map((w) => el("p", { class: "notice bad" }, w))) : el("p", {}, "Every figure in it is borne out by the evidence it cites."),
      text("Answer", step.detail.text, story)];
  },
  fallback(step) { return [el("p", { class: "notice bad" }, step.detail.why || "")]; },
};

function tool(t) {
  const name = String(t.name), said = String(t.description || "");
  const box = el("details", {}, el("summary", {}, el("span", { class: "role" }, name), el("span", { class: "peek" }, flat(said))));
  return onceOpen(box, () => [long(said), long(pretty(t.parameters || {}))]);
}

function message(m, i, d) {
  const fresh = i >= d.sent.length - d.new, cut = d.cut.includes(i);
  const mark = [fresh ? el("span", { class: "pill good" }, "new") : null, cut ? el("span", { class: "pill warn" }, "shortened to fit") : null];
  const box = el("details", { open: fresh && m.text.length < 3000 },
    el("summary", {}, el("span", { class: "role" }, `${i} ${m.role}`), mark, el("span", { class: "peek" }, flat(m.text))));
  return onceOpen(box, () => long(m.text));
}

function drawStep(step, story) {
  const lane = story.lanes[step.lane];
  const known = KINDS[step.kind];
  const parts = known ? known(step, story) : [json("Facts", (step.detail || {}).body || step.detail, true), json("Result", readable((step.detail || {}).text), true)];
  return [
    el("h2", { tabindex: -1 }, `${step.n} · `, step.title), el("p", { class: "meta" }, pill(step.status), el("span", {}, step.kind),
      el("span", {}, "loop ", el("b", {}, lane.path)), el("span", {}, "at ", el("b", {}, "+" + took(step.start))), el("span", {}, "took ", el("b", {}, took(step.ms))),
      step.by && step.kind !== "route" ? el("span", {}, "called by ", stepLink(step.by)) : null, lane.step ? el("span", {}, "inside ", stepLink(lane.step)) : null),
    ...parts.flat(2).filter(Boolean),
  ];
}

function readable(said) {
  try { return said ? JSON.parse(said) : null; } catch { return said; }
}

function drawRun(story, graph) {
  const run = story.run, routes = story.steps.filter((s) => s.kind === "route");
  const asked = routes.flatMap((r) => r.detail.chosen.map((c) => [stepLink(r.n, c.agent), el("span", { class: "pill good" }, "asked"), c.reason || "no reason was given"]));
  const names = new Set(routes.flatMap((r) => r.detail.chosen.map((c) => c.agent)));
  const unasked = new Map(); // the last reason that was really given, else the last
  for (const r of routes) for (const a of r.detail.not_asked) if (!names.has(a.agent) && (a.by !== "nobody" || !unasked.has(a.agent))) unasked.set(a.agent, [r.n, a]);
  const left = [...unasked.values()].map(([n, a]) => [stepLink(n, a.agent), el("span", { class: "pill warn" }, "not asked"), a.why]);
  const cost = story.agents.filter((a) => a.agent !== "plan").map((a) => [a.agent, count(a.usage.model_calls), count(a.usage.prompt_tokens), count(a.usage.cached_tokens), count(a.usage.completion_tokens), money(a.usage.cost), count(a.tools), took(a.ms)]);
  const replay = run.replay;
  return [
    el("h2", { tabindex: -1 }, run.question),
    replay ? el("p", { class: "notice" }, `A replay of run ${replay.of}. `, run.divergences.length ? `It diverges in ${run.divergences.length} places.` : "") : null,
    run.divergences.map((d) => el("p", { class: "notice bad" }, `${d.path}, ${d.step}: ${d.why}`)),
    run.fallback ? el("p", { class: "notice bad" }, "No model could be used: " + run.fallback) : null,
    text("Answer", run.text || "(the run came to no checked answer)", story, "answer"),
    run.unverified.length ? section("Not borne out by the evidence", run.unverified.map((w) => el("p", { class: "notice bad" }, w))) : [],
    routes.length ? section("Who was asked, who wasn't, and why", table(["sub-agent", "", "why"], [...asked, ...left])) : [],
    section("Route", graph),
    section("What code worked out", table(["", ""], [
      ["window", run.window ? [run.window.text, el("div", { class: "soft" }, how(run.window))] : "none"], ["scope", run.scope ? [run.scope.text, el("div", { class: "soft" }, how(run.scope))] : "none"],
      ["now", run.now || "–"]].map(([k, v]) => [el("b", {}, k), v]))),
    section("What it took", table(["agent", "#calls", "#input", "#cached", "#output", "#cost", "#tools", "#time"], cost)),
  ].flat(2).filter(Boolean);
}

function how(read) { return [read.said ? `read from “${read.said}”` : "", read.why].filter(Boolean).join(": "); }
