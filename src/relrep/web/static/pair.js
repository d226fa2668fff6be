// Two words: the patterns that say how they are related, pairs related alike, sentences, a map.

import { get } from "./api.js";
import { ask, card, el, heading, nothing, number, pairQuery, rows, times } from "./dom.js";
import { mapCard } from "./map.js";

export async function pairView(meant) {
  const [first, second] = meant.words;
  const told = await get("pair", { first, second });
  return [
    heading("Pair", [ask(told.first), el("span", { class: "join" }, " – "), ask(told.second)], lead(told), " ",
      ask(pairQuery(told.second, told.first), "Turn round", "quiet")),
    el("div", { class: "split" },
      el("div", { class: "stack" }, patterns(told), examples(told)),
      el("div", { class: "stack" }, mapCard("map", { first: told.first, second: told.second }, "The relation on a map"), related(told))),
    told.has_text && told.meetings + told.meetings_reversed ? allLines(told) : null,
  ].filter(Boolean);
}

/** All lines in which the two meet, sorted as asked for, in pages. */
function allLines(told) {
  const shown = el("div", {});
  const show = async (order, page) => {
    const found = await get("concordance", { first: told.first, second: told.second, order, page });
    const button = (label, to, which, off) => el("button", { type: "button", class: "quiet", disabled: off, onclick: () => show(to, which) }, label);
    shown.replaceChildren(
      el("p", { class: "note" }, `${number(found.total)} lines, page ${found.page} of ${found.pages}; sorted by `,
        ["text", "left", "right"].map((each) => button(each, each, 1, each === order)),
        button("back", order, page - 1, page <= 1), button("next", order, page + 1, page >= found.pages)),
      el("table", { class: "kwic" }, el("tbody", {}, found.lines.map((line) => el("tr", { title: line.source ? `${line.source}, line ${line.line}` : null },
        el("td", { class: "left" }, el("span", {}, line.left)), el("td", { class: "middle" }, line.words), el("td", {}, line.right))))),
      found.by_source.length > 1 ? el("p", { class: "note" }, "By source: ", found.by_source.slice(0, 8).map(([source, count]) => `${source.split("/").pop()} ${number(count)}`).join(", ")) : null,
    );
  };
  show("text", 1);
  return card("All lines", null, shown);
}

function lead(told) {
  if (!told.has_text) return "The model keeps no text: patterns and pairs are those of its relation table.";
  const total = told.meetings + told.meetings_reversed;
  if (!total) return "The two never meet in the text; what follows is inferred from pairs related alike.";
  return `They meet ${times(total)}: ${number(told.meetings)} as ${told.first} … ${told.second}, ${number(told.meetings_reversed)} the other way round.`;
}

function patterns(told) {
  if (!told.patterns.length) return card("What joins them", null, nothing("Nothing that pairs related alike share."));
  const top = told.patterns[0].score || 1;
  const section = card("What joins them", "how often between the two · share of the pairs most alike", rows(told.patterns.map((one) => ({
    label: [ask(one.label, words(told, one)), one.count ? null : el("span", { class: "faint" }, " inferred")],
    share: one.score / top,
    value: `${number(one.count)} · ${Math.round(100 * one.support)} %`,
  })), "patterns"));
  return section;
}

function words(told, one) {
  const [left, right] = one.is_reversed ? [told.second, told.first] : [told.first, told.second];
  const dots = one.is_whole ? " " : " … ";
  return [el("span", { class: "faint" }, left), dots, el("span", { class: "midfix" }, one.text), dots, el("span", { class: "faint" }, right)];
}

function examples(told) {
  if (!told.examples.length) return null;
  return card("In the text", null, el("ul", { class: "examples" }, told.examples.map((example) => {
    const spans = [example.first, example.second].sort((one, other) => one[0] - other[0]);
    const [[a, b], [c, d]] = spans;
    const text = example.text;
    const source = example.source ? el("span", { class: "faint" }, ` ${example.source.split("/").pop()}, line ${example.line}`) : null;
    return el("li", {}, text.slice(0, a), el("mark", {}, text.slice(a, b)), text.slice(b, c), el("mark", {}, text.slice(c, d)), text.slice(d), source);
  })));
}

function related(told) {
  if (!told.alike.length) return null;
  return card("Related alike", "by vectors and text together", rows(told.alike.map((one) => ({
    label: ask(pairQuery(one.first, one.second), [one.first, el("span", { class: "join" }, " – "), one.second]),
    share: one.score / (told.alike[0].score || 1),
    value: one.score.toFixed(3),
  }))));
}
