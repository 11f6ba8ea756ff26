// Chapter 9: place a word where training will take it, then scrub through the training and read what the model writes.

import { digits } from "./kit.js";

const REACH = 0.14; // how far from the word's end a guess may lie, on the map
const SORTED = 0.9; // share of words with a neighbour of their role
const WELL = 1.9; // the loss from which the model writes well
const EDGE = 1; // of the map, on all sides
const ROLES = {
  "determiner, one": "Determiner, one", "determiner, many": "Determiner, many", "adjective": "Adjective",
  "noun, one": "Noun, one", "noun, many": "Noun, many", "verb": "Verb", "verb with object": "Verb with object",
};

export const controls = [
  { name: "time", label: "Steps of training", min: 0, max: 15, step: 1, words: (_, { steps, loss }) => `${steps} steps, loss ${digits(loss)}` },
  { name: "x", label: "Your guess, left to right", min: -EDGE, max: EDGE, step: 0.05, isShown: ({ time }) => Math.round(time) === 0 },
  { name: "y", label: "Your guess, down to up", min: -EDGE, max: EDGE, step: 0.05, isShown: ({ time }) => Math.round(time) === 0 },
];

export function start({ guess: [x, y] }) {
  return { time: 0, x, y };
}

export function compute({ time, x, y }, { steps, loss, neighbour, places, written, words, followed, rings }) {
  const t = Math.round(time);
  const which = words.indexOf(followed);
  const at = (step) => places[step].map(([a, b]) => [a / 100, b / 100]);
  const [now, end] = [at(t), at(steps.length - 1)[which]];
  const inside = rings.find(([, a, b, radius]) => Math.hypot(x - a, y - b) <= radius);
  return {
    steps: steps[t], loss: loss[t], neighbour: neighbour[t], written: written[t], places: now,
    gap: Math.hypot(x - end[0], y - end[1]),
    guessed: inside ? inside[0] : "",
  };
}

export const goal = {
  words: "Put the question mark where training will take dog, then train to the end.",
  isReached: ({ time }, { gap }, { steps }) => Math.round(time) === steps.length - 1 && gap <= REACH,
};

export const legend = [
  ["disc", "query", "dog"], ["disc", "key", "Other nouns in the singular"], ["disc", "muted", "All other words"],
  ["ring", "muted", "Where training brings the words of a role"], ["ring", "query", "Your guess for dog"],
];

export function say({ time }, { steps, loss, neighbour, gap, guessed }, inputs) {
  const share = `${Math.round(100 * neighbour)}%`;
  const last = Math.round(time) === inputs.steps.length - 1;
  const role = inputs.roles[inputs.words.indexOf(inputs.followed)];
  if (steps === 0 && guessed) return `You expect dog among the words with the role ${guessed}. Now drag through the training.`;
  if (steps === 0) return "Random numbers: nothing is sorted. Where will training take dog? Drag the question mark there, then drag through the training.";
  if (last && gap <= REACH) return `There it is, where you put the question mark, with the role ${role}. The model was never told about roles.`;
  if (last && guessed) return `The word dog has ended in the circle ${role}, and you had put it in ${guessed}.`;
  if (last) return `The word dog has ended in the circle ${role}, beside child and cat. Your question mark was elsewhere.`;
  if (neighbour < SORTED) return `After ${steps} steps, ${share} of the words have a neighbour of their role. The loss is ${digits(loss)}.`;
  if (loss > WELL) return `After ${steps} steps the words are sorted (${share}), but the loss is still ${digits(loss)}. Read what it writes.`;
  return `After ${steps} steps the words are sorted, and with a loss of ${digits(loss)} the model writes almost without mistakes.`;
}

/** Where the map is, in pixels. */
function layout(width) {
  const side = Math.min(width - 16, 430);
  return { unit: side / 2.3, x: width / 2, y: side / 2 + 4, below: side + 12 };
}

export function grab(px, py, { width, state }) {
  if (Math.round(state.time) > 0) return null;
  const { unit, x, y } = layout(width);
  const round = (value) => Math.round(value * 100) / 100;
  return { x: round((px - x) / unit), y: round((y - py) / unit) };
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { unit, x, y, below } = layout(width);
  const { rings, words: all, followed, roles } = inputs;
  const round = (value) => Math.round(10 * value) / 10;
  const toX = (a) => round(x + a * unit);
  const toY = (b) => round(y - b * unit);
  const text = (px, py, content, kind) => make("text", { x: round(px), y: round(py), class: kind, "text-anchor": "middle" }, content);
  const which = all.indexOf(followed);
  const role = roles[which];
  const [ghostX, ghostY] = [toX(state.x), toY(state.y)];
  const parts = [
    ...rings.map(([, a, b, radius]) => make("circle", { cx: toX(a), cy: toY(b), r: round(radius * unit), class: "face" })),
    ...outputs.places.map(([a, b], i) => make("circle", {
      cx: toX(a), cy: toY(b), r: i === which ? 6 : 3.5, class: i === which ? "query" : roles[i] === role ? "key" : "token",
    })),
    ...rings.map(([name, a, b, radius]) =>
      text(toX(a), toY(b) + (b > 0.5 || (a > 0.5 && b > 0) ? -radius * unit - 6 : radius * unit + 16), words(ROLES[name]).toLowerCase(), "heading over")),
    make("line", { x1: ghostX, y1: ghostY, x2: toX(outputs.places[which][0]), y2: toY(outputs.places[which][1]), class: "same-weights" }),
    make("circle", { cx: ghostX, cy: ghostY, r: 14, class: "glass own" }),
    text(ghostX, ghostY + 5, "?", "query"),
    make("circle", { cx: ghostX, cy: ghostY, r: 22, class: "halo", "data-handle": "" }),
    text(toX(outputs.places[which][0]), toY(outputs.places[which][1]) - 10, followed, "query"),
    text(width / 2, below + 14, words("It writes:"), "heading"),
    ...outputs.written.map((sentence, i) => text(width / 2, below + 38 + 21 * i, sentence, "sentence")),
  ];
  return { height: round(below + 38 + 21 * outputs.written.length), parts };
}
