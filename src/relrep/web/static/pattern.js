// A pattern: the pairs it joins, and the patterns most like it in use.

import { get } from "./api.js";
import { ask, card, el, heading, nothing, number, pairQuery, plural, rows } from "./dom.js";
import { mapCard } from "./map.js";

export async function patternView(meant) {
  const asked = { text: meant.pattern.text, is_whole: meant.pattern.is_whole, is_reversed: meant.pattern.is_reversed };
  const told = await answer(asked);
  const { pattern } = told;
  const exact = { text: pattern.text, is_whole: pattern.is_whole, is_reversed: asked.is_reversed };
  const others = told.others.map((other) => ask(other.label, other.label, "chip small"));
  const top = Math.max(1e-9, ...told.pairs.map((pair) => pair.weight));
  return [
    heading("Pattern", shape(pattern, asked.is_reversed), `It joins ${plural(pattern.pairs, "pair", "pairs")} and occurs ${number(pattern.occurrences)} times between bound pairs.`),
    others.length ? el("div", { class: "chips readings" }, el("span", {}, "Other readings"), others) : null,
    el("div", { class: "split" },
      el("div", { class: "stack" },
        card("Pairs that it joins", "the most telling first; the number is how often", told.pairs.length
          ? rows(told.pairs.map((pair) => ({
              label: ask(pairQuery(pair.first, pair.second), [pair.first, el("span", { class: "join" }, " – "), pair.second]),
              share: pair.weight / top,
              value: number(pair.count),
            })), "two-wide")
          : nothing("None of the bound pairs."))),
      el("div", { class: "stack" }, mapCard("pattern/map", exact, "Its pairs on a map"))),
    similar("Similar in use", "they join the same pairs", told.neighbours),
  ].filter(Boolean);
}

/** A reading that the model does not have (a whole midfix, say) falls back on any reading of the text. */
async function answer(asked) {
  try {
    return await get("pattern", asked);
  } catch (error) {
    if (error.status !== 400 || (asked.is_whole === null && asked.is_reversed === null)) throw error;
    return await get("pattern", { text: asked.text });
  }
}

function shape(pattern, isReversed) {
  const [left, right] = isReversed ? ["Y", "X"] : ["X", "Y"];
  const dots = pattern.is_whole ? " " : " … ";
  return [el("span", { class: "slot" }, left), dots, pattern.text, dots, el("span", { class: "slot" }, right)];
}

function similar(title, note, found) {
  return card(title, note, found.length
    ? rows(found.map((one) => ({ label: ask(one.label), share: one.score / (found[0].score || 1), value: one.score.toFixed(3) })))
    : nothing("None."));
}
