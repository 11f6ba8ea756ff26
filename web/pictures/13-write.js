// Chapter 13: watch a machine write, piece by piece, with its candidates and where one of its heads looks. What it writes
// is stored for three temperatures, with and without that head. Where Python runs, it also writes what the reader asks for
// (attention_course/watching.py in live/worker.js), of which nothing is loaded before the button is pressed.

import { connect } from "./connect.js";
import { inLanguage as said, make as element, mount as mountStored } from "./kit.js";

const BAR = 22; // pixels from one candidate to the next
const WIDE = 8.6; // pixels of a letter, at most
const STRAIGHT = { "“": "\u0022", "”": "\u0022", "‘": "'", "’": "'" }; // the novel's quotation marks, for those of a phone
const STOPPED = "You stopped it. Your words are still here.";
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

export function mount(figure, picture) {
  mountStored(figure, picture);
  if (figure.dataset.model && globalThis.WebAssembly && globalThis.DecompressionStream) writeLive(figure);
}

/** Below the stored runs: the same machine writes on from the reader's words, at any temperature, with any head off. */
function writeLive(figure) {
  const stored = figure.querySelector(".picture-frame"), inputs = JSON.parse(figure.dataset.inputs);
  const size = (Number(figure.dataset.model) / 2 ** 20).toFixed(0);
  let turn = 0, seed = 0, isReady = false, shown = null, queue = Promise.resolve();
  const python = connect(({ loaded, total }) => { bar.value = loaded / total; });

  const button = (words, act, kind = "picture-again") => {
    const made = element("button", { type: "button", class: kind }, said(words));
    made.addEventListener("click", act);
    return made;
  };
  const label = (words, field) => element("label", { class: "picture-control" }, element("span", {}, said(words)), field);
  const list = (chosen) => {
    const made = element("select", {}, ...[1, 2, 3, 4].map((n) => element("option", { value: n }, n)));
    made.value = chosen;
    return made;
  };
  const field = element("textarea", { rows: 1, maxlength: 100, id: "write-text", spellcheck: "false", autocomplete: "off" });
  const writes = button(`Let it write (${size} MB, once)`, () => write(), "picture-read");
  const stops = button("Stop", stop), dice = button("Other draws", () => { seed += 1; write(); }), back = button("The stored runs", show);
  const bar = element("progress", { max: 1, value: 0, "aria-label": said("Loading the model") });
  const status = element("p", { class: "bench-status", role: "status" });
  const drawing = element("svg", { "aria-hidden": "true", class: "picture-drawing" }), sentence = element("p", { class: "picture-sentence" });
  const step = element("input", { type: "range", min: 0, max: 0, value: 0 });
  const heat = element("input", { type: "range", min: 0.05, max: 2, step: 0.05, value: 0.8 });
  const heatLabel = label("Temperature", heat), [block, head] = inputs.head.map(list);
  const off = element("input", { type: "checkbox" });
  const stage = element("div", {}, drawing, stored.querySelector(".picture-legend").cloneNode(true),
    element("div", { class: "picture-controls" }, label("Pieces written", step), heatLabel, label("Block", block), label("Head", head),
      element("label", { class: "picture-control bench-off" }, off, element("span", {}, said("Switch this head off"))), dice, back), sentence);
  const frame = element("div", { class: "picture-frame bench" }, stage,
    element("label", { for: field.id, class: "bench-label" }, said("Let it go on from your own words")), field,
    element("div", { class: "picture-controls" }, writes, stops), bar, status);
  field.value = inputs.pieces.join("");
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); write(); }
  });
  step.addEventListener("input", () => redraw());
  heat.addEventListener("input", tellHeat);
  for (const one of [heat, block, head, off]) one.addEventListener("change", () => write()); // with the same draws

  function tellHeat() {
    heatLabel.firstChild.textContent = `${said("Temperature")} ${Number(heat.value).toFixed(2)}`;
  }

  /** What Python gives for a call, after all that was asked before. */
  function ask(call) {
    queue = queue.catch(() => {}).then(async () => {
      const source = `import json\nfrom attention_course import watching\nprint(json.dumps(watching.${call}))`;
      const { results, text } = await python.ask({ chain: [{ n: 1, source, how: "whole" }] });
      if (!results || results[0].error) throw new Error(text ?? results[0].outputs.at(-1).text);
      isReady = true;
      return JSON.parse(results[0].outputs[0].text);
    });
    return queue;
  }

  async function write() {
    const mine = ++turn, text = field.value.replace(/[“”‘’]/g, (mark) => STRAIGHT[mark]), key = off.checked ? "head" : "none";
    const asked = { head: [Number(block.value), Number(head.value)], off: key, temperature: Number(heat.value) <= 0.1 ? "cold" : "mild" };
    busy(isReady ? "It is writing." : `Loading ${size} MB.`);
    try {
      const pieces = await ask(`begin(${JSON.stringify(text)}, ${heat.value}, (${asked.head}), ${Number(off.checked)}, ${seed})`), run = [];
      if (mine === turn) busy("It is writing.");
      for (let next = true; next && mine === turn;) {
        next = await ask("go_on()");
        if (!next || mine !== turn) continue;
        const follows = !run.length || step.value === step.max;
        run.push(next);
        step.max = run.length - 1;
        if (follows) step.value = step.max;
        shown = { ...asked, pieces, runs: { [asked.temperature]: { [key]: run } } };
        if (stage.hidden) show();
        redraw();
      }
      if (mine === turn) finish(`It has written: ${run.map(([piece]) => piece).join("").replace(/\s+/g, " ").trim()}`);
    } catch ({ message }) {
      const [, unknown] = / has '(.+?)'; the machine knows/.exec(message) ?? [];
      if (mine === turn) finish(message === STOPPED ? STOPPED : unknown ? `The novel has no “${unknown}”, so the machine can't read it.` : `The machine could not be run (${message}).`);
    }
  }

  function busy(words, is = true) {
    if (!is && document.activeElement === stops) writes.focus();
    figure.dataset.busy = is ? "1" : "";
    stops.hidden = !is;
    bar.hidden = !is || isReady;
    if (isReady) writes.textContent = said("Let it write");
    status.textContent = said(words);
  }

  const finish = (words) => busy(words, false);

  function stop() {
    turn += 1;
    if (!isReady) python.stop(STOPPED); // it is still being loaded
    finish(STOPPED);
  }

  /** Show what is written now instead of the stored runs, or these again. */
  function show() {
    if (!stage.hidden) stop();
    stored.hidden = stage.hidden;
    stage.hidden = !stage.hidden;
  }

  function redraw() {
    if (!shown) return;
    const state = { ...shown, step: Number(step.value) }, outputs = compute(state, shown), width = Math.round(frame.clientWidth) || 688;
    const { height, parts } = draw({ state, outputs, inputs: shown, width, make: element, words: said });
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("height", height);
    drawing.replaceChildren(...parts);
    sentence.textContent = said(say(state, outputs));
    step.setAttribute("aria-valuetext", said(controls[0].words(state, outputs)));
    figure.dataset.written = JSON.stringify({ ...shown, run: shown.runs[shown.temperature][shown.off] });
  }

  stage.hidden = true;
  figure.append(frame);
  finish("");
  tellHeat();
  new ResizeObserver(redraw).observe(frame);
}
