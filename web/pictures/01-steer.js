// Chapter 1: steer the query of *bank* between *river* and *money*, and see where the mix of their values goes.

import { attention, reluWeights, softmax } from "./attention.js";
import { digits } from "./kit.js";

const WEIGH = { softmax, relu: reluWeights };
const NEARLY_ALL = 0.98;
const OFF_THE_LINE = 0.05;
const NEAR = 0.1; // of a value, so near that a mix is nothing else

/** The query as a vector, from its direction in degrees and its length. */
const toVector = ({ angle, length }) => [
  length * Math.cos((angle * Math.PI) / 180),
  length * Math.sin((angle * Math.PI) / 180),
];

export const controls = [
  { name: "angle", label: "Direction of the question", min: -180, max: 180, step: 1, words: ({ angle }, { weights }) => `Direction ${angle} degrees, weights ${weights.map((w) => digits(w)).join(", ")}` },
  { name: "length", label: "Length of the question", min: 0, max: 2, step: 0.05, words: ({ length }, { weights }) => `Length ${digits(length)}, weights ${weights.map((w) => digits(w)).join(", ")}` },
  { name: "weigh", label: "Weights by", choices: { softmax: "Softmax", relu: "ReLU" } },
  {
    name: "said", asks: true, label: "Say first where the question must point",
    choices: { unsaid: "…", at: "Straight at money", past: "Past money, away from river", long: "Anywhere near money, if it is long" },
  },
];

export function start({ query }) {
  const [x, y] = query;
  return { angle: Math.round((Math.atan2(y, x) * 180) / Math.PI), length: Math.round(20 * Math.hypot(x, y)) / 20, weigh: "softmax", said: "unsaid" };
}

export function compute(state, { keys, values }) {
  const query = toVector(state);
  const { weights, output } = attention([query], keys, values, { weigh: WEIGH[state.weigh] });
  return { query, weights: weights[0], output: output[0] };
}

/** How far the output is from the straight line through the two values. */
function distanceFromLine([x, y], [[ax, ay], [bx, by]]) {
  const [dx, dy] = [bx - ax, by - ay];
  return Math.abs((x - ax) * dy - (y - ay) * dx) / Math.hypot(dx, dy);
}

export const goal = {
  words: "With softmax, make bank mean money: bring the dot to within 0.1 of money's.",
  far: (state, outputs, inputs) => `The dot is ${digits(Math.ceil(100 * fromMoney(outputs, inputs)) / 100)} away.`,
  isThere: isMoney,
  isReached: (state, outputs, inputs) => state.said === "past" && isMoney(state, outputs, inputs),
};

/** How far the mix is from the second value. */
const fromMoney = ({ output }, { values }) => Math.hypot(...output.map((x, i) => x - values[1][i]));

/** Whether softmax has mixed hardly anything but the second value. */
function isMoney({ weigh }, outputs, inputs) {
  return weigh === "softmax" && fromMoney(outputs, inputs) <= NEAR;
}

export const legend = [
  ["line", "query", "Query of bank"], ["line", "key", "Key of a word"], ["line dashed", "query", "Queries with the same weights by softmax"],
  ["disc", "value", "Value of a word, and its weight"], ["disc", "weights", "The mix"], ["line dotted", "muted", "Mixes whose weights add up to 1"],
];

export function say(state, { weights, output }, { words, asks, values }) {
  const { weigh, length } = state;
  const [a, b] = weights.map((weight) => digits(weight));
  const more = weights[0] > weights[1] ? 0 : 1;
  if (length === 0 && weigh === "softmax") return "With length 0 the question asks nothing, so both scores are 0 and both words get the weight 0.50.";
  if (weights[0] + weights[1] === 0)
    return "Both scores are at most 0, so ReLU gives neither word any weight, and nothing is mixed.";
  if (distanceFromLine(output, values) > OFF_THE_LINE) return `With ReLU the weights ${a} and ${b} need not add up to 1, and the dot has left the line.`;
  if (weigh === "relu") return `With ReLU the weights are ${a} and ${b}, which happen to add up to 1 here.`;
  if (isMoney(state, { output }, { values })) return `Now ${asks} means ${words[1]}, with ${b}. Turning away from ${words[0]} counts as much as turning to ${words[1]}: softmax sees only the lead.`;
  if (Math.abs(weights[0] - weights[1]) < 0.02) return `Both labels answer the question equally well, so the dot lies in the middle, at ${a} and ${b}.`;
  if (weights[more] > NEARLY_ALL) return `The word ${words[more]} has ${digits(weights[more])}, which is nearly everything, but with softmax the other one always keeps a little.`;
  return `The word ${words[more]} gives ${digits(weights[more])} of its value and ${words[1 - more]} gives ${digits(weights[1 - more])}. Turn the question and watch the dot.`;
}

/** The two planes, beside each other, and where a point of one is in pixels. */
function layout(width) {
  const gap = Math.min(40, width / 12);
  const side = Math.min(260, (width - gap) / 2);
  const unit = side / 4.7;
  const planes = [{ x: 0, y: 26 }, { x: side + gap, y: 26 }];
  const at = ({ x, y }, [a, b]) => [x + (a + 2.1) * unit, y + (2.5 - b) * unit];
  return { side, unit, planes, at, height: 26 + side };
}

export function grab(x, y, { width }) {
  const { planes, at, unit } = layout(width);
  const [ox, oy] = at(planes[0], [0, 0]);
  const [dx, dy] = [(x - ox) / unit, (oy - y) / unit];
  return { angle: Math.round((Math.atan2(dy, dx) * 180) / Math.PI), length: Math.round(Math.hypot(dx, dy) * 20) / 20 };
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { query, weights, output } = outputs;
  const { planes, at, height } = layout(width);
  const [asks, mixes] = planes;
  const round = (place) => place.map((x) => Math.round(10 * x) / 10);
  const line = (from, to, kind) => {
    const [[x1, y1], [x2, y2]] = [round(from), round(to)];
    return make("line", { x1, y1, x2, y2, class: kind });
  };
  const dot = (place, r, kind, more = {}) => {
    const [cx, cy] = round(place);
    return make("circle", { cx, cy, r, class: kind, ...more });
  };
  const label = (place, text, kind, anchor = "start") => {
    const [x, y] = round(place);
    return make("text", { x, y, class: kind, "text-anchor": anchor }, text);
  };
  const axes = (plane) => [
    line(at(plane, [-2.1, 0]), at(plane, [2.6, 0]), "axis"),
    line(at(plane, [0, -2.1]), at(plane, [0, 2.5]), "axis"),
  ];
  const beside = ([x, y], dx = 8, dy = -8) => [x + dx, y + dy];
  // beside a point high up, under the end of one far to the right
  const named = (plane, point, text, kind) =>
    point[1] > point[0] ? label(beside(at(plane, point)), text, kind) : label(beside(at(plane, point), 22, 20), text, kind, "end");

  const [k0, k1] = inputs.keys;
  const across = [k1[1] - k0[1], k0[0] - k1[0]]; // queries along this line have the same weights by softmax
  const along = (far) => query.map((x, i) => x + (far * across[i]) / Math.hypot(...across));
  const ends = [-1, 1].map((sign) => {
    let far = 1.6;
    while (far > 0 && along(sign * far).some((x) => Math.abs(x) > 2.1)) far -= 0.1;
    return at(asks, along(sign * Math.max(far, 0)));
  });
  const tip = at(asks, query);
  const share = (i) => `${inputs.words[i]} ${digits(weights[i])}`;
  const parts = [
    label([asks.x, 14], words("Query and keys"), "heading"),
    ...axes(asks),
    ...(state.weigh === "softmax" ? [line(...ends, "same-weights")] : []),
    ...inputs.keys.map((key) => line(at(asks, [0, 0]), at(asks, key), "key")),
    ...inputs.keys.map((key, i) => named(asks, key, inputs.words[i], "key")),
    line(at(asks, [0, 0]), tip, "query"),
    dot(tip, 22, "halo", { "data-handle": "" }),
    dot(tip, 8, "query"),
    label(beside(tip, 12, 20), inputs.asks, "query"),
    label([mixes.x, mixes.y - 12], words("What is mixed"), "heading"),
    ...axes(mixes),
    line(at(mixes, inputs.values[0]), at(mixes, inputs.values[1]), "values"),
    ...inputs.values.map((value) => dot(at(mixes, value), 6, "value")),
    ...inputs.values.map((value, i) => named(mixes, value, share(i), "value")),
    dot(at(mixes, output), 8, "output", { "data-output": "" }),
  ];
  return { height, parts };
}
