// Chapter 10: nine suspects, one of them on trial; two questions, and an accusation that only they can carry.

import { digits } from "./kit.js";

const [SIDE, ROW, TOP] = [20, 22, 50]; // pixels of a cell, of a line of the list, of what is above the findings
const NARROW = 480; // a drawing in which the findings don't fit side by side
const COUNTS = { unsaid: "…", one: "1", two: "2", three: "3", five: "5" };
const NUMBER = { one: 1, two: 2, three: 3, five: 5 };
const SUSPECTS = ["Nothing is wrong", "Softmax over the queries", "Mask after the softmax", "No mask", "Mask with the opposite meaning", "Positions alike for all tokens", "Tokens of other sentences", "View without transpose", "Dropout left on"];

const count = (reactions, counts) => reactions.flatMap((row, i) => row.filter((one, j) => one && counts(i, j))).length;

/** The questions: their words, what a finding is called, and which findings count as the same; what is told of a finding that is drawn. */
const ASK = {
  rows: {
    words: "Do the rows sum to 1?", find: ({ lowest, highest }) => `Rows sum to ${digits(lowest)}–${digits(highest)}`,
    kind: ({ lowest, highest }) => (highest > 1 ? "above" : lowest < 1 ? "below" : "one"),
  },
  reactions: {
    words: "Who reacts to whom?", find: () => "Row reacts to column", kind: ({ reactions }) => String(reactions),
    tell: ({ reactions }) => `Of 36 pairs react ${count(reactions, () => true)}, above the diagonal ${count(reactions, (i, j) => j > i)}`,
  },
  batch: { words: "Does another sentence count?", find: ({ batch }) => `Moves by ${digits(batch)}`, kind: ({ batch }) => batch > 0 },
  order: { words: "Does the order count?", find: ({ order }) => `Changes by ${digits(order)}`, kind: ({ order }) => order > 0 },
  start: { words: "How large is the first loss?", find: ({ start }) => `Loss ${digits(start)}, a guess ${digits(Math.log(8))}`, kind: () => "near" },
  count: { words: "How many parameters?", find: ({ count: all }) => `Parameters: ${all}`, kind: ({ count: all }) => all },
};
const questions = { none: "…", ...Object.fromEntries(Object.entries(ASK).map(([name, { words }]) => [name, words])) };

export const controls = [
  { name: "said", asks: true, label: "Say first how many of the nine suspects have the score of this case", choices: COUNTS },
  { name: "case", stays: true, label: "Case", choices: Object.fromEntries(SUSPECTS.map((_, i) => [String(i + 1), `No. ${i + 1}`])) },
  { name: "first", label: "Question 1", choices: questions },
  { name: "second", label: "Question 2", choices: questions },
  { name: "accused", label: "Accuse", choices: { none: "…", ...Object.fromEntries(SUSPECTS.map((words, i) => [`s${i}`, words])) } },
];

export const start = (inputs) => ({ said: "unsaid", case: String(inputs.case), first: "none", second: "none", accused: "none" });

const about = (inputs, i) => Object.fromEntries(["score", "lowest", "highest", "order", "batch", "start", "count", "reactions"].map((name) => [name, inputs[name][i]]));

export function compute(state, inputs) {
  const culprit = inputs.cases[Number(state.case) - 1];
  const asked = [state.first, state.second].filter((name) => name !== "none");
  const all = inputs.suspects.map((_, i) => about(inputs, i));
  const fits = all.map((one) => asked.every((name) => ASK[name].kind(one) === ASK[name].kind(all[culprit])));
  const same = all.filter(({ score }) => Math.abs(score - all[culprit].score) < 0.02).length;
  const isRight = state.accused === `s${culprit}`;
  const isProved = new Set(asked).size === 2 && fits.filter(Boolean).length === 1;
  return { culprit, score: all[culprit].score, same, fits: fits.filter(Boolean).length, accusedFits: state.accused !== "none" && fits[Number(state.accused.slice(1))], isRight, isProved, found: all[culprit] };
}

export const goal = {
  words: "Convict the right suspect, on two findings that fit no other.",
  isThere: (_, { isRight, isProved }) => isRight && isProved,
  isReached: (state, outputs) => NUMBER[state.said] === outputs.same && goal.isThere(state, outputs),
};

export const legend = [
  ["frame", "query", "Suspect whom you accuse"], ["frame", "weights", "Output that reacts to a changed token"],
];

const tell = (name, found) => (ASK[name].tell ?? ASK[name].find)(found);

export function say(state, { score, fits, accusedFits, isRight, isProved, found, same }) {
  const asked = [state.first, state.second].filter((name) => name !== "none");
  if (isRight && isProved) return `Convicted. Its score is shared by ${same} of 9, and only your two findings together single it out.`;
  if (state.accused !== "none" && new Set(asked).size < 2) return "You accuse before you have put both questions. What would prove it?";
  if (accusedFits) return `That fits your findings, and so do ${fits} of the 9 suspects. Which question would tell them apart?`;
  if (state.accused !== "none") return `This suspect would have answered otherwise. Your findings fit ${fits} of 9. What would each of them show?`;
  if (asked.length === 0) return `The score, ${digits(score)}, accuses nobody yet. Put two questions.`;
  if (asked.length === 1) return `Found: ${tell(asked[0], found)}. This fits ${fits} of the 9 suspects. What do you ask next?`;
  if (asked[0] === asked[1]) return `You have asked one question twice, so there is one finding. It fits ${fits} of the 9 suspects.`;
  return fits === 1 ? "Your two findings fit one of the 9 suspects. Which one?" : `Your two findings fit ${fits} of the 9 suspects, too many to accuse one.`;
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { found, score, isRight, isProved } = outputs;
  const text = (x, y, content, kind, anchor = "middle") => make("text", { x: Math.round(x), y, class: kind, "text-anchor": anchor }, content);
  const isNarrow = width < NARROW;
  const tall = (name) => (name === "none" ? 30 : name === "reactions" ? 58 + 6 * SIDE : 54);
  const corners = [[0, TOP], isNarrow ? [0, TOP + tall(state.first)] : [width / 2, TOP]];
  const panels = [state.first, state.second].flatMap((name, i) => {
    const [x, y] = corners[i];
    const head = text(x, y, `${i + 1}  ${words(questions[name])}`, "small", "start");
    if (name === "none") return [head];
    const finding = text(x, y + 20, words(ASK[name].find(found)), "weight", "start");
    if (name !== "reactions") return [head, finding];
    const cells = found.reactions.flatMap((row, r) => row.map((one, c) => make("rect", { x: Math.round(x) + c * SIDE, y: y + 30 + r * SIDE, width: SIDE - 3, height: SIDE - 3, class: one ? "cell reacts" : "hidden" })));
    return [head, finding, ...cells];
  });
  const talls = [state.first, state.second].map(tall);
  const top = TOP + (isNarrow ? talls[0] + talls[1] : Math.max(...talls)) + 6;
  const list = SUSPECTS.flatMap((name, i) => {
    const y = top + i * ROW;
    const isAccused = state.accused === `s${i}`;
    return [
      ...(isAccused ? [make("rect", { x: 1, y: y - 16, width: width - 2, height: ROW, class: "box query" })] : []),
      text(8, y, words(name), isAccused ? "suspect query" : "suspect", "start"),
      ...(isRight && isProved ? [text(width - 8, y, digits(inputs.score[i]), "weight", "end")] : []),
    ];
  });
  return {
    height: top + 9 * ROW - 8,
    parts: [text(0, 20, words(`Case no. ${state.case}: ${digits(score)} of the letters are right`), "letter", "start"), ...panels, ...list],
  };
}
