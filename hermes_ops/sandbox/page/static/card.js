// Cards of version 2.0, and of version 1 as well as can be. `ctx`: names, press(path, values), opened panels, key.

import { chart } from "./chart.js";
import { el, link, picture } from "./dom.js";
import { inline, markdown, plain } from "./markdown.js";

const BAR = new Set("blue wathet turquoise green yellow orange red carmine violet purple indigo grey".split(" "));

export function card(json, ctx) {
  const body = json.schema === "2.0" ? json.body?.elements || [] : json.elements || [];
  const at = json.schema === "2.0" ? ["body", "elements"] : ["elements"];
  return el("article", { class: "card" }, json.header ? header(json.header, ctx) : null, el("div", { class: "body" }, children(body, at, ctx)));
}

function header(h, ctx) {
  const tags = (h.text_tag_list || []).map((t) => el("span", { class: `tag c-${t.color || "neutral"}` }, words(t.text, ctx)));
  const color = BAR.has(h.template) ? h.template : "default";
  const subtitle = h.subtitle ? el("small", {}, words(h.subtitle, ctx)) : null;
  return el("header", { class: `bar-${color}` }, el("strong", {}, words(h.title, ctx)), tags, subtitle);
}

export function words(text, ctx) {
  if (!text) return "";
  const content = String(text.content ?? "");
  return text.tag === "lark_md" ? inline(content, ctx.names) : text.tag === "markdown" ? markdown(content, ctx.names) : plain(content);
}

const children = (list, path, ctx) => list.map((element, n) => draw(element, [...path, n], ctx));

function draw(e, path, ctx) {
  const make = MAKERS[e.tag];
  if (!make) return el("div", { class: "unknown" }, `[${e.tag}]`);
  return make(e, path, ctx);
}

const callback = (e) => (e.behaviors || []).find((b) => b.type === "callback") || e.value;
const address = (e) => (e.behaviors || []).find((b) => b.type === "open_url")?.default_url || e.url;

function button(e, path, ctx) {
  const face = words(e.text, ctx);
  if (address(e) && !callback(e)) return el("span", { class: `button ${e.type || "default"}` }, link(address(e), face));
  const press = (event) => {
    const form = event.target.closest("fieldset.form");
    if (e.confirm && !window.confirm([e.confirm.title?.content, e.confirm.text?.content].filter(Boolean).join("\n"))) return;
    if (e.form_action_type === "reset") return reset(form);
    ctx.press(path, e.form_action_type === "submit" ? fields(form) : {});
  };
  return el("button", { type: "button", class: `button ${e.type || "default"} ${e.size || ""}`, disabled: e.disabled === true, onclick: press }, face);
}

function reset(form) {
  for (const input of form.querySelectorAll("input, select")) input.value = "";
}

function fields(form) {
  const found = {};
  for (const input of form ? form.querySelectorAll("[data-name]") : []) {
    if (input.type === "checkbox") found[input.dataset.name] = input.checked;
    else if (input.multiple) found[input.dataset.name] = [...input.selectedOptions].map((o) => o.value);
    else if (input.value !== "") found[input.dataset.name] = input.value;
  }
  return found;
}

function input(e, path, ctx) {
  const tag = e.input_type === "multiline_text" ? "textarea" : "input";
  const box = el(tag, {
    "data-name": e.name, placeholder: e.placeholder?.content, maxlength: e.max_length, disabled: e.disabled,
    "aria-label": e.label?.content || e.placeholder?.content || e.name, type: e.input_type === "password" ? "password" : tag === "input" ? "text" : undefined,
    onchange: (event) => !inForm(event) && ctx.press(path, { input_value: event.target.value }),
  });
  box.value = e.default_value || "";
  return el("label", { class: "field" }, e.label ? words(e.label, ctx) : null, box);
}

const inForm = (event) => event.target.closest("fieldset.form");

function select(e, path, ctx) {
  const options = (e.options || []).map((o) => el("option", { value: o.value, selected: o.value === e.initial_option }, words(o.text, ctx) || ctx.names[o.value] || o.value));
  const many = e.tag.startsWith("multi");
  const chosen = (event) => {
    if (inForm(event)) return;
    const all = [...event.target.selectedOptions].map((o) => o.value);
    ctx.press(path, many ? { options: all } : { option: all[0] });
  };
  const empty = many || e.initial_option ? null : el("option", { value: "", selected: true }, e.placeholder?.content || "请选择");
  return el("select", { "data-name": e.name, multiple: many, disabled: e.disabled, "aria-label": e.placeholder?.content || e.name, onchange: chosen }, empty, options);
}

function date(e, path, ctx) {
  const type = { date_picker: "date", picker_time: "time", picker_datetime: "datetime-local" }[e.tag];
  return el("input", { type, "data-name": e.name, "aria-label": e.placeholder?.content || e.name, onchange: (event) => !inForm(event) && ctx.press(path, { option: event.target.value }) });
}

function checker(e, path, ctx) {
  const tick = (event) => !inForm(event) && ctx.press(path, { checked: event.target.checked });
  return el("label", { class: "check" }, el("input", { type: "checkbox", "data-name": e.name, checked: e.checked, onchange: tick }), words(e.text, ctx));
}

function panel(e, path, ctx) {
  const key = ctx.key + path.join(".");
  const open = ctx.opened.has(key) ? ctx.opened.get(key) : e.expanded === true;
  const title = el("summary", {}, words(e.header?.title, ctx));
  const node = el("details", { open, ontoggle: (event) => event.target === node && ctx.opened.set(key, node.open) }, title, el("div", {}, children(e.elements || [], [...path, "elements"], ctx)));
  return node;
}

function cell(value, column, ctx) {
  if (value === null || value === undefined) return "";
  if (column.data_type === "number") return number(value, column.format || {});
  if (column.data_type === "date") return new Date(value).toLocaleString();
  if (column.data_type === "options") return (Array.isArray(value) ? value : [{ text: value }]).map((o) => el("span", { class: `tag c-${o.color || "neutral"}` }, o.text));
  if (column.data_type === "persons") return (Array.isArray(value) ? value : [value]).map((id) => el("span", { class: "at" }, "@" + (ctx.names[id] || id)));
  return column.data_type === "text" || !column.data_type ? String(value) : inline(String(value), ctx.names);
}

function number(value, format) {
  const digits = format.precision === undefined ? {} : { minimumFractionDigits: format.precision, maximumFractionDigits: format.precision };
  return (format.symbol || "") + Number(value).toLocaleString("en-US", { useGrouping: format.separator === true, ...digits });
}

function table(e, path, ctx) {
  const size = e.page_size || 5;
  const key = ctx.key + path.join(".") + "#page";
  const page = Math.min(ctx.opened.get(key) || 0, Math.max(0, Math.ceil(e.rows.length / size) - 1));
  const rows = e.rows.slice(page * size, page * size + size);
  const head = el("tr", {}, e.columns.map((c) => el("th", {}, c.display_name || c.name)));
  const body = rows.map((row) => el("tr", {}, e.columns.map((c) => el("td", {}, cell(row[c.name], c, ctx)))));
  const turn = (by) => () => (ctx.opened.set(key, page + by), ctx.again());
  const pages = e.rows.length > size
    ? el("div", { class: "pages" }, el("button", { type: "button", disabled: page === 0, onclick: turn(-1) }, "‹"), `${page + 1}/${Math.ceil(e.rows.length / size)}`, el("button", { type: "button", disabled: (page + 1) * size >= e.rows.length, onclick: turn(1) }, "›"))
    : null;
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, body)), pages);
}

function columns(e, path, ctx) {
  const parts = (e.columns || []).map((c, n) => el("div", { class: "column w" + Math.min(5, c.width === "auto" ? 0 : c.weight || 1) }, children(c.elements || [], [...path, "columns", n, "elements"], ctx)));
  return el("div", { class: `columns ${e.flex_mode || "none"}` }, parts);
}

const person = (id, ctx) => el("span", { class: "at" }, "@" + (ctx.names[id] || id));

function sized(node, size) {
  if (/^(heading|notation)/.test(size || "")) node.classList.add(size.startsWith("heading") ? "large" : "small");
  return node;
}

const MAKERS = {
  markdown: (e, path, ctx) => sized(markdown(e.content, ctx.names), e.text_size),
  plain_text: (e, path, ctx) => el("p", {}, words(e, ctx)),
  lark_md: (e, path, ctx) => el("p", {}, words(e, ctx)),
  div: (e, path, ctx) => sized(el("div", { class: e.text?.text_color ? `c-${e.text.text_color}` : "" }, words(e.text, ctx), (e.fields || []).map((f) => el("div", { class: "piece" }, words(f.text, ctx)))), e.text?.text_size),
  hr: () => el("hr"),
  img: (e, path, ctx) => el("div", { class: "picture" }, picture(e.img_key, e.alt?.content || ""), e.title ? words(e.title, ctx) : null),
  img_combination: (e) => el("div", { class: "picture" }, (e.img_list || []).map((i) => picture(i.img_key))),
  person: (e, path, ctx) => person(e.user_id, ctx),
  person_list: (e, path, ctx) => el("div", {}, (e.persons || []).map((p) => person(p.id, ctx))),
  table,
  chart: (e) => chart(e.chart_spec || {}),
  column_set: columns,
  collapsible_panel: panel,
  interactive_container: (e, path, ctx) => el("div", { class: "container", role: "button", tabindex: 0, onclick: (event) => !event.target.closest("button,a,input,select") && callback(e) && ctx.press(path, {}) }, children(e.elements || [], [...path, "elements"], ctx)),
  form: (e, path, ctx) => el("fieldset", { class: "form" }, children(e.elements || [], [...path, "elements"], ctx)),
  button,
  input,
  select_static: select,
  multi_select_static: select,
  select_person: select,
  multi_select_person: select,
  overflow: select,
  date_picker: date,
  picker_time: date,
  picker_datetime: date,
  checker,
  note: (e, path, ctx) => el("small", {}, (e.elements || []).map((t) => words(t, ctx))),
  action: (e, path, ctx) => el("div", { class: "columns flow" }, children(e.actions || [], [...path, "actions"], ctx)),
};
