// A published encoder reads the reader's own words: the maps of all its heads, one of them opened, and what can be done to
// it. It is no picture of the kit's kind, since what it shows comes from Python (live/worker.js, attention_bench.py), and
// nothing of that is loaded before the button is pressed. Until then it shows one sentence that the build has stored.
//
// figure.dataset.outputs has what it shows in numbers, and figure.maps those of the maps, (layers, heads, n, n).

import { connect } from "./connect.js";
import { digits, inLanguage as said, make } from "./kit.js";

const LAYERS = 6, HEADS = 12, MOST = 64, SPACE = 3;
const LEVELS = [0.1, 0.3, 0.6]; // weights from which a cell of a small map is darker
const EXAMPLES = [ // in small letters, as the model reads all
  "he put the money into the bank by the river.", "we sat on the bank of the river. the bank was closed.",
  "the dog chased the cat.", "the cat chased the dog.", "the trophy does not fit in the suitcase because it is too large.",
  "the trophy does not fit in the suitcase because it is too small.", "nobody saw the old horse behind the house.",
  "that is a happy person. that is a happy dog.", "time flies like an arrow. fruit flies like a banana.",
  "the old man the boat.", "attention is all you need.", "buffalo buffalo buffalo buffalo."];
const WHAT = { nothing: "Leave all tokens as they are", zero: "Set a token's value to zero", hide: "Hide a token's key" };
const NO_ENGINE = "This browser can't run the model (it has no WebAssembly). The stored sentence stays here to look at.";
const STOPPED = "You stopped it. Your words are still here.";

export function mount(figure) {
  const inputs = JSON.parse(figure.dataset.inputs);
  const size = Number(figure.dataset.model); // bytes until the first sentence; none where the build had no model
  const can = Boolean(globalThis.WebAssembly && globalThis.DecompressionStream);
  const packed = Uint8Array.from(atob(inputs.maps), (c) => c.charCodeAt(0));
  let whole = { tokens: inputs.tokens, all: inputs.tokens.length, maps: Float32Array.from(packed, (x) => x / 255), lengths: inputs.lengths, moves: inputs.moved, stored: true };
  let shown = whole, [layer, head] = inputs.first, row = 0, turn = 0, queue = Promise.resolve();
  let loaded = 0, before = 0;
  const python = connect(advance);

  // What stands on the page ---------------------------------------------------------------------------------------

  const button = (words, act, kind = "picture-again") => {
    const made = make("button", { type: "button", class: kind }, said(words));
    made.addEventListener("click", act);
    return made;
  };
  const choose = (label, entries, act) => {
    const list = make("select", {}, ...entries.map(([value, words]) => make("option", { value }, words)));
    list.addEventListener("input", () => act(list.value));
    return Object.assign(make("label", { class: "picture-control" }, make("span", {}, said(label)), list), { list });
  };
  const count = (n) => Array.from({ length: n }, (_, i) => [i, String(i)]);
  const field = make("textarea", { rows: 2, id: "bench-text", spellcheck: "false", autocomplete: "off" });
  const examples = choose("Or take one of ours", [["", "…"], ...EXAMPLES.map((text) => [text, text])], (text) => { if (text) field.value = text; });
  const reads = button("Read it", () => read(), "picture-read");
  const stops = button("Stop", stop);
  const bar = make("progress", { max: 1, value: 0, "aria-label": said("Loading the model") });
  const status = make("p", { class: "bench-status", role: "status" });
  const [small, large] = [1, 2].map(() => make("canvas", { "aria-hidden": "true" }));
  const blocks = choose("Block", count(LAYERS), (value) => { layer = Number(value); pick(); });
  const heads = choose("Head", count(HEADS), (value) => { head = Number(value); pick(); });
  const asks = choose("Which token asks", [], (value) => { row = Number(value); draw(); });
  const off = make("input", { type: "checkbox" });
  const what = choose("In all blocks", Object.entries(WHAT).map(([value, words]) => [value, said(words)]), change);
  const at = choose("Which token", [], change);
  const words = make("p", { class: "bench-words" }), sentence = make("p", { class: "picture-sentence" });
  const table = make("table", {}), moved = make("p", { class: "bench-moved", role: "status" });
  off.addEventListener("input", change);
  field.value = inputs.text;
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); read(); }
  });
  const ablate = make("label", { class: "picture-control bench-off" }, off, make("span", {}, said("Switch this head off")));
  const offered = [make("label", { for: "bench-text", class: "bench-label" }, said("Your own sentence, or two")), field,
    make("div", { class: "picture-controls" }, reads, stops, examples), bar];
  const licence = make("p", { class: "bench-licence" }, said("The model is all-MiniLM-L6-v2 (Apache 2.0), rounded to half precision:"), " ",
    make("a", { href: new URL("../model/LICENCE.txt", import.meta.url) }, said("Licence and source")));
  const legend = make("p", { class: "bench-licence" }, said("Each square is the map of one head: a row is a token that asks. The bar under it says how far the sentence moves without that head."));
  figure.querySelector("[data-static]")?.setAttribute("hidden", "");
  const frame = make("div", { class: "picture-frame bench" }, ...(size && can ? offered : []), status, small, legend,
    make("div", { class: "picture-controls" }, blocks, heads, asks), large, words, sentence, table,
    make("div", { class: "picture-controls" }, ablate, ...(size && can ? [what, at] : [])), moved, ...(size && can ? [licence] : []));
  figure.append(frame);
  small.addEventListener("click", (event) => {
    const { left, top, side } = layout();
    const [j, i] = [(event.offsetX - left) / (side + SPACE), (event.offsetY - top) / (side + 2 * SPACE)].map(Math.floor);
    if (i >= 0 && i < LAYERS && j >= 0 && j < HEADS) { [layer, head] = [i, j]; pick(); }
  });
  large.addEventListener("click", (event) => {
    const { left, top, cell } = open();
    const i = Math.floor((event.offsetY - top) / cell);
    if (event.offsetX >= left && i >= 0 && i < shown.tokens.length) { row = i; draw(); }
  });

  // Asking Python -------------------------------------------------------------------------------------------------

  function advance({ loaded: now }) {
    if (now < before) loaded += before;
    before = now;
    bar.value = Math.min(1, (loaded + now) / size);
    if (figure.dataset.busy && loaded + now < size) status.textContent = said(`Loading ${((loaded + now) / 2 ** 20).toFixed(0)} of ${(size / 2 ** 20).toFixed(0)} MB.`);
  }

  /** What the bench in Python answers. */
  async function ask(asked) {
    await python.start().catch((error) => {
      loaded = before = 0;
      throw error;
    });
    const found = await python.ask({ asked });
    if (found.type !== "done") throw new Error(found.text);
    if (found.maps) found.maps = new Float32Array(found.maps.slice().buffer);
    return found;
  }

  /** Do something after what is being done; what was asked for in between is left out. */
  function act(doing, work) {
    const mine = ++turn, isCurrent = () => mine === turn;
    busy(doing);
    queue = queue.then(async () => {
      if (!isCurrent()) return;
      let end = "";
      try {
        end = await work(isCurrent) ?? "";
      } catch ({ message }) {
        end = message === STOPPED ? STOPPED : `The sentence could not be read (${message}). Your words are still here: press the button to try again.`;
        [off.checked, what.list.value] = [false, "nothing"];
        shown = whole;
        draw();
      }
      if (isCurrent()) busy("", end);
    });
  }

  function busy(doing, end = "") {
    figure.dataset.busy = doing ? "1" : "";
    stops.hidden = bar.hidden = !doing;
    moved.setAttribute("aria-busy", Boolean(doing));
    status.textContent = said(doing || end);
  }

  function stop() {
    turn += 1;
    if (whole.stored) { // the model is still being loaded
      python.stop(STOPPED);
      loaded = before = 0;
    }
    busy("", STOPPED);
  }

  /** Read what is in the field. */
  function read() {
    if (!size || !can) return;
    const text = field.value;
    act("Reading.", async () => {
      const found = await ask({ text });
      reads.textContent = said("Read it");
      whole = { ...found, moves: Array.from({ length: LAYERS }, () => Array(HEADS).fill(null)) };
      shown = whole;
      row = 0;
      [off.checked, what.list.value, at.list.value] = [false, "nothing", "0"];
      fill();
      return found.all > MOST ? `Only the first ${MOST} of ${found.all} tokens were read.` : "";
    });
  }

  function pick() {
    if (off.checked) change();
    else draw();
  }

  /** Read the same sentence with something changed; then, if a head is off, without each of the others. */
  function change() {
    turn += 1;
    shown = whole;
    const { list: { value } } = what;
    draw();
    if (whole.stored || (!off.checked && value === "nothing")) return busy("");
    const asked = { off: off.checked ? [layer, head] : null, [value]: [Number(at.list.value)] };
    act("Reading.", async (isCurrent) => {
      const found = await ask(asked);
      if (!isCurrent()) return;
      shown = { ...whole, ...found };
      if (asked.off && value === "nothing") whole.moves[layer][head] = found.moved;
      draw();
      if (asked.off) await sweep(isCurrent);
    });
  }

  async function sweep(isCurrent) {
    const all = Array.from({ length: LAYERS * HEADS }, (_, i) => [Math.floor(i / HEADS), i % HEADS]);
    all.sort(([i], [j]) => (j === layer) - (i === layer) || j - i); // its own block first, then from the last, which is quick
    for (const [i, j] of all.filter(([i, j]) => whole.moves[i][j] === null)) {
      busy("Now without each of the other heads, one at a time.");
      whole.moves[i][j] = (await ask({ off: [i, j], brief: true })).moved;
      if (!isCurrent()) return;
      draw();
    }
  }

  // Drawing -------------------------------------------------------------------------------------------------------

  const find = (maps, i, j) => (a, b) => maps[((i * HEADS + j) * shown.tokens.length + a) * shown.tokens.length + b];

  function layout() {
    const left = 20, top = 18, side = Math.floor((frame.clientWidth - left) / HEADS) - SPACE;
    return { left, top, side, height: top + LAYERS * (side + 2 * SPACE) };
  }

  function open() {
    const n = shown.tokens.length, wide = Math.min(frame.clientWidth, 460);
    const longest = Math.min(90, 8 * Math.max(...shown.tokens.map((token) => token.length)) + 8);
    const room = (wide - longest) / n >= 12 ? longest : 4; // no room for words: the line below has them
    return { left: room, top: room, cell: (wide - room) / n, height: wide, room };
  }

  function start(canvas, height) {
    const ratio = devicePixelRatio || 1, width = frame.clientWidth;
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(figure), colour = (name) => style.getPropertyValue(`--${name}`).trim() || "gray";
    const fill = (name, x, y, w, h, alpha = 1) => { Object.assign(pen, { fillStyle: colour(name), globalAlpha: alpha }); pen.fillRect(x, y, w, h); };
    const text = (words, x, y, align = "center", name = "muted") => {
      Object.assign(pen, { fillStyle: colour(name), globalAlpha: 1, font: `12px ${style.getPropertyValue("--sans") || "sans-serif"}`, textAlign: align, textBaseline: "middle" });
      pen.fillText(words, x, y);
    };
    return { pen, fill, text, colour };
  }

  function draw() {
    const { tokens, maps, lengths } = shown, n = tokens.length, map = find(maps, layer, head);
    const { left, top, side, height } = layout(), sheet = start(small, height), most = Math.max(1e-9, ...whole.moves.flat());
    for (let j = 0; j < HEADS; j += 1) sheet.text(j, left + j * (side + SPACE) + side / 2, 8);
    for (let i = 0; i < LAYERS; i += 1) {
      sheet.text(i, 7, top + i * (side + 2 * SPACE) + side / 2);
      for (let j = 0; j < HEADS; j += 1) {
        const x = left + j * (side + SPACE), y = top + i * (side + 2 * SPACE), own = find(maps, i, j), unit = side / n;
        sheet.fill("line", x, y, side, side, 0.4);
        for (let a = 0; a < n; a += 1) for (let b = 0; b < n; b += 1) {
          const weight = own(a, b), level = LEVELS.findLast((least) => weight >= least);
          if (level) sheet.fill("weights", x + b * unit, y + a * unit, unit, unit, 0.25 + level);
        }
        if (whole.moves[i][j] !== null) sheet.fill("query", x, y + side + 1, Math.max(1, side * whole.moves[i][j] / most), SPACE);
        if (i === layer && j === head) {
          Object.assign(sheet.pen, { strokeStyle: sheet.colour("ink"), lineWidth: 2, globalAlpha: 1 });
          sheet.pen.strokeRect(x - 1, y - 1, side + 2, side + 2);
        }
      }
    }
    const view = open(), page = start(large, view.height);
    for (let a = 0; a < n; a += 1) {
      for (let b = 0; b < n; b += 1) page.fill("weights", view.left + b * view.cell, view.top + a * view.cell, view.cell - 0.5, view.cell - 0.5, 0.03 + 0.97 * map(a, b));
      if (view.room > 4) {
        page.text(short(tokens[a]), view.left - 5, view.top + (a + 0.5) * view.cell, "right", a === row ? "query" : "ink");
        page.pen.save();
        page.pen.translate(view.left + (a + 0.5) * view.cell, view.top - 5);
        page.pen.rotate(-Math.PI / 2);
        page.text(short(tokens[a]), 0, 0, "left", "ink");
        page.pen.restore();
      }
    }
    Object.assign(page.pen, { strokeStyle: page.colour("query"), lineWidth: 2, globalAlpha: 1 });
    page.pen.strokeRect(view.left, view.top + row * view.cell, n * view.cell, view.cell);
    for (const [control, value] of [[blocks, layer], [heads, head], [asks, row]]) control.list.value = value;
    tell(map, n, tokens, lengths);
  }

  const short = (token) => (token.length > 10 ? `${token.slice(0, 9)}…` : token);

  /** Say in words and numbers what the opened map shows, and what the changes have done. */
  function tell(map, n, tokens, lengths) {
    const all = [...tokens.keys()], mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / Math.max(1, numbers.length);
    const shares = {
      words: mean(all.map((a) => all.slice(1, -1).reduce((sum, b) => sum + map(a, b), 0))),
      first: mean(all.map((a) => map(a, 0))), last: mean(all.map((a) => map(a, n - 1))),
      previous: mean(all.slice(1).map((a) => map(a, a - 1))), length: lengths[layer][head],
      others: mean(lengths[layer].filter((_, j) => j !== head)),
    };
    words.replaceChildren(...all.flatMap((b) => {
      const token = make("span", { style: `--share: ${Math.round(55 * Math.sqrt(map(row, b)))}%` }, tokens[b]);
      if (b === row) token.className = "asks";
      return [token, " "];
    }));
    const [one, two] = all.toSorted((a, b) => map(row, b) - map(row, a));
    sentence.textContent = said(`In head ${layer}.${head}, ${tokens[row]} attends most to ${tokens[one]} (${digits(map(row, one))}) and then to ${tokens[two]} (${digits(map(row, two))}).`);
    const rows = [["Weight on words, on average", shares.words], ["Weight on [CLS]", shares.first], ["Weight on [SEP]", shares.last],
      ["Weight on the token before", shares.previous], ["Length of what the head takes", shares.length], ["The same, mean of the others in its block", shares.others]];
    const flat = whole.moves.flat(), far = flat.indexOf(Math.max(...flat));
    if (flat[far] > 0) rows.push([`The sentence moves farthest without head ${Math.floor(far / HEADS)}.${far % HEADS}, by`, flat[far]]);
    table.replaceChildren(...rows.map(([label, x]) => make("tr", {}, make("th", { scope: "row" }, said(label)), make("td", {}, digits(x, x === flat[far] ? 3 : 2)))));
    const [move, intact] = [shown === whole ? (off.checked ? whole.moves[layer][head] : null) : shown.moved, what.list.value === "nothing"];
    const known = flat.filter((x, i) => x !== null && i !== layer * HEADS + head), less = known.filter((x) => x < move).length;
    moved.textContent = move === null ? "" : said(!intact
      ? `With this change the sentence's vector moves by ${digits(move, 3)} (1 minus the cosine).`
      : `Without head ${layer}.${head} the sentence's vector moves by ${digits(move, 3)}: farther than without ${less} of the ${known.length} other heads tried.`);
    figure.maps = shown.maps;
    figure.dataset.outputs = JSON.stringify({ tokens, layer, head, row, move, shares, moves: whole.moves, lengths });
  }

  /** Put the tokens into the lists, and draw. */
  function fill() {
    for (const { list } of [asks, at]) {
      const kept = list.value;
      list.replaceChildren(...whole.tokens.map((token, i) => make("option", { value: i }, `${i} ${token}`)));
      list.value = kept in whole.tokens ? kept : 0;
    }
    for (const { list } of [what, at]) list.disabled = Boolean(whole.stored);
    draw();
  }

  if (size) reads.textContent = said(`Read it (${(size / 2 ** 20).toFixed(0)} MB, once)`);
  row = Math.max(0, inputs.tokens.indexOf("it"));
  fill();
  busy("", can ? "" : NO_ENGINE);
  new ResizeObserver(() => draw()).observe(frame);
  new MutationObserver(() => draw()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
}
