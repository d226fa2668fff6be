// One word: its neighbours, and which pairs it stands in.

import { get } from "./api.js";
import { ask, card, el, heading, number, ordinal, pairQuery, rows, times } from "./dom.js";

export async function wordView(meant) {
  const told = await get("word", { word: meant.words[0] });
  return [
    heading("Word", told.word, `The ${ordinal(told.rank)} most frequent word of the text; it occurs ${times(told.count)}.`),
    card("Neighbours", "the words with the most similar vectors", rows(told.neighbours.map((one) => ({
      label: ask(one.word),
      share: one.score / (told.neighbours[0].score || 1),
      value: one.score.toFixed(3),
    })))),
    told.partners.length ? card("Stands in pairs with", "the pairs that meet far more often than by chance",
      el("div", { class: "chips" }, told.partners.map((pair) => {
        const chip = ask(pairQuery(pair.first, pair.second), [pair.first, el("span", { class: "join" }, " – "), pair.second], "chip");
        chip.append(el("small", {}, number(pair.meetings)));
        return chip;
      }))) : null,
  ].filter(Boolean);
}
