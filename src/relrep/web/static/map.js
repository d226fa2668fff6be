// A relation as a map: each point is a pair, placed by the difference of its two words' vectors.

import { get } from "./api.js";
import { address, card, el, pairQuery, svg } from "./dom.js";

const MARGIN = 22;
const LABELLED = 14;

export function mapCard(path, parameters, title) {
  const frame = el("div", { class: "map" });
  const note = el("p", { class: "note" }, "\u00a0");
  const zoom = el("button", { type: "button", hidden: true });
  const section = card("", null, note, frame);
  section.querySelector("h2").replaceWith(el("div", { class: "map-head" }, el("h2", {}, title), zoom));
  get(path, parameters).then((found) => {
    if (found.points.length < 3) return section.remove();
    note.textContent = `differences of word vectors; two axes, ${Math.round(found.shown * 100)} % of their spread`;
    let close = isCrowded(found.points);
    let width = 0;
    const draw = () => {
      zoom.textContent = close ? "Among other pairs" : "Closer";
      zoom.hidden = !found.points.some((point) => point.role === "other");
      frame.replaceChildren(drawing(found.points, frame.clientWidth, close), key(found.points));
    };
    zoom.addEventListener("click", () => {
      close = !close;
      draw();
    });
    new ResizeObserver(() => {
      if (frame.clientWidth && frame.clientWidth !== width) {
        width = frame.clientWidth;
        draw();
      }
    }).observe(frame);
  }).catch(() => section.remove());
  return section;
}

const isCore = (point) => point.role !== "other";

/** The stretch of one coordinate that holds nearly all points: one stray pair shall not shrink the rest. */
function stretch(points, name, spared) {
  const values = points.map((point) => point[name]).sort((a, b) => a - b);
  const cut = Math.floor(values.length * spared);
  return [values[cut], values[values.length - 1 - cut]];
}

/** Whether the relation's own pairs huddle in a corner of the whole map. */
function isCrowded(points) {
  const core = points.filter(isCore);
  if (core.length < 4) return false;
  const share = ["x", "y"].map((name) => {
    const [low, high] = stretch(core, name, 0.06);
    const [least, most] = stretch(points, name, 0);
    return most > least ? (high - low) / (most - least) : 1;
  });
  return share[0] * share[1] < 0.12;
}

function key(points) {
  const isPair = points.some((point) => point.role === "query");
  const roles = [["query", "this pair"], ["alike", isPair ? "related alike" : "joined by it"], ["other", "other pairs"]];
  return el("p", { class: "key" }, roles.filter(([role]) => points.some((point) => point.role === role))
    .map(([role, text]) => el("span", { class: role }, text)));
}

function drawing(points, width, close) {
  const height = Math.round(Math.min(width * 0.82, 460));
  const framed = close ? points.filter(isCore) : points;
  const place = (name, low, high) => {
    const [least, most] = stretch(framed, name, close ? 0.06 : 0);
    return (value) => (most > least ? low + ((value - least) / (most - least)) * (high - low) : (low + high) / 2);
  };
  const across = place("x", MARGIN * 2, width - MARGIN * 2);
  const down = place("y", height - MARGIN, MARGIN);
  const inside = ({ left, top }) => left > 4 && left < width - 4 && top > 4 && top < height - 4;
  const placed = points.map((point) => ({ ...point, left: across(point.x), top: down(point.y) })).filter(inside);
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
