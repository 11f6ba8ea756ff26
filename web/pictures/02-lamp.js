// Chapter 2: the light of softmax over a street of score gaps. Raise d, and random queries walk out of the light.

import { softmax } from "./attention.js";
import { digits } from "./kit.js";

const DIVISORS = { one: () => 1, root: (d) => Math.sqrt(d), whole: (d) => d };
const SIGNS = { one: "÷ 1", root: "÷ √d", whole: "÷ d" };
const EDGE = 40; // how far the street is drawn, on both sides of the gap 0
const LIT = 0.1; // the slope from which a lamp counts as lit, of 0.25 at most
const FLAT = 0.6; // a larger weight of less than this on average hardly chooses
const MANY = 0.75;

const toSize = ({ size }) => 2 ** Math.round(size);
const weigh = (gap, divisor) => softmax([[gap / divisor, 0]])[0];
const slopeOf = ([p, rest]) => p * rest;

export const controls = [
  { name: "lead", label: "Lead of river over money", min: -EDGE, max: EDGE, step: 0.4, words: ({ lead }, { weights }) => `Lead ${digits(lead, 1)}, weights ${weights.map((w) => digits(w)).join(", ")}` },
  { name: "size", label: "Numbers in a key, d", min: 2, max: 8, step: 1, words: (state, { lit, slopes }) => `With d = ${toSize(state)}, ${lit} of ${slopes.length} lamps are lit` },
  { name: "divisor", label: "Divide the scores", choices: SIGNS },
  { name: "said", asks: true, label: "Say first which divisor does both", choices: { unsaid: "…", ...SIGNS } },
];

export function start({ d, lead }) {
  return { lead, size: Math.log2(d), divisor: "one", said: "unsaid" };
}

export function compute(state, { gaps }) {
  const d = toSize(state);
  const divisor = DIVISORS[state.divisor](d);
  const weights = weigh(state.lead, divisor);
  const rows = gaps[d].map((gap) => weigh(gap, divisor));
  const slopes = rows.map(slopeOf);
  return {
    d, divisor, weights, slope: slopeOf(weights), gaps: gaps[d], slopes,
    lit: slopes.filter((slope) => slope >= LIT).length,
    larger: rows.reduce((sum, row) => sum + Math.max(...row), 0) / rows.length,
  };
}

export const goal = {
  words: "With d = 256, light at least 24 of the lamps and let the queries still choose.",
  isThere: (_, { d, lit, slopes, larger }) => d === 256 && lit >= MANY * slopes.length && larger >= FLAT,
  isReached: (state, outputs) => state.said === state.divisor && goal.isThere(state, outputs),
};

export const legend = [
  ["disc", "weights", "Light: how fast the weights can move"], ["ring", "muted", "Lamp of a random query"], ["ring", "query", "Lamp of bank"],
];

export function say(_, { weights, slope, lit, slopes, larger, d }, { words }) {
  const leads = weights[0] >= weights[1] ? 0 : 1;
  const [word, share, all] = [words[leads], digits(weights[leads]), slopes.length];
  const [moves, most, flat] = [slope >= LIT, lit >= MANY * all, larger < FLAT];
  if (moves && most && flat) return `The word ${word} has ${share} and can still move. With d = ${d}, ${lit} of ${all} lamps are lit, but hardly any query chooses.`;
  if (moves && most) return `The word ${word} has ${share} and can still move. With d = ${d}, ${lit} of ${all} lamps are lit, and queries still choose.`;
  if (moves) return `The word ${word} has ${share} and can still move. With d = ${d}, only ${lit} of ${all} lamps are lit.`;
  if (most && flat) return `The word ${word} has ${share} and hardly moves. With d = ${d}, ${lit} of ${all} lamps are lit, but hardly any query chooses.`;
  if (most) return `The word ${word} has ${share} and hardly moves. With d = ${d}, ${lit} of ${all} lamps are lit, and queries still choose.`;
  return `The word ${word} has ${share} and hardly moves. With d = ${d}, only ${lit} of ${all} lamps are lit.`;
}

const TITLE = "Slope of a weight";
const STREET_NAME = "Gap between the two scores, before it is divided";
const TOP = 34;
const HIGH = 120; // of the light, pixels
const STREET = TOP + HIGH;
const TIERS = 4;
const toX = (gap, width) => ((Math.min(EDGE, Math.max(-EDGE, gap)) + EDGE) / (2 * EDGE)) * (width - 48) + 24;

export function grab(x, _, { width }) {
  return { lead: Math.round((((x - 24) / (width - 48)) * 2 * EDGE - EDGE) / 0.4) * 0.4 };
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { d, divisor, weights, slope, gaps, slopes } = outputs;
  const round = (x) => Math.round(10 * x) / 10;
  const text = (x, y, content, kind, anchor = "middle") => make("text", { x: round(x), y, class: kind, "text-anchor": anchor }, content);
  const lampAt = (x, y, radius, bright, kind) => [
    make("circle", { cx: round(x), cy: round(y), r: round(4 * radius * bright), class: "light" }),
    make("circle", { cx: round(x), cy: round(y), r: radius, class: kind }),
  ];
  const light = Array.from({ length: 161 }, (_, i) => {
    const gap = (i / 160) * 2 * EDGE - EDGE;
    return `${round(toX(gap, width))},${round(STREET - 4 * HIGH * slopeOf(weigh(gap, divisor)))}`;
  });
  const x = toX(state.lead, width);
  const left = x > 0.62 * width; // where there is room for the words
  const beside = (line, content) => text(x + (left ? -18 : 18), STREET - 36 + 18 * line, content, "query", left ? "end" : "start");
  const [first, second] = inputs.words.map((word, i) => `${word} ${digits(weights[i])}`);
  const parts = [
    text(0, 14, `${words(TITLE)}: d = ${d}, ${SIGNS[state.divisor]}`, "heading", "start"),
    make("path", { d: `M${toX(-EDGE, width)},${STREET}L${light.join("L")}L${toX(EDGE, width)},${STREET}Z`, class: "beam" }),
    make("line", { x1: 0, x2: width, y1: STREET, y2: STREET, class: "axis" }),
    ...gaps.flatMap((gap, i) => lampAt(toX(gap, width), STREET + 22 + 15 * (i % TIERS), 6, slopes[i], "glass")),
    ...lampAt(x, STREET, 12, slope, "glass own"),
    make("circle", { cx: round(x), cy: STREET, r: 22, class: "halo", "data-handle": "" }),
    beside(0, `${inputs.asks}: ${first}`),
    beside(1, second),
    ...[-EDGE, -EDGE / 2, 0, EDGE / 2, EDGE].map((gap) => text(toX(gap, width), STREET + 100, digits(gap, 0), "heading")),
    text(width / 2, STREET + 120, words(STREET_NAME), "heading"),
  ];
  return { height: STREET + 126, parts };
}
