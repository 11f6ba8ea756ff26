// Chapter 5: change a word and see which outputs of two layers react; open and close the cells of their mask.

import { attention, mix, softmax } from "./attention.js";

const WORDS = ["rich", "tourists", "bank", "river", "paid"];
const [BANK, RICH] = [2, 0];
const LEAST = 1e-9; // by which an output has moved
const FEWEST = 4; // cells that have to be closed
const numbers = WORDS.map((_, i) => i);
const choices = Object.fromEntries(WORDS.map((word, i) => [String(i), word]));
const cells = numbers.flatMap((i) => numbers.map((j) => [i, j]));

const cell = ([i, j]) => ({
  name: `cell${i}${j}`, label: `May ${WORDS[i]} look at ${WORDS[j]}?`, choices: { may: "Open", not: "Closed" },
  isShown: ({ row }) => row === WORDS[i],
});

export const controls = [
  { name: "changed", label: "Word to change", choices },
  { name: "when", label: "Mask", choices: { before: "Before the softmax", after: "After the softmax" } },
  { name: "row", label: "Row to open and close", choices: { none: "…", ...Object.fromEntries(WORDS.map((word) => [word, word])) } },
  ...cells.map(cell),
  {
    name: "said", asks: true, label: "Say first how many more cells have to be closed",
    choices: { unsaid: "…", one: "1", two: "2", three: "3", four: "4" },
  },
];

export function start({ mask, changed }) {
  const painted = Object.fromEntries(cells.map(([i, j]) => [`cell${i}${j}`, mask[i][j] ? "may" : "not"]));
  return { changed: String(changed), when: "before", row: "none", ...painted, said: "unsaid" };
}

const toMask = (state) => numbers.map((i) => numbers.map((j) => state[`cell${i}${j}`] === "may"));

/** What one layer puts out; a mask that comes after the softmax leaves the hidden words in its denominator. */
function passThrough(x, [wq, wk, wv], mask, when) {
  const [queries, keys, values] = [wq, wk, wv].map((w) => mix(x, w));
  if (when === "before") return attention(queries, keys, values, { mask }).output;
  const { weights } = attention(queries, keys, values, { weigh: (scores) => softmax(scores) });
  return mix(weights.map((row, i) => row.map((w, j) => (mask[i][j] ? w : 0))), values);
}

export function compute(state, { tokens, others, matrices }) {
  const mask = toMask(state);
  let before = tokens;
  let after = tokens.map((x, i) => (String(i) === state.changed ? others[i] : x));
  const far = matrices.map((layer) => {
    [before, after] = [before, after].map((x) => passThrough(x, layer, mask, state.when));
    return before.map((row, i) => Math.max(...row.map((x, k) => Math.abs(x - after[i][k]))));
  });
  return { mask, far, moved: far.map((row) => row.map((x) => x > LEAST)), closed: mask.flat().filter((open) => !open).length };
}

export const goal = {
  words: "Make bank deaf to rich in both layers, with no more than 4 cells closed.",
  isThere: (state, outputs) => isDeaf(state, outputs) && outputs.closed <= FEWEST,
  isReached: (state, outputs) => state.said === "three" && goal.isThere(state, outputs),
};

export const legend = [
  ["frame", "weights", "Word that changed, or output that reacts"], ["line", "weights", "The change on its way"],
  ["line", "line", "Looked at, without a change"], ["frame", "query", "May look; a crossed cell is closed"],
];

const isDeaf = ({ changed, when }, { moved }) => when === "before" && changed === String(RICH) && !moved[0][BANK] && !moved[1][BANK];

export function say(state, { mask, moved, closed }) {
  const [first, second] = moved.map((row) => row.filter(Boolean).length);
  const word = WORDS[state.changed];
  if (state.when === "after") return `After the softmax, closed cells still count in the denominator: ${second} of 5 outputs react to ${word}, with ${closed} cells closed.`;
  if (isDeaf(state, { moved }) && closed <= FEWEST) return "Now bank is deaf to rich. Every way around is closed: no word that it looks at has heard of rich.";
  if (isDeaf(state, { moved })) return `Now bank is deaf to rich, but ${closed} cells are closed. Can you open some of them again?`;
  if (state.changed === String(RICH) && !moved[0][BANK]) {
    const through = numbers.filter((k) => mask[BANK][k] && moved[0][k]).map((k) => WORDS[k]);
    return `In layer 1, bank hears nothing of rich. In layer 2 it does, from ${through.join(", ")}.`;
  }
  if (second === 0) return `No output of layer 2 reacts to ${word}, so nothing behind these layers can know of it.`;
  return `If ${word} changes, ${first} of 5 outputs react in layer 1 and ${second} in layer 2.`;
}

/** The words and their outputs above, the grid below; or beside each other where there is room. */
function layout(width) {
  const narrow = width < 620;
  const side = 44;
  const grid = { x: width - 5 * side - 2, y: narrow ? 330 : 60 };
  const across = narrow ? width : grid.x - 90;
  const at = (level, i) => [46 + ((across - 46) * (i + 0.5)) / 5, 248 - 100 * level];
  return { side, grid, at, half: Math.min(36, (across - 46) / 10 - 2), height: narrow ? 330 + 5 * side + 4 : 290 };
}

export function tap(x, y, { state, width }) {
  const { side, grid, at, half } = layout(width);
  const [i, j] = [Math.floor((y - grid.y) / side), Math.floor((x - grid.x) / side)];
  if (WORDS[i] && WORDS[j]) return { [`cell${i}${j}`]: state[`cell${i}${j}`] === "may" ? "not" : "may" };
  const word = numbers.find((k) => Math.abs(x - at(0, k)[0]) <= half + 2);
  return word === undefined ? null : { changed: String(word) };
}

export function draw({ state, outputs, width, make, words }) {
  const { mask, moved } = outputs;
  const { side, grid, at, half, height } = layout(width);
  const round = (x) => Math.round(10 * x) / 10;
  const text = (x, y, said, kind, anchor = "middle") => make("text", { x: round(x), y: round(y), class: kind, "text-anchor": anchor }, said);
  const levels = [numbers.map((i) => String(i) === state.changed), ...moved];
  const flows = cells.filter(([i, j]) => mask[i][j]).flatMap(([i, j]) => [1, 2].map((level) => {
    const [[x1, y1], [x2, y2]] = [at(level - 1, j), at(level, i)];
    const heard = levels[level - 1][j] && levels[level][i];
    return make("line", { x1: round(x1), y1: round(y1 - 18), x2: round(x2), y2: round(y2 + 18), class: heard ? "heard" : "unheard" });
  }));
  const boxes = levels.flatMap((row, level) => row.flatMap((reacts, i) => {
    const [x, y] = at(level, i);
    const kind = `node${reacts ? " reacts" : ""}`;
    return [
      make("rect", { x: round(x - half), y: y - 16, width: round(2 * half), height: 32, rx: 4, class: kind }),
      text(x, y + 5, WORDS[i], reacts ? "small moved" : "small"),
      ...(level ? [] : [make("rect", { x: round(x - half - 2), y: y - 22, width: round(2 * half + 4), height: 44, class: "touch", "data-tap": "" })]),
    ];
  }));
  const grids = cells.flatMap(([i, j]) => {
    const [x, y] = [grid.x + j * side, grid.y + i * side];
    return [
      make("rect", { x, y, width: side - 2, height: side - 2, class: mask[i][j] ? "may" : "hidden" }),
      ...(mask[i][j] ? [] : [text(x + side / 2 - 1, y + side / 2 + 5, "✗", "small")]),
      make("rect", { x, y, width: side, height: side, class: "touch", "data-tap": "" }),
    ];
  });
  return {
    height,
    parts: [
      ...flows, ...boxes, ...grids,
      ...[1, 2].map((level) => text(0, at(level, 0)[1] + 5, words(`Layer ${level}`), "heading", "start")),
      text(0, at(0, 0)[1] + 5, words("Words"), "heading", "start"),
      ...numbers.flatMap((i) => [
        text(grid.x - 6, grid.y + i * side + side / 2 + 5, WORDS[i], "small", "end"),
        text(grid.x + i * side + side / 2 - 1, grid.y - 6, WORDS[i], "small"),
      ]),
      text(grid.x + 2.5 * side, grid.y - 24, words("Who is looked at →"), "heading"),
      text(grid.x - 6, grid.y - 6, words("Who looks ↓"), "heading", "end"),
    ],
  };
}
