// An analogy: candidates under the three measures side by side, and what the corpus says about them.

import { get } from "./api.js";
import { ask, card, el, heading, nothing, number, ordinal, pairQuery, rows } from "./dom.js";

const FORMULAS = {
  cosadd: "cos(b − a + c, d)",
  cosmult: "cos(b, d) · cos(c, d) ÷ cos(a, d)",
  pairdiff: "cos(b − a, d − c)",
};
const WAIT = 2500;

export async function analogyView(meant, isCurrent) {
  const [a, b, c] = meant.words;
  const found = await get("analogy", { a, b, c });
  const corpus = el("section", { class: "card corpus", hidden: true });
  const columns = el(
    "div",
    { class: "columns" },
    found.columns.map((column) => measureCard(column, found, meant.answer)),
  );
  highlightTogether(columns, corpus);
  fillCorpus(corpus, found, isCurrent);
  return [
    heading(
      "Analogy",
      [ask(found.a), " is to ", ask(found.b), " as ", ask(found.c), " is to ", answerOf(found)],
      agreement(found),
    ),
    columns,
    corpus,
    el("p", { class: "also" }, "How are ", ask(pairQuery(found.a, found.b), `${found.a} and ${found.b}`), " related? And ",
      ask(pairQuery(found.c, best(found)), `${found.c} and ${best(found)}`), "?"),
  ];
}

const best = (found) => found.columns[0].candidates[0]?.word ?? "";
const answerOf = (found) => el("strong", { class: "answer" }, best(found) ? ask(best(found)) : "…");

function agreement(found) {
  const firsts = found.columns.map((column) => column.candidates[0]?.word);
  const different = new Set(firsts);
  if (different.size === 1) return "All three measures agree.";
  const said = [...different].map((word) => [
    found.columns.filter((column) => column.candidates[0]?.word === word).map((column) => column.title).join(" and "),
    " say", found.columns.filter((column) => column.candidates[0]?.word === word).length === 1 ? "s " : " ",
    el("em", {}, word),
  ]);
  return said.flatMap((one, at) => (at ? ["; ", one] : [one])).concat(".");
}

function measureCard(column, found, answer) {
  const top = column.candidates[0]?.score || 1;
  const place = answer ? column.candidates.findIndex((one) => one.word === answer) : -1;
  const told = answer ? (place < 0 ? ` “${answer}” is not among them.` : ` “${answer}” comes ${ordinal(place + 1)}.`) : "";
  return card(
    column.title,
    [el("span", { class: "formula" }, FORMULAS[column.name] ?? ""), told],
    column.candidates.length
      ? rows(column.candidates.map((one) => ({
          label: ask(pairQuery(found.c, one.word), one.word),
          share: one.score / top,
          value: one.score.toFixed(3),
          word: one.word,
          marked: one.word === answer,
        })))
      : nothing("No word is left to answer."),
  );
}

async function fillCorpus(corpus, found, isCurrent) {
  let told;
  do {
    if (told) await new Promise((done) => setTimeout(done, WAIT));
    if (told && !(isCurrent() && corpus.isConnected)) return;
    told = await get("analogy/corpus", { a: found.a, b: found.b, c: found.c }, { keep: false }).catch(() => ({ state: "none" }));
    corpus.hidden = told.state === "none";
    if (told.state === "preparing") {
      corpus.replaceChildren(el("h2", {}, "CosMix"), el("p", { class: "note" }, "reads the text, too"),
        nothing("The text is being read for the first time; this fills in by itself."));
    }
  } while (told.state === "preparing");
  if (told.state !== "ready") return;
  const top = told.candidates[0]?.score || 1;
  corpus.replaceChildren(
    el("h2", {}, told.title),
    el("p", { class: "note" }, `reads the text, too: CosAdd, and how alike ${found.a} … ${found.b} and ${found.c} … each candidate are joined in it`),
    rows(told.candidates.map((one, at) => ({
      label: ask(pairQuery(found.c, one.word), one.word),
      share: one.score / top,
      value: one.score.toFixed(3),
      extra: movement(one.rank_before, at + 1),
      word: one.word,
      below: evidence(one, found),
    })), "wide"),
  );
}

function movement(before, after) {
  if (before === after) return el("span", { class: "same", title: `also ${ordinal(after)} by CosAdd` }, "=");
  const up = before > after;
  return el("span", { class: up ? "up" : "down", title: `${ordinal(before)} by CosAdd` }, `${up ? "▲" : "▼"} ${Math.abs(before - after)}`);
}

function evidence(one, found) {
  if (!one.shared.length) return el("span", { class: "none" }, "no shared pattern in the text");
  return one.shared.map((pattern) => {
    const told = `${found.a}, ${found.b}: ${number(pattern.count_given)} × · ${found.c}, ${one.word}: ${number(pattern.count)} ×`;
    const link = ask(pattern.label, pattern.label, "chip small");
    link.title = told;
    link.append(el("small", {}, `${number(pattern.count_given)} · ${number(pattern.count)}`));
    return link;
  });
}

/** The same word lights up in all columns. */
function highlightTogether(...parts) {
  const light = (event) => {
    const word = event.type === "pointerleave" || event.type === "focusout" ? null : event.target.closest?.("[data-word]")?.dataset.word;
    for (const part of parts) {
      for (const row of part.querySelectorAll("[data-word]")) row.classList.toggle("lit", row.dataset.word === word);
    }
  };
  for (const part of parts) {
    for (const kind of ["pointerover", "pointerleave", "focusin", "focusout"]) part.addEventListener(kind, light);
  }
}
