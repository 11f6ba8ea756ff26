// Chapter 11: lengthen a text until its table of weights overflows the memory, then read the keys block by block.

import { softmax } from "./attention.js";
import { digits } from "./kit.js";

const MOST = 20; // the longest text has 2 to the power of this many tokens
const ROOM = 1.12; // how far a table that overflows is drawn, of the frame
const TALL = 56; // pixels of the largest term
const toTokens = ({ length }) => Math.round(2 ** length);
const isBlocks = ({ way }) => way === "blocks";
const gib = (bytes) => digits(bytes / 2 ** 30);
const number = (x) => x.toLocaleString("en");

export const controls = [
  { name: "length", label: "Length of the text", min: 10, max: MOST, step: 0.1, words: (_, { n, held }) => `${number(n)} tokens, ${gib(held)} GiB` },
  { name: "way", label: "The keys are read", choices: { table: "All at once", blocks: "Block by block" } },
  { name: "read", label: "Blocks read by this query", min: 0, max: 4, step: 1, isShown: isBlocks, words: (_, { terms, largest, output }) => terms.length ? `Largest ${largest}, output ${digits(output)}` : "Nothing read" },
  { name: "said", asks: true, label: "Say first what reading in blocks saves", choices: { unsaid: "…", memory: "Memory, not work", work: "Work, not memory", both: "Memory and work" } },
];

export function start({ length }) {
  return { length, way: "table", read: 0, said: "unsaid" };
}

/** Keys that the query has met: all, or as many blocks as the reader has let it read. */
const countMet = (state, { scores, block }) => (isBlocks(state) ? Math.round(state.read) * block : scores.length);

export function compute(state, inputs) {
  const { scores, values, head, bytes, memory, block } = inputs;
  const n = toTokens(state);
  const [table, vectors] = [bytes * n * n, bytes * 4 * head * n];
  const held = vectors + (isBlocks(state) ? 0 : table);
  let [largest, total, mixed] = [-Infinity, 0, 0];
  const met = countMet(state, inputs);
  for (let i = 0; i < met; i += block) { // equation (11.1), a block at a time
    const arrived = scores.slice(i, Math.min(i + block, met));
    const next = Math.max(largest, ...arrived);
    const raised = arrived.map((score) => Math.exp(score - next));
    total = total * Math.exp(largest - next) + raised.reduce((sum, x) => sum + x, 0);
    mixed = mixed * Math.exp(largest - next) + raised.reduce((sum, x, j) => sum + x * values[i + j], 0);
    largest = next;
  }
  const seen = scores.slice(0, met);
  return {
    n, table, vectors, held, fits: held <= memory, scores: n * n,
    terms: seen.map((score) => Math.exp(score - largest)),
    largest: met ? largest : 0, sum: total, output: met ? mixed / total : 0,
    weights: met ? softmax([seen])[0] : [],
  };
}

const isThere = (state, { n, fits, terms }, { scores }) => fits && n === 2 ** MOST && terms.length === scores.length;

export const goal = {
  words: "Make a text of 1,048,576 tokens fit, and let the query read all its blocks.",
  isThere,
  isReached: (state, outputs, inputs) => state.said === "memory" && isThere(state, outputs, inputs),
};

export const legend = [
  ["frame", "muted", "Memory, 16 GiB"], ["disc", "weights", "In memory now: the table, or the terms of one block"],
  ["disc", "key", "The vectors of all tokens"], ["disc", "muted", "Terms that are only in the sum"],
];

export function say(state, { n, table, held, fits, terms, scores, output }, inputs) {
  if (!fits) return `Overflow: at ${number(n)} tokens the table alone takes ${gib(table)} GiB, in a memory of ${gib(inputs.memory)}.`;
  if (!isBlocks(state)) return `At ${number(n)} tokens all fits, in ${gib(held)} GiB. Twice the tokens make four times the table.`;
  if (terms.length === 0) return `No table, only ${gib(held)} GiB of vectors. The query has met no key yet: let it read block after block.`;
  if (terms.length < inputs.scores.length) return `The query has met ${terms.length} of ${inputs.scores.length} keys. Only the largest, the sum and the mixture so far are kept.`;
  if (n === 2 ** MOST) return `All read, with ${gib(held)} GiB. The output is that of softmax, but there were still ${number(scores)} scores to compute.`;
  return `All keys are read. The output is ${digits(output)}, as with the whole row, and ${number(scores)} scores were computed in either way.`;
}

/** Where things are, in pixels: the frame of the memory, the words beside it, and the row of one query below. */
function layout(width) {
  const side = Math.min(200, width * 0.42);
  return { side, bottom: 4 + ROOM * side, beside: ROOM * side + 18, row: ROOM * side + 104 };
}

export function grab(x, _, { width, inputs }) {
  const { side } = layout(width);
  return { length: Math.round(10 * Math.log2((Math.max(x, 1) / side) * Math.sqrt(inputs.memory / inputs.bytes))) / 10 };
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { n, table, vectors, terms, fits, largest, sum, output, scores } = outputs;
  const { side, bottom, beside, row } = layout(width);
  const round = (x) => Math.round(10 * x) / 10;
  const said = (word) => words(word).toLowerCase();
  const text = (x, y, content, kind, anchor = "start") => make("text", { x: round(x), y: round(y), class: kind, "text-anchor": anchor }, content);
  const rect = (x, y, wide, high, kind, more = {}) => make("rect", { x: round(x), y: round(y), width: round(wide), height: round(high), class: kind, ...more });
  const shown = side * Math.min(Math.sqrt(table / inputs.memory), ROOM); // of the table, whose area is its size
  const strip = Math.max(1.5, (side * vectors) / inputs.memory);
  const sizes = [
    ["Tokens", number(n)], ["Table", isBlocks(state) ? said("None") : `${gib(table)} GiB`],
    ["Vectors", `${gib(vectors)} GiB`], ["Scores", number(scores)],
  ];
  const gap = Math.min(64, (width - 8) / inputs.scores.length);
  const met = terms.length;
  const bars = inputs.scores.flatMap((score, i) => {
    const x = gap * (i + 0.5);
    const isNow = !isBlocks(state) || i >= met - inputs.block;
    const high = i < met ? TALL * terms[i] : 0;
    return [
      rect(x - gap * 0.35, row - high, gap * 0.7, high, isNow ? "term light" : "term token"),
      text(x, row + 18, score, i < met ? "letter" : "heading", "middle"),
    ];
  });
  const parts = [
    rect(1, bottom - side, side, side, "glass"),
    rect(1, bottom - strip, side, strip, "supplied"),
    ...(isBlocks(state) ? [] : [
      rect(1, bottom - shown, shown, shown, "cell", { "fill-opacity": 0.55 }),
      make("circle", { cx: round(shown), cy: round(bottom - shown), r: 7, class: "output" }),
      make("circle", { cx: round(shown), cy: round(bottom - shown), r: 22, class: "halo", "data-handle": "" }),
    ]),
    ...sizes.flatMap(([name, value], i) => [text(beside, 18 + 42 * i, said(name), "heading"), text(beside, 35 + 42 * i, value, "letter")]),
    ...(fits ? [] : [text(beside, bottom, said("Overflow"), "weight")]),
    text(0, row - 66, words("One row: a bar for each score, as long as its term"), "heading"),
    ...bars,
    text(0, row + 44, met ? words(`Largest ${largest}, sum ${digits(sum, 3)}, output ${digits(output, 3)}`) : words("Nothing read"), "query"),
  ];
  return { height: round(row + 52), parts };
}
