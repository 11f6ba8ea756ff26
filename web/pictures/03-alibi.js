// Chapter 3: slide the keys of other texts under the query, and see whether the network still writes the right letter.

import { softmax } from "./attention.js";
import { digits } from "./kit.js";

const LEAST = 0.02; // of a weight that is drawn
const NETWORKS = { general: "General", additive: "Additive" };

/** What a sentence calls a donor of keys: its text, and the places of its letters if it is longer. */
const nameOf = ([donor, first], length) => (donor.length === length ? donor : `${donor} (${first + 1}–${first + length})`);

export const controls = [
  { name: "keys", label: "Keys of another text", min: 0, max: 5, step: 1, words: (_, { donor, right }) => `Keys of ${donor}, ${right} letters right` },
  { name: "step", label: "Letters written", min: 1, max: 6, step: 1, words: ({ step }, { written }) => `Letter ${step}, ${written[step - 1]}` },
  { name: "network", label: "Network", choices: NETWORKS },
  { name: "said", asks: true, label: "Say first which network won't notice", choices: { unsaid: "…", ...NETWORKS } },
];

export function start({ first, networks }) {
  return { keys: first.keys, step: first.step, network: networks[first.network], said: "unsaid" };
}

export function compute({ keys, step, network }, { text, networks, donors, scores, written }) {
  const which = networks.indexOf(network);
  const [k, t] = [Math.round(keys), Math.round(step)];
  const answer = written[which][k];
  const wanted = [...text].reverse();
  return {
    donor: nameOf(donors[k], text.length),
    weights: softmax([scores[which][k][t - 1]])[0],
    written: answer,
    right: wanted.filter((letter, i) => letter === answer[i]).length,
  };
}

export const goal = {
  words: "Find keys that have another letter at every place, and a network that doesn't notice.",
  isThere({ keys }, { right }, { text, donors }) {
    const [donor, first] = donors[Math.round(keys)];
    return right === text.length && [...text].every((letter, i) => letter !== donor[first + i]);
  },
  isReached: (state, outputs, inputs) => state.said === state.network && goal.isThere(state, outputs, inputs),
};

export function say({ keys, step, network }, { donor, weights, written, right }, { text }) {
  const t = Math.round(step) - 1;
  const letter = written[t];
  const wanted = text[text.length - 1 - t];
  const most = weights.indexOf(Math.max(...weights));
  const share = digits(weights[most]);
  if (Math.round(keys) === 0)
    return text[most] === letter
      ? `With its own keys, the network ${network} looks most at ${text[most]} (${share}) and writes ${letter}.`
      : `With its own keys, the network ${network} looks most at ${text[most]} (${share}), yet it writes ${letter}, which is right.`;
  if (right === text.length) return `With the keys of ${donor}, the network ${network} still writes every letter right. It didn't notice.`;
  if (letter === wanted) return `With the keys of ${donor}, this letter is still right, but of all ${text.length} only ${right} are.`;
  return `With the keys of ${donor}, it looks most at ${text[most]} (${share}) and writes ${letter} instead of ${wanted}.`;
}

/** Where the columns and rows are, in pixels. */
function layout(width, places) {
  const left = Math.min(110, width / 5);
  const gap = Math.min(72, (width - left - 8) / places);
  return { side: Math.min(40, gap - 6), x: (i) => left + gap * (i + 0.5), rows: { weights: 14, keys: 44, values: 92, written: 216 }, height: 240 };
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { weights, written } = outputs;
  const { text, donors } = inputs;
  const step = Math.round(state.step);
  const [donor, first] = donors[Math.round(state.keys)];
  const { side, x, rows, height } = layout(width, text.length);
  const round = (number) => Math.round(10 * number) / 10;
  const box = (i, y, letter, kind, more = {}) => [
    make("rect", { x: round(x(i) - side / 2), y: y - 17, width: round(side), height: 34, rx: 4, class: `box ${kind}`, ...more }),
    make("text", { x: round(x(i)), y: y + 5, "text-anchor": "middle", class: kind }, letter),
  ];
  const label = (y, what) => make("text", { x: 0, y: y + 5, class: "heading" }, words(what));
  const flows = [...weights.keys()].filter((i) => weights[i] >= LEAST);
  const parts = [
    label(rows.weights, "Weights"),
    label(rows.keys, "Keys"),
    label(rows.values, "Values"),
    label(rows.written, "Written"),
    ...flows.map((i) => make("line", {
      x1: round(x(i)), y1: rows.values + 18, x2: round(x(step - 1)), y2: rows.written - 18,
      class: "flow", style: `stroke-width: ${round(1 + 9 * weights[i])}px`,
    })),
    ...flows.map((i) => make("text", { x: round(x(i)), y: rows.weights + 4, "text-anchor": "middle", class: "weight" }, digits(weights[i]))),
    ...[...text].flatMap((letter, i) => [...box(i, rows.keys, donor[first + i], "key"), ...box(i, rows.values, letter, "value")]),
    ...[...written].slice(0, step).flatMap((letter, i) => {
      const isRight = letter === text[text.length - 1 - i];
      return [...box(i, rows.written, letter, "query", i === step - 1 ? { "data-now": "" } : {}),
        make("text", { x: round(x(i)), y: rows.written + 34, "text-anchor": "middle", class: "heading" }, isRight ? "✓" : "✗")];
    }),
  ];
  return { height: height + 14, parts };
}
