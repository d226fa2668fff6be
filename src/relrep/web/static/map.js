// A relation as a map: each point is a pair, placed by the difference of its two words' vectors.

import { get } from "./api.js";
import { address, card, el, pairQuery, svg } from "./dom.js";

const MARGIN = 22;
const LABELLED = 14;

export function mapCard(path, parameters, title) {
  const frame = el("div", { class: "map" });
  const note = el("p", { class: "note" }, "\u00a0");
  const section = card(title, null, note, frame);
  get(path, parameters).then((found) => {
    if (found.points.length < 3) return section.remove();
    const share = Math.round(found.shown * 100);
    note.textContent = `differences of word vectors; these two axes show ${share} % of their spread`;
    const draw = () => frame.clientWidth && frame.replaceChildren(drawing(found.points, frame.clientWidth), key(found.points));
    let width = 0;
    new ResizeObserver(() => {
      if (frame.clientWidth !== width) {
        width = frame.clientWidth;
        draw();
      }
    }).observe(frame);
  }).catch(() => section.remove());
  return section;
}

function key(points) {
  const roles = [["query", "this pair"], ["alike", "related alike"], ["other", "other pairs"]];
  return el("p", { class: "key" }, roles.filter(([role]) => points.some((point) => point.role === role))
    .map(([role, text]) => el("span", { class: role }, text)));
}

function drawing(points, width) {
  const height = Math.round(Math.min(width * 0.82, 460));
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const scale = (value, values, low, high) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return most > least ? low + ((value - least) / (most - least)) * (high - low) : (low + high) / 2;
  };
  const placed = points.map((point) => ({
    ...point,
    left: scale(point.x, xs, MARGIN, width - MARGIN),
    top: scale(point.y, ys, height - MARGIN, MARGIN),
  }));
  const tip = svg("g", { class: "tip", "aria-hidden": "true" });
  const marks = [...placed].reverse().map((point) => mark(point, tip, width));
  const labels = svg("g", { class: "labels", "aria-hidden": "true" }, placeLabels(placed, width, height));
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Map of pairs" }, marks, labels, tip);
}

function mark(point, tip, width) {
  const query = pairQuery(point.first, point.second);
  const name = `${point.first} – ${point.second}`;
  const radius = { query: 7, alike: 5, other: 3.5 }[point.role];
  const link = svg(
    "a",
    { href: address(query), "data-q": query, class: `point ${point.role}`, "aria-label": name, tabindex: point.role === "other" ? "-1" : null },
    svg("circle", { class: "reach", cx: point.left, cy: point.top, r: 11 }),
    svg("circle", { cx: point.left, cy: point.top, r: radius }),
  );
  const show = () => showTip(tip, point, name, width);
  const hide = () => tip.replaceChildren();
  link.addEventListener("pointerenter", show);
  link.addEventListener("pointerleave", hide);
  link.addEventListener("focus", show);
  link.addEventListener("blur", hide);
  return link;
}

function showTip(tip, point, name, width) {
  const text = svg("text", { y: point.top < 40 ? point.top + 27 : point.top - 16, "text-anchor": "middle" }, name);
  const box = svg("rect", { rx: 6 });
  tip.replaceChildren(box, text);
  const half = text.getComputedTextLength() / 2 + 9;
  const x = Math.max(half + 2, Math.min(width - half - 2, point.left));
  text.setAttribute("x", x);
  const attributes = { x: x - half, y: Number(text.getAttribute("y")) - 16, width: 2 * half, height: 23 };
  for (const [attribute, value] of Object.entries(attributes)) box.setAttribute(attribute, value);
}

/** Names for the first points, each where it covers no other name and no point; some go without. */
function placeLabels(points, width, height) {
  const taken = points.filter((point) => point.role !== "other").map(({ left, top }) => ({ x: left - 6, y: top - 6, w: 12, h: 12 }));
  const free = (box) => box.x > 2 && box.x + box.w < width - 2 && box.y > 2 && box.y + box.h < height - 2 &&
    taken.every((other) => box.x + box.w < other.x || other.x + other.w < box.x || box.y + box.h < other.y || other.y + other.h < box.y);
  const labels = [];
  for (const point of points.filter((one) => one.role !== "other")) {
    if (labels.length === LABELLED) break;
    const text = `${point.first} – ${point.second}`;
    const w = text.length * 6.4 + 4;
    const spots = [[point.left + 10, point.top - 8], [point.left - 10 - w, point.top - 8], [point.left - w / 2, point.top - 24], [point.left - w / 2, point.top + 9]];
    const spot = spots.map(([x, y]) => ({ x, y, w, h: 16 })).find(free);
    if (!spot) continue;
    taken.push(spot);
    labels.push(svg("text", { x: spot.x + w / 2, y: spot.y + 12, "text-anchor": "middle", class: point.role }, text));
  }
  return labels;
}
