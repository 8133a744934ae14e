// Builds elements. Text only ever becomes text nodes: nothing of a message is read as HTML.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children.flat(9));
  return node;
}

export const $ = (id) => document.getElementById(id);

// Only web addresses become links.
export function link(address, ...children) {
  if (!/^https?:\/\//i.test(address)) return el("span", { class: "dead-link", title: address }, ...children);
  return el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

export const picture = (key, alt = "") => el("img", { src: "/sandbox/blob/" + encodeURIComponent(key), alt, loading: "lazy" });

export async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: body instanceof Blob ? {} : { "Content-Type": "application/json" },
    body: body instanceof Blob ? body : JSON.stringify(body),
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error || String(answer.status));
  return data;
}
