// Chapter 13: watch a machine write, piece by piece, with its candidates and where one of its heads looks. What it writes
// is stored for each temperature, with and without that head.

const BAR = 22; // pixels from one candidate to the next
const WIDE = 8.6; // pixels of a letter, at most
const AGAIN = 3; // so many pieces, come back, are a circle
const show = (piece) => piece.replaceAll("\n", "¶");
const named = (piece) => piece.trim() || (piece === " " ? "␣" : "¶");

export const controls = [
  { name: "step", label: "Pieces written", min: 0, max: 47, step: 1, words: (_, { drawn, chance }) => `Drawn: ${named(drawn)}, ${chance}%` },
  { name: "temperature", label: "Temperature", choices: { mild: "1", cold: "Nearly 0", hot: "2" } },
  { name: "off", label: "The head", choices: { none: "Is on", head: "Is off" } },
  { name: "said", asks: true, label: "Say first what it writes if it always takes the likeliest piece", choices: { unsaid: "…", best: "Its best sentence", book: "Pages of the book", circle: "The same words again" } },
];

export function start() {
  return { step: 0, temperature: "mild", off: "none", said: "unsaid" };
}

/** Where the end of a text begins to repeat what it has: how many pieces the circle has, 0 if there is none. */
function findCircle(pieces) {
  for (let round = 1; round * 2 <= pieces.length; round += 1) {
    const tail = pieces.slice(-Math.max(round, AGAIN));
    if (round + tail.length <= pieces.length && tail.every((piece, i) => piece === pieces[pieces.length - tail.length - round + i])) return round;
  }
  return 0;
}

export function compute({ step, temperature, off }, { runs, pieces }) {
  const run = runs[temperature][off], k = Math.min(Math.round(step), run.length - 1);
  const [drawn, candidates, shades] = run[k];
  const text = [...pieces, ...run.slice(0, k).map(([piece]) => piece)];
  const chance = candidates.find(([piece]) => piece === drawn)[1];
  return { text, drawn, chance, candidates, shades, likeliest: candidates[0][0], circle: findCircle([...text, drawn]) };
}

const isThere = ({ temperature }, { circle }) => temperature === "cold" && circle > 0;

export const goal = {
  words: "Make it write in a circle.",
  isThere,
  isReached: (state, outputs) => state.said === "circle" && isThere(state, outputs),
};

export const legend = [
  ["disc", "weights", "Candidates, and the darker a piece, the more the head looks at it"], ["frame", "query", "Drawn"],
];

export function say({ temperature, off }, { drawn, chance, likeliest, circle }) {
  const [piece, first] = [named(drawn), named(likeliest)], isOff = off === "head";
  if (circle && temperature === "cold") return isOff
    ? `Even without the head, it goes in a circle of ${circle} pieces, since the likeliest piece leads back to where it was.`
    : `It goes in a circle of ${circle} pieces. The likeliest piece leads back to where it was, and no draw leads out.`;
  if (drawn === likeliest) return isOff
    ? `Without the head, it draws “${piece}”, the likeliest piece, with a chance of ${chance}%.`
    : `It draws “${piece}”, the likeliest piece, with a chance of ${chance}%.`;
  return isOff
    ? `Without the head, it draws “${piece}” with a chance of ${chance}%, although “${first}” was likelier.`
    : `It draws “${piece}” with a chance of ${chance}%, although “${first}” was likelier.`;
}

export function draw({ state, outputs, inputs, width, make, words }) {
  const { text, drawn, candidates, shades } = outputs;
  const round = (x) => Math.round(10 * x) / 10;
  const at = (x, y, content, kind, anchor = "start", more = {}) => make("text", { x: round(x), y: round(y), class: kind, "text-anchor": anchor, ...more }, content);
  const rect = (x, y, wide, high, kind, more = {}) => make("rect", { x: round(x), y: round(y), width: round(wide), height: high, class: kind, ...more });
  const parts = [at(0, 14, words(`Head ${inputs.head[1]} of block ${inputs.head[0]} looks at`), "heading")];
  let x = 0, y = 40;
  const put = (piece, kind, shade) => { // a piece, in the next line if this one is full
    const wide = WIDE * show(piece).length;
    if (x + wide > width) { x = 0; y += 26; }
    if (shade) parts.push(rect(x, y - 17, wide, 23, "cell", { "fill-opacity": shade / 18 }));
    if (kind === "query") parts.push(rect(x, y - 17, wide, 23, "box query"));
    parts.push(at(x, y, show(piece), kind, "start", { textLength: round(wide), lengthAdjust: "spacing", style: "font-family: monospace; white-space: pre" }));
    x += wide;
  };
  put("⊢", "heading", Number(shades[0])); // where the text starts
  text.forEach((piece, i) => put(piece, "letter", Number(shades[i + 1])));
  put(drawn, "query", 0);
  y += 40;
  parts.push(at(0, y, words("Candidates for the next piece"), "heading"));
  const room = width - 150;
  candidates.forEach(([piece, chance], i) => {
    const top = y + 12 + BAR * i;
    parts.push(at(74, top + 14, named(piece), piece === drawn ? "query" : "letter", "end"));
    parts.push(rect(84, top, Math.max(1, (room * chance) / 100), 16, "light"));
    if (piece === drawn) parts.push(rect(84, top, Math.max(1, (room * chance) / 100), 16, "box query"));
    parts.push(at(92 + (room * chance) / 100, top + 14, `${chance || "<0.1"}%`, "weight"));
  });
  return { height: round(y + 24 + BAR * candidates.length), parts };
}
