// Two words: what stands between them in the text, in both directions; sentences; pairs related alike; a map.

import { get } from "./api.js";
import { ask, card, el, heading, nothing, number, pairQuery, plural, rows, times } from "./dom.js";
import { mapCard } from "./map.js";

export async function pairView(meant) {
  const [first, second] = meant.words;
  const told = await get("pair", { first, second });
  const related = el("div", { class: "stack" });
  fillRelated(related, told);
  return [
    heading("Pair", [ask(told.first), el("span", { class: "join" }, " – "), ask(told.second)], lead(told), " ",
      ask(pairQuery(told.second, told.first), "Turn round", "quiet")),
    el("div", { class: "split" },
      el("div", { class: "stack" },
        el("div", { class: "columns two" }, direction(told, told.forward, false), direction(told, told.backward, true)),
        examples(told),
        inferred(told)),
      el("div", { class: "stack" }, mapCard("map", { first: told.first, second: told.second }, "The relation on a map"), related)),
  ];
}

function lead(told) {
  const total = told.forward.meetings + told.backward.meetings;
  if (!told.seen && !told.has_text) return "The model keeps no text and did not mine this pair; what follows is inferred from the vectors.";
  if (!told.seen) return `The two never meet within ${told.max_gap} words of each other in the text; what follows is inferred from the vectors.`;
  const met = told.has_text ? `They meet ${times(total)} with at most ${told.max_gap} words between them.` : `They meet in ${plural(total, "sentence", "sentences")}.`;
  return told.mined ? met : `${met} That is too seldom to have been mined; it was read from the text just now.`;
}

function direction(told, evidence, backward) {
  const [left, right] = backward ? [told.second, told.first] : [told.first, told.second];
  const met = evidence.meetings ? times(evidence.meetings) : "never";
  const beside = evidence.adjacent ? `, ${times(evidence.adjacent)} side by side` : "";
  const read = evidence.read < evidence.meetings ? `; patterns from ${number(evidence.read)} of them` : "";
  const most = Math.max(1, ...evidence.phrases.map((one) => one.count));
  const section = card([left, el("span", { class: "join" }, " … "), right], met + beside + read);
  section.classList.add("direction");
  if (evidence.phrases.length) {
    section.append(rows(evidence.phrases.map((one) => ({
      label: [el("span", { class: "faint" }, `${left} `), ask(one.label, one.text, "midfix"), el("span", { class: "faint" }, ` ${right}`)],
      share: Math.log1p(one.count) / Math.log1p(most),
      value: number(one.count),
    })), "phrases"));
  }
  if (evidence.patterns.length) {
    section.append(el("h3", {}, "Telling parts"), el("div", { class: "chips" }, evidence.patterns.map((one) => {
      const chip = ask(one.label, one.text, "chip small");
      chip.title = `weight ${one.weight.toFixed(2)}, ${times(one.count)}`;
      chip.append(el("small", {}, number(one.count)));
      return chip;
    })));
  }
  if (!evidence.meetings) section.append(nothing("Not in this order."));
  else if (!evidence.phrases.length && !evidence.patterns.length) section.append(nothing("Only side by side, with nothing between."));
  return section;
}

function examples(told) {
  if (!told.examples.length) return null;
  return card("In the text", null, el("ul", { class: "examples" }, told.examples.map((example) => {
    const low = Math.max(0, Math.min(example.first, example.second) - 14);
    const high = Math.min(example.words.length, Math.max(example.first, example.second) + 15);
    const words = example.words.slice(low, high).flatMap((word, at) => {
      const place = low + at;
      const shown = place === example.first || place === example.second ? el("mark", {}, word) : word;
      return at ? [" ", shown] : [shown];
    });
    return el("li", {}, low || example.cut_left ? "… " : "", words, high < example.words.length || example.cut_right ? " …" : "");
  })));
}

function inferred(told) {
  if (!told.inferred.length) return null;
  const top = told.inferred[0].score || 1;
  const weak = Math.max(...told.inferred.map((one) => one.support)) < 0.1 ? " — a weak guess" : "";
  return card("Nearest patterns by the vectors", `inferred, not read: cos(u − v, p), and how many of the pairs most alike each really joins${weak}`, rows(told.inferred.map((one) => ({
    label: ask(one.label),
    share: one.score / top,
    value: `${one.score.toFixed(3)} · ${Math.round(100 * one.support)} %`,
  }))));
}

async function fillRelated(related, told) {
  const found = await get("related", { first: told.first, second: told.second }).catch(() => null);
  if (!found) return;
  const list = (pairs) => rows(pairs.map((one) => ({
    label: ask(pairQuery(one.first, one.second), [one.first, el("span", { class: "join" }, " – "), one.second]),
    share: one.score / (pairs[0].score || 1),
    value: one.score.toFixed(3),
  })));
  if (found.alike_in_text.length) related.append(card("Joined alike in the text", "pairs with the same patterns between them", list(found.alike_in_text)));
  if (found.alike.length) related.append(card("Related alike by the vectors", "pairs whose difference points the same way", list(found.alike)));
}
