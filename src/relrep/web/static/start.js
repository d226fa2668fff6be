// The first page: what can be asked, with examples that this model answers well.

import { get } from "./api.js";
import { ask, el } from "./dom.js";

const GROUPS = [
  ["analogies", "Analogies", "a is to b as c is to what?"],
  ["pairs", "Pairs", "how are two words related?"],
  ["words", "Words", "neighbours and collocates"],
  ["patterns", "Patterns", "what joins two words, in quotes"],
];

export function startView() {
  const groups = el("div", { class: "groups", "aria-busy": "true" });
  for (const [name, title, note] of GROUPS) {
    groups.append(
      el("section", { class: "group", id: `examples-${name}` }, el("h2", {}, title), el("p", { class: "note" }, note),
        el("div", { class: "chips" }, [5, 4, 6, 4].map((size) => el("span", { class: `chip ghost w${size}` })))),
    );
  }
  get("examples").then((examples) => {
    groups.removeAttribute("aria-busy");
    for (const [name] of GROUPS) {
      const group = groups.querySelector(`#examples-${name}`);
      if (examples[name].length) group.querySelector(".chips").replaceChildren(...examples[name].map((query) => ask(query, query, "chip")));
      else group.remove();
    }
  }).catch(() => groups.remove());
  return [
    el("div", { class: "hero" },
      el("h1", {}, "How are words related?"),
      el("p", { class: "lead" }, "Ask for an analogy, two words, one word, or a pattern that joins words. Every answer comes from the model and the text it was trained on.")),
    groups,
  ];
}
