// Building the page. Text only ever enters as text nodes: what comes from a corpus cannot become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

export function el(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

export const address = (query) => (query ? `/?q=${encodeURIComponent(query).replaceAll("%20", "+")}` : "/");

/** A link to the answer of another query. */
export function ask(query, label, className) {
  return el("a", { href: address(query), "data-q": query, class: className }, label ?? query);
}

/** Two words as a query; a colon between them where they could be read as a pattern. */
export function pairQuery(first, second) {
  const plain = /^[\p{L}\p{N}'-]{4,}$/u;
  return plain.test(first) && plain.test(second) ? `${first} ${second}` : `${first} : ${second}`;
}

export const number = (value) => value.toLocaleString("en");
export const times = (count) => (count === 1 ? "once" : count === 2 ? "twice" : `${number(count)} times`);
export const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

export function ordinal(value) {
  const tens = value % 100;
  const ending = tens > 10 && tens < 14 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[value % 10] ?? "th");
  return number(value) + ending;
}

/** Head of a view: what it is, the thing itself, a sentence about it. */
export function heading(kind, title, ...lead) {
  return el("div", { class: "heading" }, el("p", { class: "eyebrow" }, kind), el("h1", {}, title), el("p", { class: "lead" }, lead));
}

export function card(title, note, ...content) {
  return el(
    "section",
    { class: "card" },
    el("h2", {}, title),
    note ? el("p", { class: "note" }, note) : null,
    content,
  );
}

/** A numbered list with bars: each row is { label, share (0 … 1), value, extra, below, word }. */
export function rows(entries, className = "") {
  return el(
    "ol",
    { class: `rows ${className}` },
    entries.map((entry) => {
      const bar = el("span", { class: "share", "aria-hidden": "true" });
      bar.style.setProperty("--share", Math.max(0, Math.min(1, entry.share ?? 0)).toFixed(3));
      return el(
        "li",
        { "data-word": entry.word ?? null, class: entry.marked ? "marked" : null },
        bar,
        el("span", { class: "label" }, entry.label),
        entry.extra ? el("span", { class: "extra" }, entry.extra) : null,
        el("span", { class: "value" }, entry.value),
        entry.below ? el("div", { class: "below" }, entry.below) : null,
      );
    }),
  );
}

export const nothing = (text) => el("p", { class: "nothing" }, text);
