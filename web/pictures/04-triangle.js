// Chapter 4: three letters, each with a key in the plane. A query is its own key, unless W_q is turned away from W_k.

import { attention } from "./attention.js";
import { digits } from "./kit.js";

const REACH = 2.2;
const LETTERS = ["A", "B", "C"];
const WANTED = [1, 2, 0]; // A attends to B, B to C, C to A

const toVector = (angle, length) => [length * Math.cos((angle * Math.PI) / 180), length * Math.sin((angle * Math.PI) / 180)];

const moved = (letter) => [
  {
    name: `angle${letter}`, label: `Direction of ${letter}`, min: -180, max: 180, step: 1,
    isShown: (state) => state.letter === letter,
    words: (state, { right }) => `Direction of ${letter} ${state["angle" + letter]} degrees, ${right} of 3 arrows right`,
  },
  {
    name: `length${letter}`, label: `Length of ${letter}`, min: 0.2, max: 2, step: 0.05,
    isShown: (state) => state.letter === letter,
    words: (state, { right }) => `Length of ${letter} ${digits(state["length" + letter])}, ${right} of 3 arrows right`,
  },
];

export const controls = [
  {
    name: "turn", label: "Turn W_q away from W_k", min: -180, max: 180, step: 5,
    words: ({ turn }, { right }) => `Turned by ${turn} degrees, ${right} of 3 arrows right`,
  },
  { name: "letter", label: "Letter to move", choices: { A: "A", B: "B", C: "C" } },
  ...LETTERS.flatMap(moved),
  { name: "said", asks: true, label: "Say first how many of the three one matrix can get right", choices: { unsaid: "…", zero: "0", one: "1", two: "2", three: "3" } },
];

export function start({ keys, turn }) {
  const state = { turn, letter: "A", said: "unsaid" };
  keys.forEach(([x, y], i) => {
    state[`angle${LETTERS[i]}`] = Math.round((Math.atan2(y, x) * 180) / Math.PI);
    state[`length${LETTERS[i]}`] = Math.round(20 * Math.hypot(x, y)) / 20;
  });
  return state;
}

export function compute(state) {
  const vectors = (turn) => LETTERS.map((letter) => toVector(state[`angle${letter}`] + turn, state[`length${letter}`]));
  const [keys, queries] = [vectors(0), vectors(state.turn)];
  const { weights } = attention(queries, keys, keys);
  const most = weights.map((row) => row.indexOf(Math.max(...row)));
  return { keys, queries, weights, most, right: most.filter((j, i) => j === WANTED[i]).length };
}

export const goal = {
  words: "Make A attend most to B, B to C, and C to A.",
  isThere: (_, { right }) => right === 3,
  there: "Two matrices close the circle, but what you said was about one. Set the turn back to 0, see how many arrows one gets right, and say it again.",
  isReached: ({ said }, { right }) => said === "two" && right === 3,
};

export const legend = [
  ["line", "key", "Key"], ["line dashed", "query", "Query"], ["line", "weights", "Arrow to the letter with the largest weight"],
  ["frame", "weights", "Largest weight of its row"], ["frame dashed", "muted", "Where it should be"],
];

export function say({ turn }, { weights, most, right }) {
  const tied = turn === 0;
  const turned = digits(turn, 0);
  const [a, b, c] = WANTED.map((j, i) => digits(weights[i][j]));
  if (right === 3) return `The circle is closed, with ${a}, ${b} and ${c}. Two matrices turned by ${turned}° relative to each other can do it.`;
  if (!tied) return `With W_q turned by ${turned}°, scores need not be mutual: ${right} of 3 arrows are right.`;
  if (right === 2) return "Two of three, never three: AB > AC = CA > CB = BC > BA = AB would make a score larger than itself.";
  if (most.every((j, i) => j === i)) return `With one matrix each letter's query is its key, so each letter finds itself. A gives itself ${digits(weights[0][0])}.`;
  if (right === 1) return "One of three. With one matrix A gives B the same score as B gives A.";
  return "None of three. With one matrix scores are mutual, although weights are not. Where does the longest arrow point?";
}

/** The plane on the left and the grid of weights on the right, in pixels. */
function layout(width) {
  const narrow = width < 520;
  const cell = narrow ? 42 : 62;
  const side = Math.min(300, width - 3 * cell - (narrow ? 30 : 60));
  const unit = side / (2 * REACH);
  const at = ([x, y]) => [side / 2 + x * unit, 26 + side / 2 - y * unit];
  return { cell, side, unit, at, left: width - 3 * cell - 2, height: Math.max(26 + side, 50 + 3 * cell) };
}

export function grab(x, y, { width, handle }) {
  const { unit, at } = layout(width);
  const [ox, oy] = at([0, 0]);
  const [dx, dy] = [(x - ox) / unit, (oy - y) / unit];
  return {
    letter: handle,
    [`angle${handle}`]: Math.round((Math.atan2(dy, dx) * 180) / Math.PI),
    [`length${handle}`]: Math.round(Math.hypot(dx, dy) * 20) / 20,
  };
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { keys, queries, weights, most } = outputs;
  const { cell, side, at, left, height } = layout(width);
  const round = (place) => place.map((x) => Math.round(10 * x) / 10);
  const line = (from, to, kind) => {
    const [[x1, y1], [x2, y2]] = [round(from), round(to)];
    return make("line", { x1, y1, x2, y2, class: kind });
  };
  const label = ([x, y], text, kind, anchor = "middle") =>
    make("text", { x: Math.round(10 * x) / 10, y: Math.round(10 * y) / 10, class: kind, "text-anchor": anchor }, text);
  /** An arrow from near one key to near another. */
  const arrow = (from, to) => {
    const long = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const [ux, uy] = [(to[0] - from[0]) / long, (to[1] - from[1]) / long];
    const point = (along, aside) => round([to[0] - along * ux - aside * uy, to[1] - along * uy + aside * ux]);
    const [start, tip] = [round([from[0] + 8 * ux, from[1] + 8 * uy]), point(8, 0)];
    return [
      make("path", { d: `M ${start} L ${point(14, 0)}`, class: "attends" }),
      make("path", { d: `M ${tip} L ${point(18, 5)} L ${point(18, -5)} Z`, class: "head" }),
    ];
  };
  const outside = (key) => {
    const [x, y] = at(key);
    const long = Math.hypot(...key) || 1;
    return [x + (16 * key[0]) / long, y - (16 * key[1]) / long + 5];
  };
  const top = 50;
  const corner = (i, j) => ({ x: left + j * cell, y: top + i * cell, width: cell - 2, height: cell - 2 });
  const order = [...LETTERS.keys()].sort((i, j) => (LETTERS[i] === state.letter) - (LETTERS[j] === state.letter));
  const parts = [
    label([0, 14], words("Keys and queries"), "heading", "start"),
    line(at([-REACH, 0]), at([REACH, 0]), "axis"),
    line(at([0, -REACH]), at([0, REACH]), "axis"),
    ...keys.map((key) => line(at([0, 0]), at(key), "key")),
    ...queries.map((query) => line(at([0, 0]), at(query), "query dashed")),
    ...most.flatMap((j, i) => (j === i ? [] : arrow(at(keys[i]), at(keys[j])))),
    ...keys.map((key) => { const [cx, cy] = round(at(key)); return make("circle", { cx, cy, r: 7, class: "key" }); }),
    ...keys.map((key, i) => label(outside(key), inputs.letters[i], "key letter")),
    ...order.map((i) => {
      const [cx, cy] = round(at(keys[i]));
      return make("circle", { cx, cy, r: 22, class: "halo", "data-handle": LETTERS[i] });
    }),
    label([left + 1.5 * cell, 14], words("key →"), "heading"),
    ...LETTERS.map((_, j) => label([left + (j + 0.5) * cell, 40], inputs.letters[j], "")),
    ...LETTERS.map((_, i) => label([left - 8, top + (i + 0.5) * cell + 4], inputs.letters[i], "", "end")),
    ...weights.flatMap((row, i) => row.map((weight, j) =>
      make("rect", { ...corner(i, j), class: "cell", "fill-opacity": (0.12 + 0.43 * Math.sqrt(weight)).toFixed(2) }))),
    ...WANTED.map((j, i) => make("rect", { ...corner(i, j), class: "wanted" })),
    ...most.map((j, i) => make("rect", { ...corner(i, j), class: "most" })),
    ...weights.flatMap((row, i) => row.map((weight, j) =>
      label([left + (j + 0.5) * cell - 1, top + (i + 0.5) * cell + 4], digits(weight), "weight"))),
  ];
  return { height: Math.max(height, 26 + side), parts };
}
