// One word: its neighbours, what stands with it, and by what joins the two.

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
    told.collocates?.collocates.length ? card("Stands with", "by logDice; in so many sentences", rows(told.collocates.collocates.map((one) => ({
      label: ask(pairQuery(told.word, one.word), one.word),
      share: one.logdice / 14,
      value: number(one.meetings),
    })))) : null,
    told.collocates?.by_pattern.length ? card("By what joins them", `X is ${told.word}`, el("dl", { class: "sketch" },
      told.collocates.by_pattern.flatMap((joined) => [
        el("dt", {}, joined.text ? ask(joined.label) : joined.label),
        el("dd", { class: "chips" }, joined.collocates.map(([word, count]) => {
          const chip = ask(pairQuery(told.word, word), word, "chip");
          chip.append(el("small", {}, number(count)));
          return chip;
        })),
        ...(joined.example ? [el("dd", { class: "sentence faint" }, joined.example.text)] : []),
      ]))) : null,
  ].filter(Boolean);
}
