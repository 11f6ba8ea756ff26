// Chapter 7: the whole Transformer writes one date. Change the source, cut an arrow, open a sub-layer, and see what moved.

import { digits, inLanguage } from "./kit.js";

const SOURCES = ["14 Mar 2026", "24 Mar 2026", "14 May 2026", "14 Mar 2086", "14 Mar 1926"];
const SHORT = ["self-attention", "feed-forward", "causal self-attention", "cross-attention", "feed-forward"];
const FIELDS = { year: [0, 1, 2, 3], hyphens: [4, 7], month: [5, 6], day: [8, 9] };

const numbered = (words) => Object.fromEntries(words.map((text, i) => [String(i), text]));
const inside = ["encoder self-attention", "encoder feed-forward", "causal self-attention", "cross-attention", "decoder feed-forward"];
const arrows = ["nothing", ...inside.flatMap((name) => [`what ${name} adds`, `the path past ${name}`])];

const KINDS = {
  adds: "What a part of the encoder adds", path: "The path past a part of the encoder",
  decoderAdds: "What a part of the decoder adds", decoderPath: "The path past a part of the decoder",
};

export const controls = [
  { name: "cut", label: "Cut", choices: numbered(arrows) },
  { name: "edit", label: "Source", choices: numbered(SOURCES) },
  { name: "open", label: "Open", choices: numbered(inside) },
  { name: "said", asks: true, label: "Say first what kind of arrow that is", choices: { unsaid: "…", ...KINDS } },
];

export const start = () => ({ cut: "0", edit: "0", open: "3", said: "unsaid" });

/** Numbers that were stored as hundredths, two digits of base 36 each, in rows of this length. */
function unpack(text, width) {
  const found = text.match(/../g).map((pair) => parseInt(pair, 36) / 100);
  return Array.from({ length: found.length / width }, (_, i) => found.slice(i * width, (i + 1) * width));
}

/** The state that is asked for: what was written, how sure it was, what moved on the streams, what is open. */
export function compute({ cut, edit, open }, { sources, encoder, runs }) {
  const [run, whole] = [runs[edit][cut], runs[edit][0]];
  const m = sources[0].length;
  const lengths = [m, m, m, 10, 10, 10, 10];
  let from = 0;
  const changed = lengths.map((count) => [...run.changed.slice(from, (from += count))].map(Number));
  const fed = unpack(run.fed, run.fed.length / 2)[0];
  const opened = [unpack(encoder[edit], m), [fed.slice(0, m)], unpack(run.own, 10), unpack(run.cross, m), [fed.slice(m)]][open];
  return { text: run.text, right: whole.text, sure: unpack(run.sure, 10)[0], changed, opened, broken: breaks(run, whole) };
}

/** The fields of a date that a network with a cut writes otherwise than the whole one. */
const breaks = (run, whole) => Object.keys(FIELDS).filter((field) => FIELDS[field].some((i) => run.text[i] !== whole.text[i]));

/** What breaks without an arrow, for each source. */
const everywhere = (cut, runs) => runs.map((ofSource) => breaks(ofSource[cut], ofSource[0]).join());

export const goal = {
  words: "Cut one arrow so that the year breaks and nothing else, whichever date it reads.",
  isThere: ({ cut }, _, { runs }) => everywhere(cut, runs).every((broken) => broken === "year"),
  isReached: (state, outputs, inputs) => state.said === "path" && goal.isThere(state, outputs, inputs),
};

export const legend = [
  ["disc", "weights", "Vectors that have moved, the larger the more"], ["line", "ink", "The path past a sub-layer"],
  ["frame", "key", "How sure it is of a character"], ["line dashed", "ink", "What the encoder hands to cross-attention"],
];

const list = (words) => words.map(inLanguage).join(", ");

export function say({ cut, edit }, { text, right, broken, changed }, { runs }) {
  const arrow = arrows[cut];
  if (cut === "0" && edit === "0") return `It reads the date once and writes ${text}, looking at other characters for each one. Cut an arrow.`;
  if (cut === "0") {
    const first = runs[0][0].text;
    const count = [...text].filter((letter, i) => letter !== first[i]).length;
    const touched = changed[2].filter((grade) => grade > 0).length;
    return `One source character differs, ${touched} of the encoder's 11 vectors have moved, and ${count} of 10 written characters changed.`;
  }
  if (arrow === "what cross-attention adds") return `Nothing arrives from the source, so it writes ${text}, whatever date you give it.`;
  const of = everywhere(cut, runs);
  if (of.every((fields) => fields === "")) return `Without ${arrow} it still writes all five dates right. It can do without this arrow.`;
  if (broken.length === 0) return `Without ${arrow} it still writes ${text}. With another source it doesn't.`;
  if (of.every((fields) => fields === "year")) return `Without ${arrow} it writes ${text}. With all five sources the year breaks, and nothing else.`;
  if (broken.join() === "year") return `Without ${arrow} it writes ${text}, and only the year is wrong. Is that so with every source?`;
  // The page asks which fields this arrow breaks, so they aren't named here.
  if (arrow === "the path past cross-attention") return `Without ${arrow} it writes ${text} instead of ${right}.`;
  const kept = Object.keys(FIELDS).filter((field) => !broken.includes(field));
  if (kept.length === 0) return `Without ${arrow} it writes ${text} instead of ${right}, and nothing is right.`;
  return `Without ${arrow} it writes ${text}: wrong in ${list(broken)}, right in ${list(kept)}.`;
}

/** Sizes in pixels, and where the encoder and the decoder begin. */
function layout(width) {
  const cell = Math.min(26, (width - 40) / 21);
  return { cell, sides: [10, width - 10 * cell - 2], row: 30, height: 26 };
}

/** A tap opens a sub-layer: which of them is at this pixel. */
export function tap(x, y, { width }) {
  const { cell, sides, row } = layout(width);
  const side = x < (sides[0] + 11 * cell + sides[1]) / 2 ? 0 : 1;
  const number = Math.round((y - 34 - row) / (2 * row));
  return number >= 0 && number < (side ? 3 : 2) ? { open: String(side ? 2 + number : number) } : null;
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { text, right, sure, changed, opened } = outputs;
  const { cell, sides, row, height } = layout(width);
  const source = inputs.sources[state.edit];
  const cut = Number(state.cut);
  const parts = [];
  const put = (...more) => parts.push(make(...more));
  const r = (x) => Math.round(10 * x) / 10;
  const line = (x1, y1, x2, y2, kind) => put("line", { x1: r(x1), y1: r(y1), x2: r(x2), y2: r(y2), class: kind });
  const say = (x, y, said, kind = "", anchor = "middle") => put("text", { x: r(x), y: r(y), class: kind, "text-anchor": anchor }, said);
  const top = 34;

  const column = (side, letters, first) => {
    const x = sides[side];
    const before = [...inputs.sources[0], ...` ${inputs.runs[0][0].text}`];
    [...letters].forEach((letter, i) => say(x + cell * (i + 0.5), 14, letter, letter === before[side ? 11 + i : i] ? "" : "moved"));
    const tokens = (y, place) => changed[place].forEach((grade, i) =>
      put("circle", { cx: r(x + cell * (i + 0.5)), cy: r(y), r: 2.5 + grade * cell / 60, class: grade ? "moved" : "token", "fill-opacity": grade ? r(0.25 + grade / 12) : 1 }));
    const count = side ? 3 : 2;
    tokens(top, side ? 3 : 0);
    for (let k = 0; k < count; k++) {
      const [number, y] = [first + k, top + row + 2 * row * k];
      const [part, path] = [cut === 1 + 2 * number, cut === 2 + 2 * number];
      line(x - 4, y - row + 6, x - 4, y + row - 6, path ? "path cut" : "path");
      if (path) say(x - 4, y + 5, "✗", "broken");
      put("rect", { x: r(x + 2), y: r(y - height / 2), width: r(cell * letters.length - 4), height, rx: 4, class: `layer${part ? " cut" : ""}${Number(state.open) === number ? " open" : ""}`, "data-tap": "" });
      say(x + (cell * letters.length) / 2, y + 5, `${part ? "✗ " : ""}${words(SHORT[number])}`, `layer-name${part ? " broken" : ""}`);
      tokens(y + row, (side ? 4 : 1) + k);
    }
    return top + 2 * row * count;
  };
  column(0, source, 0);
  const low = column(1, ` ${text.slice(0, 9)}`, 2);
  const cross = top + 3 * row;
  line(sides[0] + 11 * cell, top + 4 * row, sides[1] - 8, cross + 4, cut === 7 ? "supply cut" : "supply");
  [...text].forEach((letter, i) => {
    const x = sides[1] + cell * (i + 0.5);
    say(x, low + 24, letter, letter === right[i] ? "written" : "written broken");
    put("rect", { x: r(x - cell / 2 + 2), y: low + 30, width: r(cell - 4), height: r(10 * sure[i]), class: "sure" });
  });
  say(sides[1] - 8, low + 24, words("it writes"), "heading", "end");

  const open = Number(state.open);
  const y0 = low + 76;
  say(10, y0 - 14, words(inside[open]), "heading", "start");
  return { height: open === 1 || open === 4 ? bars(y0 + 12) : grid(y0 + 12), parts };

  /** How long what the feed-forward network adds is, beside the stream of each token. */
  function bars(y) {
    const letters = open === 1 ? source : text;
    const wide = Math.min(40, (width - 20) / 11);
    const largest = Math.max(...opened[0], 1);
    opened[0].forEach((share, i) => {
      const [x, tall] = [10 + wide * (i + 0.5), (60 * share) / largest];
      put("rect", { x: r(x - wide / 3), y: r(y + 76 - tall), width: r(wide / 1.5), height: r(tall), class: "fed" });
      say(x, y + 70 - tall, digits(share, 1), "small");
      say(x, y + 94, letters[i]);
    });
    say(10, y + 118, words("what it adds, beside the length of each stream"), "heading", "start");
    return y + 126;
  }

  /** Who looks where: a row for each character that asks, a column for each that answers. */
  function grid(y) {
    const across = open === 2 ? ` ${text.slice(0, 9)}` : source;
    const down = open === 0 ? source : text;
    const wide = Math.min(44, (width - 34) / across.length);
    [...across].forEach((letter, j) => say(30 + wide * (j + 0.5), y, letter));
    opened.forEach((row, i) => {
      const top = y + 6 + 22 * i;
      say(16, top + 15, down[i], "written");
      row.forEach((weight, j) => {
        if (open === 2 && j > i) return;
        const x = 30 + wide * j;
        put("rect", { x: r(x), y: top, width: r(wide - 1), height: 21, class: "weight", "fill-opacity": r(0.55 * Math.sqrt(weight) * 10) / 10 });
        if (weight >= 0.095) say(x + wide / 2, top + 15, wide < 36 ? digits(weight).replace("0.", ".") : digits(weight), "small", "middle");
      });
    });
    return y + 6 + 22 * opened.length + 4;
  }
}
