// One word: who its neighbours were before training and are after it, and which pairs it stands in.

import { get } from "./api.js";
import { ask, card, el, heading, number, ordinal, pairQuery, rows, times } from "./dom.js";

export async function wordView(meant) {
  const told = await get("word", { word: meant.words[0] });
  return [
    heading("Word", told.word, `The ${ordinal(told.rank)} most frequent word of the text; it occurs ${times(told.count)}.`),
    el("div", { class: "columns two" },
      told.before ? neighbours("Before training", "the vectors that training started from", told.before, "after") : null,
      neighbours("After training", "the vectors that carry relations", told.after, told.before ? "before" : null)),
    told.partners.length ? card("Stands in pairs with", "the pairs that meet far more often than by chance",
      el("div", { class: "chips" }, told.partners.map((pair) => {
        const chip = ask(pairQuery(pair.first, pair.second), [pair.first, el("span", { class: "join" }, " – "), pair.second], "chip");
        chip.append(el("small", {}, number(pair.sentences)));
        return chip;
      }))) : null,
  ].filter(Boolean);
}

function neighbours(title, note, found, other) {
  return card(title, note, rows(found.map((one, at) => ({
    label: ask(one.word),
    share: one.score / (found[0].score || 1),
    value: one.score.toFixed(3),
    extra: other ? place(one.other_place, at + 1, other) : null,
  }))));
}

function place(there, here, other) {
  if (there === here) return el("span", { class: "same", title: `${ordinal(there)} ${other}, too` }, "=");
  const better = other === "before" ? there > here : there < here;
  const told = other === "before" ? `was ${ordinal(there)} before` : `is ${ordinal(there)} after`;
  return el("span", { class: better ? "up" : "down", title: told }, there > 999 ? "far" : ordinal(there));
}
