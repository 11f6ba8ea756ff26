// Chapter 8: a small Transformer finds the goal for the ball. Move either, or give the goal's patch a false position where
// keys or values are made, and see what it believes.

import { attention } from "./attention.js";
import { digits } from "./kit.js";

const [SIDE, HEADS, LEAST, LOOKS] = [5, 2, 0.02, 0.9]; // LEAST weight that is drawn; from LOOKS on it looks at the goal
const SIGNS = ["↖", "↑", "↗", "←", "→", "↙", "↓", "↘"];
const ALL = SIDE * SIDE;
const WHERE = { nowhere: "Nowhere", keys: "Where keys are made", values: "Where values are made" };

const patch = (name, label, words) => ({ name, label, min: 0, max: ALL - 1, step: 1, words: (_, outputs) => words(outputs) });

export const controls = [
  patch("ball", "Ball", ({ ball, answer }) => `Patch ${ball + 1}, and the answer is ${answer}`),
  patch("goal", "Goal", ({ goal, right }) => `Patch ${goal + 1}, and from the ball it lies ${right}`),
  patch("other", "Swaps with the goal", ({ other, told }) => (told ? `Patch ${other + 1}, and from the ball it lies ${told}` : `Patch ${other + 1}, where the ball or the goal is`)),
  { name: "where", label: "Swap the positions", choices: WHERE },
  { name: "said", asks: true, label: "Say first where a false position misleads the network", choices: { unsaid: "…", keys: WHERE.keys, values: WHERE.values, either: "In either of the two" } },
];

export function start({ ball, goal, other }) {
  return { ball, goal, other, where: "nowhere", said: "unsaid" };
}

/** A number of 16 bits, as NumPy stores it. */
function fromHalf(bits) {
  const [sign, power, rest] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (power ? 2 ** (power - 15) * (1 + rest / 1024) : 2 ** -14 * (rest / 1024));
}

/** The error function, by a series whose terms are all positive (Abramowitz and Stegun 7.1.6). */
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; Math.abs(term) > 1e-18; n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const add = (a, b) => a.map((x, i) => x + b[i]);

/** The layers of the stored network: lists of numbers by name, and what is made of a row by a matrix or a norm. */
function openNet(stored) {
  const net = Object.fromEntries(Object.entries(stored).map(([name, text]) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return [name, Array.from({ length: bytes.length / 2 }, (_, i) => fromHalf(bytes[2 * i] + 256 * bytes[2 * i + 1]))];
  }));
  const project = (row, name) => net[`${name}.bias`].map((bias, j, all) => row.reduce((sum, x, i) => sum + x * net[`${name}.weight`][i * all.length + j], 0) + bias);
  const normalise = (row, name) => {
    const mean = row.reduce((sum, x) => sum + x, 0) / row.length;
    const apart = row.map((x) => x - mean);
    const spread = Math.sqrt(apart.reduce((sum, x) => sum + x * x, 0) / row.length + 1e-5);
    return apart.map((x, i) => (x / spread) * net[`${name}.weight`][i] + net[`${name}.bias`][i]);
  };
  const d = net.class_token.length;
  const positions = Array.from({ length: ALL + 1 }, (_, i) => net.positions.slice(i * d, (i + 1) * d));
  return { project, normalise, positions, first: net.class_token };
}

/** What is in which patch: the goal makes way for the ball, and players stand in the first patches that are free. */
function place({ ball, goal, other }, { players }) {
  const [at, to, third] = [ball, goal, other].map((x) => Math.round(x));
  const held = [at, at === to ? (to + 1) % ALL : to];
  return { things: [...held, ...players.filter((one) => !held.includes(one)).slice(0, 4)], other: third };
}

function sign(from, to) {
  const [down, right] = [Math.floor(to / SIDE) - Math.floor(from / SIDE), (to % SIDE) - (from % SIDE)].map(Math.sign);
  const number = 3 * (down + 1) + right + 1;
  return number === 4 ? "" : SIGNS[number - (number > 4)];
}

/** The pixels of a patch in which the thing of this number stands, or nothing does, row by row. */
function paint(thing, { shapes, colours, meadow }) {
  const kind = [0, 1, 2, 2, 3, 3][thing];
  return [...shapes[0]].flatMap((_, i) => (shapes[kind]?.[i] === "o" ? colours[kind] : meadow).map(Math.fround));
}

export function compute(state, inputs) {
  const { things, other } = place(state, inputs);
  const [ball, goal] = things;
  const { project, normalise, positions, first } = openNet(inputs.net);
  const looks = [...Array(6).keys(), -1].map((thing) => project(paint(thing, inputs), "embed"));
  const tokens = (places) => [add(first, places[0]), ...Array.from({ length: ALL }, (_, i) => add(looks.at(things.indexOf(i)), places[i + 1]))];
  const swaps = state.where !== "nowhere" && other !== ball && other !== goal;
  const swapped = positions.map((row, i) => (i === goal + 1 ? positions[other + 1] : i === other + 1 ? positions[goal + 1] : row));
  const block = "blocks.0";
  const rows = (name, places) => tokens(places).map((row) => project(normalise(row, `${block}.norms.0`), `${block}.attend.${name}_proj`));
  const lie = (part) => (swaps && state.where === part ? swapped : positions);
  const [asking, key, value] = [rows("query", positions).slice(ball + 1, ball + 2), rows("key", lie("keys")), rows("value", lie("values"))];
  const wide = first.length / HEADS;
  const heads = Array.from({ length: HEADS }, (_, h) => attention(...[asking, key, value].map((all) => all.map((row) => row.slice(h * wide, (h + 1) * wide)))));
  let x = add(tokens(positions)[ball + 1], project(heads.flatMap(({ output }) => output[0]), `${block}.attend.out_proj`));
  const hidden = project(normalise(x, `${block}.norms.1`), `${block}.feed_forward.0`).map((a) => (a * (1 + erf(a / Math.SQRT2))) / 2);
  x = add(x, project(hidden, `${block}.feed_forward.2`));
  const logits = project(normalise(x, "norm"), "head");
  return {
    ball, goal, other, players: things.slice(2), logits,
    weights: heads.map(({ weights }) => weights[0]),
    answer: SIGNS[logits.indexOf(Math.max(...logits))], right: sign(ball, goal), told: other === goal ? "" : sign(ball, other), swaps,
  };
}

const onGoal = ({ weights, goal }, { finder }) => weights[finder][goal + 1];
const isMisled = ({ swaps, answer, right, told }) => swaps && told !== right && answer === told;

export const goal = {
  words: "Let the network look straight at the goal, and point to where it isn't.",
  isThere: (_, outputs, inputs) => isMisled(outputs) && onGoal(outputs, inputs) > LOOKS,
  isReached: ({ said, where }, outputs, inputs) => said === "values" && where === "values" && isMisled(outputs) && onGoal(outputs, inputs) > LOOKS,
};

export const legend = [
  ["line", "weights", "Weight that the ball's patch gives to a patch"], ["frame", "query", "The goal's position is swapped with this patch's"],
];

export function say(state, outputs, inputs) {
  const { answer, right, told, other, swaps } = outputs;
  const weight = digits(onGoal(outputs, inputs));
  const number = other + 1;
  if (state.where !== "nowhere" && !swaps) return "Choose another patch, one that holds neither the ball nor the goal, to swap positions with.";
  if (!swaps) return answer === right ? `The ball's patch gives the goal's ${weight} of its weight, and the answer ${answer} is right.` : `The ball's patch gives the goal's ${weight} of its weight, but the answer ${answer} is wrong.`;
  if (told === right) return `Patch ${number} lies in the same direction as the goal, so the answer ${answer} can't tell whether the network believes the false position.`;
  if (answer === right) return `It finds the goal with ${weight} of its weight and answers ${answer}, as before. It doesn't notice the false position.`;
  if (answer === told) return `It gives the goal ${weight} of its weight, and answers ${answer}, which is where patch ${number} lies. It believes the false position.`;
  return `The answer ${answer} leads neither to the goal nor to patch ${number}.`;
}

/** Where the meadow is, in pixels. */
function layout(width) {
  const cell = width < 500 ? 52 : 60;
  return { cell, left: Math.round((width - SIDE * cell) / 2), top: 34 };
}

export function grab(x, y, { width, handle }) {
  const { cell, left, top } = layout(width);
  const [column, row] = [x - left, y - top].map((way) => Math.min(SIDE - 1, Math.max(0, Math.floor(way / cell))));
  return { [handle]: SIDE * row + column };
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { ball, goal, other, players, weights, answer, right, swaps } = outputs;
  const { cell, left, top } = layout(width);
  const corner = (i) => [left + (i % SIDE) * cell, top + Math.floor(i / SIDE) * cell];
  const middle = (i) => corner(i).map((x) => x + cell / 2);
  const paintOf = (rgb) => `fill:rgb(${rgb.map((x) => Math.round(255 * x)).join()})`;
  const text = (x, y, said, kind = "") => make("text", { x, y, class: kind, "text-anchor": "middle" }, said);
  const kinds = [0, 1, 2, 2, 3, 3];
  const parts = [text(width / 2, 20, words("It answers") + ` ${answer}`, answer === right ? "written" : "written broken")];
  for (let i = 0; i < ALL; i++) {
    const [x, y] = corner(i);
    parts.push(make("rect", { x, y, width: cell, height: cell, style: `${paintOf(inputs.meadow)};stroke:#74a56c` }));
    parts.push(make("text", { x: x + 4, y: y + 13, class: "small", style: "fill:#1c2430" }, String(i + 1)));
  }
  [ball, goal, ...players].forEach((at, thing) => {
    const [[x, y], pixel] = [corner(at), (cell - 28) / 4];
    const dots = [...inputs.shapes[kinds[thing]]].map((one, i) => (one === "o" ? `M${x + 14 + (i % 4) * pixel} ${y + 14 + Math.floor(i / 4) * pixel}h${pixel}v${pixel}h${-pixel}z` : ""));
    parts.push(make("path", { d: dots.join(""), style: paintOf(inputs.colours[kinds[thing]]), "data-thing": thing }));
  });
  const frame = (i) => {
    const [x, y] = corner(i);
    return make("rect", { x: x + 3, y: y + 3, width: cell - 6, height: cell - 6, class: "query", style: "fill:none;stroke-width:2.5;stroke-dasharray:5 4" });
  };
  parts.push(...[other, ...(swaps ? [goal] : [])].map(frame));
  weights[inputs.finder].slice(1).forEach((weight, i) => {
    if (weight < LEAST || i === ball) return;
    const [[x, y], [u, v]] = [middle(ball), middle(i)];
    const far = Math.hypot(u - x, v - y);
    const along = (way) => [x + ((u - x) * way) / far, y + ((v - y) * way) / far].map((at) => Math.round(10 * at) / 10);
    const [[x1, y1], [x2, y2]] = [along(0.34 * cell), along(far - 0.34 * cell)];
    parts.push(make("line", { x1, y1, x2, y2, class: "flow", style: `stroke-width:${Math.round(10 * (1 + 7 * weight)) / 10}`, "data-to": i }));
    const [[a, b], [c, d]] = [along(far - 0.2 * cell), [(0.14 * cell * (v - y)) / far, (0.14 * cell * (u - x)) / far]];
    parts.push(make("path", { d: `M${a} ${b}L${x2 + c} ${y2 - d}L${x2 - c} ${y2 + d}z`, class: "head" }));
    if (weight >= 0.095) parts.push(make("text", { x: u + cell / 2 - 4, y: v - cell / 2 + 13, class: "small", "text-anchor": "end", style: "fill:#1c2430;font-weight:600" }, digits(weight)));
  });
  for (const [name, at] of [["other", other], ["goal", goal], ["ball", ball]]) {
    const [cx, cy] = middle(at);
    parts.push(make("circle", { cx, cy, r: Math.max(22, 0.4 * cell), class: "halo", "data-handle": name }));
  }
  const below = top + SIDE * cell + 22;
  parts.push(text(width / 2, below, words("The goal lies") + ` ${right}`, "heading"));
  return { height: below + 8, parts };
}
