// The state is the address: ?q=… says what is shown. Links, the box and the back button all end in `show`.

import { ApiError, get } from "./api.js";
import { analogyView } from "./analogy.js";
import { focusBox, setQuery, setUpBox } from "./box.js";
import { address, ask, el, heading, number } from "./dom.js";
import { pairView } from "./pair.js";
import { patternView } from "./pattern.js";
import { startView } from "./start.js";
import { wordView } from "./word.js";

const VIEWS = { analogy: analogyView, pair: pairView, word: wordView, pattern: patternView };
const view = document.getElementById("view");
const progress = document.getElementById("progress");
let turn = 0;

const queryOfAddress = () => (new URLSearchParams(location.search).get("q") ?? "").slice(0, 200);

function go(query) {
  if (query !== queryOfAddress()) history.pushState({}, "", address(query));
  show(query, true);
}

async function show(query, moved) {
  const mine = ++turn;
  const isCurrent = () => mine === turn;
  setQuery(query);
  progress.className = "busy";
  let content;
  try {
    content = query ? await answer(query, isCurrent) : startView();
  } catch (error) {
    if (!(error instanceof ApiError)) console.error(error);
    content = sorry(query, error);
  }
  if (!isCurrent()) return;
  progress.className = "";
  document.title = query ? `${query} · relrep` : "relrep explorer";
  document.body.classList.toggle("is-start", !query);
  view.replaceChildren(...content);
  if (moved) {
    scrollTo(0, 0);
    if (query) view.focus({ preventScroll: true });
  }
  if (!query && matchMedia("(hover: hover)").matches) focusBox();
}

async function answer(query, isCurrent) {
  const meant = await get("interpret", { q: query });
  const content = await VIEWS[meant.kind](meant, isCurrent);
  if (meant.also) {
    const also = meant.kind === "pattern" ? "the pair of words" : "the pattern";
    content.push(el("p", { class: "also" }, "Or did you mean ", also, " ", ask(meant.also), "?"));
  }
  return content;
}

function sorry(query, error) {
  const content = [heading("No answer", "That did not work out", sentence(error.message))];
  const unknown = Object.entries(error.unknown ?? {});
  if (unknown.length > 1 && unknown.every(([, close]) => close.length)) {
    const mended = unknown.reduce((whole, [word, close]) => replaceWord(whole, word, close[0]), query);
    content.push(el("div", { class: "chips did-you-mean" }, el("span", {}, "Did you mean"), ask(mended, mended, "chip")));
  }
  for (const [word, close] of unknown) {
    if (!close.length) continue;
    const instead = close.map((other) => ask(replaceWord(query, word, other), other, "chip"));
    content.push(el("div", { class: "chips did-you-mean" }, el("span", {}, `Instead of “${word}”, did you mean`), instead));
  }
  content.push(el("p", { class: "also" }, ask("", "Some questions to begin with")));
  return content;
}

const replaceWord = (query, word, other) =>
  query.split(/(\s+)/).map((part) => (part.replace(/[:?]+$/, "") === word ? other : part)).join("");

function sentence(text) {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(full) ? full : `${full}.`;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-q]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute("data-q"));
});
addEventListener("popstate", () => show(queryOfAddress(), false));
setUpBox(go);
show(queryOfAddress(), false);

get("model", {}, { keep: false }).then((model) => {
  const parts = [
    model.name,
    `${number(model.words)} words × ${number(model.dimensions)} dimensions`,
    model.pairs ? `${number(model.pairs)} pairs` : null,
    model.patterns ? `${number(model.patterns)} patterns` : null,
    model.tokens ? `${number(model.tokens)} tokens of text` : "no text kept",
  ];
  document.getElementById("facts").replaceChildren(
    el("span", {}, parts.filter(Boolean).join(" · ")),
    el("a", { href: "/openapi.json" }, "API"),
  );
}).catch(() => {});
