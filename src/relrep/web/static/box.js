// The search box: suggestions while typing, chosen with arrows and Enter or the pointer; “/” comes here from anywhere.

import { get } from "./api.js";
import { el } from "./dom.js";

const input = document.getElementById("q");
const list = document.getElementById("suggestions");
let chosen = -1;
let shown = [];
let asking = new AbortController();
let timer = 0;

export function setUpBox(submit) {
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, 70);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!shown.length) return;
      event.preventDefault();
      choose(event.key === "ArrowDown" ? chosen + 1 : chosen - 1);
    } else if (event.key === "Escape") {
      close();
    }
  });
  input.addEventListener("blur", close);
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[data-query]");
    if (option) accept(option.dataset.query, submit);
  });
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    accept(chosen >= 0 ? shown[chosen].query : input.value, submit);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
}

export function setQuery(query) {
  input.value = query;
  close();
}

export const focusBox = () => input.focus({ preventScroll: true });

function accept(query, submit) {
  close();
  input.value = query;
  if (query.trim()) {
    input.blur();
    submit(query.trim());
  }
}

async function suggest() {
  const typed = input.value;
  if (!typed.trim()) return close();
  asking.abort();
  asking = new AbortController();
  try {
    const found = await get("suggest", { q: typed }, { signal: asking.signal });
    if (input.value === typed && document.activeElement === input) open(found.filter((one) => one.query !== typed));
  } catch {
    close();
  }
}

function open(found) {
  shown = found;
  chosen = -1;
  list.replaceChildren(
    ...found.map((one, at) =>
      el(
        "li",
        { role: "option", id: `suggestion-${at}`, "aria-selected": "false", "data-query": one.query },
        el("span", {}, one.query),
        one.what ? el("small", {}, one.what) : null,
      ),
    ),
  );
  list.hidden = !found.length;
  input.setAttribute("aria-expanded", String(!list.hidden));
  input.removeAttribute("aria-activedescendant");
}

function close() {
  clearTimeout(timer);
  asking.abort();
  open([]);
}

function choose(at) {
  chosen = at < -1 ? shown.length - 1 : at >= shown.length ? -1 : at;
  [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === chosen)));
  if (chosen >= 0) {
    input.setAttribute("aria-activedescendant", `suggestion-${chosen}`);
    list.children[chosen].scrollIntoView({ block: "nearest" });
  } else {
    input.removeAttribute("aria-activedescendant");
  }
}
