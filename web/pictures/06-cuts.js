// Chapter 6: four sentences on the line of one mixture, and two cuts that answer. A second head takes them off the line.

import { mix } from "./attention.js";
import { digits } from "./kit.js";

const FOUR = [[0, 0], [1, 0], [0, 1], [1, 1]]; // what the place and the person mean: 0 money, 1 water
const [LEAST, MOST] = [-0.1, 1.1]; // how far a cut can go
const ONE_SIDED = 0.98;
const SAME = 0.03;

const share = (label, shown) => ({ name: label.name, label: label.words, min: label.min, max: label.max, step: 0.01, ...shown, words: (state, { right }) => `Value ${digits(state[label.name])}, ${right} of 4 sentences right` });
const isTwo = ({ heads }) => heads === "two";

export const controls = [
  share({ name: "weight", words: "Weight of the place", min: 0, max: 1 }),
  share({ name: "place", words: "Cut for the place", min: LEAST, max: MOST }),
  share({ name: "person", words: "Cut for the person", min: LEAST, max: MOST }),
  { name: "heads", label: "Heads", choices: { one: "One head", two: "Two heads" } },
  share({ name: "second", words: "Weight of the place in head 2", min: 0, max: 1 }, { isShown: isTwo }),
  { name: "said", asks: true, label: "Say first how many of the four one head can get right", choices: { unsaid: "…", two: "2", three: "3", four: "4" } },
];

export function start({ weight, cuts }) {
  return { weight, place: cuts[0], person: cuts[1], heads: "one", second: weight, said: "unsaid" };
}

export function compute(state) {
  const weights = [state.weight, isTwo(state) ? state.second : state.weight].map((w) => [w, 1 - w]);
  const points = FOUR.map((bits) => mix(weights, bits.map((bit) => [bit])).flat());
  const said = points.map(([a, b]) => [Number(a > state.place), Number(b > state.person)]);
  return { weights, points, said, right: said.filter((row, i) => row.every((bit, k) => bit === FOUR[i][k])).length };
}

export const goal = {
  words: "Get all four sentences right.",
  isThere: (_, { right }) => right === 4,
  isReached: ({ said }, { right }) => said === "three" && right === 4,
};

export const legend = [
  ["disc", "query", "Sentence, by its number"], ["line", "weights", "Cut, with water to its right or above it"],
];

export function say(state, { weights, points, right }) {
  const [one, two] = weights.map(([place]) => place);
  if (right === 4) return `All four are right. Head 1 gives the place ${digits(one)}, head 2 gives it ${digits(two)}, and each cut has a number of its own.`;
  if (isTwo(state) && Math.abs(one - two) < SAME) return `Both heads ask the same question, so the points are still on one line: ${right} of 4 right. What should head 2 ask?`;
  if (isTwo(state)) return `Two heads bring back two numbers, so the points have left their line: ${right} of 4 right.`;
  if (right === 3) return "Three of four. Two cuts make three parts of the line, each with one answer, and there are four sentences.";
  if (one > ONE_SIDED || one < 1 - ONE_SIDED) return `All the weight is on one word, so nothing is known of the other: ${right} of 4 right.`;
  if (Math.abs(one - 0.5) < SAME / 2) return `With equal weights, sentences 2 and 3 are hardly apart, although their answers differ: ${right} of 4 right.`;
  return `Sentence 2 is at ${digits(points[1][0])} and sentence 3 at ${digits(points[2][0])}: ${right} of 4 right. Between which points does each cut belong?`;
}

/** Where things are, in pixels: the bars of the weights, then the line or the square, then a row for each sentence. */
function layout(width, state) {
  const [left, wide] = [24, width - 48];
  const side = Math.min(240, wide - 40);
  const top = isTwo(state) ? 170 : 112;
  const along = (x) => (x - LEAST) / (MOST - LEAST);
  const toX = isTwo(state) ? (x) => left + 30 + along(x) * side : (x) => left + along(x) * wide;
  const toY = (y) => top + (1 - along(y)) * side;
  return { left, wide, side, top, toX, toY, rows: isTwo(state) ? top + side + 40 : top + 90 };
}

export function grab(x, y, { width, state, handle }) {
  const { left, wide, side, top, toX } = layout(width, state);
  const near = (value) => Math.round(100 * value) / 100;
  if (handle === "weight" || handle === "second") return { [handle]: near((x - left) / wide) };
  if (handle === "person" && isTwo(state)) return { person: near(MOST - ((y - top) / side) * (MOST - LEAST)) };
  const [low, high] = [toX(LEAST), toX(MOST)];
  return { [handle]: near(LEAST + ((x - low) / (high - low)) * (MOST - LEAST)) };
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { weights, points } = outputs;
  const { left, wide, side, top, toX, toY, rows } = layout(width, state);
  const said = (word) => words(word).toLowerCase();
  const round = (x) => Math.round(10 * x) / 10;
  const text = (x, y, content, kind, anchor = "middle") => make("text", { x: round(x), y: round(y), class: kind, "text-anchor": anchor }, content);
  const line = (x1, y1, x2, y2, kind) => make("line", { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), class: kind });
  const halo = (x, y, name) => make("circle", { cx: round(x), cy: round(y), r: 22, class: "halo", "data-handle": name });
  const dot = (x, y) => make("circle", { cx: round(x), cy: round(y), r: 6, class: "query" });
  const bar = ([place, person], y, name, head) => {
    const split = left + place * wide;
    return [
      text(left, y - 8, `${head}: ${said("Place")} ${digits(place)}, ${said("Person")} ${digits(person)}`, "query", "start"),
      make("rect", { x: left, y, width: round(place * wide), height: 16, class: "cell", "fill-opacity": 0.55, "data-share": name }),
      make("rect", { x: round(split), y, width: round(person * wide), height: 16, class: "cell", "fill-opacity": 0.18 }),
      line(split, y - 4, split, y + 20, "query"),
      halo(split, y + 8, name),
    ];
  };
  const sheet = isTwo(state) ? drawSquare() : drawLine();
  const table = FOUR.map((bits, i) => {
    const answer = outputs.said[i].map((bit) => said(["Money", "Water"][bit])).join(", ");
    const isRight = outputs.said[i].every((bit, k) => bit === bits[k]);
    return text(left, rows + 22 * i, `${i + 1}  ${inputs.places[bits[0]]}, ${inputs.people[bits[1]]}: ${answer} ${isRight ? "✓" : "✗"}`, isRight ? "answer written" : "answer", "start");
  });

  function drawLine() {
    const away = [[0, -16], [0, -32], [0, 28], [0, 44]]; // so that names of sentences on one spot don't hide each other
    const [x, y] = [toX(state.place), toX(state.person)];
    return [
      ...bar(weights[0], 26, "weight", inputs.asks),
      line(left, top, left + wide, top, "axis"),
      line(x, top - 40, x, top + 30, "flow"), text(x, top - 46, said("Place"), "weight"),
      line(y, top - 30, y, top + 40, "flow"), text(y, top + 58, said("Person"), "weight"),
      ...points.flatMap(([a], i) => [dot(toX(a), top), text(toX(a) + away[i][0], top + away[i][1], i + 1, "letter")]),
      text(left, top + 58, said("Money"), "heading", "start"), text(left + wide, top + 58, said("Water"), "heading", "end"),
      halo(x, top - 40, "place"), halo(y, top + 40, "person"),
    ];
  }

  function drawSquare() {
    const away = [[-14, 16], [14, 16], [-14, -8], [14, -8]];
    const [x, y] = [toX(state.place), toY(state.person)];
    const [low, high] = [toX(LEAST), toX(MOST)];
    return [
      ...bar(weights[0], 26, "weight", said("Head 1")),
      ...bar(weights[1], 90, "second", said("Head 2")),
      line(low, top + side, high, top + side, "axis"), line(low, top, low, top + side, "axis"),
      text(left, top + side + 18, words("From money to water: head 1 to the right, head 2 upwards"), "heading", "start"),
      line(x, top, x, top + side, "flow"), text(x, top - 8, said("Place"), "weight"),
      line(low, y, high, y, "flow"), text(high + 26, y + 5, said("Person"), "weight", "start"),
      ...points.flatMap(([a, b], i) => [dot(toX(a), toY(b)), text(toX(a) + away[i][0], toY(b) + away[i][1], i + 1, "letter")]),
      halo(x, top + 4, "place"), halo(high, y, "person"),
    ];
  }

  return { height: rows + 22 * 3 + 12, parts: [...sheet, ...table] };
}
