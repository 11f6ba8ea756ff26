// A chapter whose cells run where they stand. The page's notebook says which cell is which, cells.json which of them
// were seen to give exactly the stored text; Python is in worker.js.
import { adopt, bound, grader, open, pair, plain, text, title } from "./carry.js";
import { coloured } from "./colour.js";
import { field, find, make, said, sign } from "./fields.js";

const here = (name) => new URL(name, import.meta.url);
const json = async (url) => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${new URL(url).pathname} could not be loaded: ${response.status}`);
  return response.json();
};

const button = (words, what, attributes = {}) =>
  make("button", { type: "button", class: "btn btn-sm btn-outline-primary", "data-live": what, ...attributes }, words);
const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);

let bar, status, told, progress, counter, stop, cells, notebook, worker, began, current, waiting;
const READY = "Ready. Change a number and press Run, or Shift and Enter.";
const MODULES = /^(import |from attention_course import )/m; // whose names no cell is said to use
let number = 0; // of the latest run
const names = new Map(); // what some code uses and changes, as Python reads it
let own = []; // what a loaded notebook has besides the page's cells: {after: id of one of those, cell}
let aside = {}; // what it has in the place of the page's cells that are not edited here, by their ids

// Cells ----------------------------------------------------------------------------------------------------------

class Cell {
  constructor(element, source, n, how) {
    Object.assign(this, { element, source, n, how, original: plain(text(source.source)), outputs: null });
    this.bound = new Set(bound(this.original));
    this.offered = element && ["whole", "alone", "answer", "check", "own"].includes(how);
    if (this.offered) this.build();
    else if (element && (how === "part" || how === "no")) this.explain();
    this.shown = null;
  }

  get code() {
    return this.offered ? plain(this.editor.value) : this.original;
  }

  /** The cells that may have to run for this one, and itself. An answer is needed by its own check, and by what names it. */
  get all() {
    const above = cells.slice(0, cells.indexOf(this));
    const answer = this.how === "check" && above.findLast((cell) => cell.how !== "own");
    const others = above.filter((cell) => ["own", "whole"].includes(cell.how));
    const naming = [answer, this, ...others].map((cell) => cell?.code).join("\n");
    const needs = (cell) => cell === answer || [...cell.bound].some((name) => new RegExp(`\\b${name}\\b`).test(naming));
    const before = above.filter((cell) => ["whole", "part", "check", "own"].includes(cell.how) || (cell.how === "answer" && needs(cell)));
    return [...before, this];
  }

  /** Those of them that run: from the first exercise on only what it shares names with, so that no check waits for a chapter. */
  get chain() {
    const { all } = this, needed = new Set(this.needs((cell) => cell.code));
    const whole = !all.some((cell) => cell.how === "answer");
    return whole ? all : all.filter((cell) => needed.has(cell) || MODULES.test(cell.code));
  }

  /** Whether something that this cell's result hangs on is not as it was when the result came out. */
  get stale() {
    if (!this.shown && ["answer", "check", "own"].includes(this.how)) return false;
    const then = (cell) => (this.shown ? this.shown.get(cell) : cell.original);
    const now = (cell) => cell.code;
    return [...this.needs(then), ...this.needs(now)].some((cell) => then(cell) !== now(cell));
  }

  /** Whether this check says of the answer as it stands that it is right. */
  get right() {
    return Boolean(this.outputs) && !this.stale && this.outputs.every((output) => output.kind !== "error");
  }

  /** Those above that share names with this cell, or with one of them, given the code of each. */
  needs(code) {
    const others = new Set(this.all);
    const found = [this], wanted = new Set();
    others.delete(this);
    for (const cell of found) {
      const own = names.get(code(cell));
      if (!own) return this.all; // not known yet, or no Python
      const alone = cell === this || cell.how === "answer" || own.changes.includes("*"); // whatever it changes
      for (const name of [...own.uses, ...(alone ? [] : own.changes)]) wanted.add(name);
      for (const other of others) {
        const touched = names.get(code(other))?.changes ?? ["*"];
        if (touched.some((name) => name === "*" || wanted.has(name))) {
          others.delete(other);
          found.push(other);
        }
      }
    }
    return found;
  }

  /** Where this cell's code stands, then the editor in its place, the buttons, and room for what it gives. */
  build() {
    const { n, element } = this;
    const input = element.querySelector(".cell_input");
    const folded = input.closest("details");
    const check = this.how === "check";
    element.dataset.liveCell = n;
    this.editor = make("textarea", {
      "data-live": "source", "aria-label": `Code of cell ${n}`, spellcheck: "false", autocapitalize: "off",
      autocomplete: "off", wrap: "off", readonly: check, input: () => this.edited(true), keydown: (event) => this.key(event),
    });
    this.editor.addEventListener("scroll", () => (this.colours.scrollLeft = this.editor.scrollLeft));
    this.editor.value = this.original;
    const words = check ? "Check" : "Run";
    this.run = button(words, "run", { "aria-label": `${words} cell ${n}`, click: () => ask(this) });
    this.reset = button("Reset", "reset", { "aria-label": `Reset cell ${n}`, click: () => this.restore(), disabled: true });
    this.note = make("span", { "data-live": "note", class: "live-note" });
    const name = make("span", { class: "live-note" }, this.how === "own" ? `cell ${n}, your own` : `cell ${n}`);
    this.tools = make("div", { class: `live-tools ${["answer", "check", "own"].includes(this.how) ? "live-exercise" : ""}` }, this.run, this.reset, name, this.note);
    this.output = make("div", { "data-live": "output", class: `cell_output docutils container${check ? " live-check" : ""}` });
    this.colours = make("div", { "aria-hidden": "true" });
    const written = make("div", { class: "live-code highlight" }, this.colours, this.editor);
    const outside = folded && element.contains(folded) ? folded : null;
    input.hidden = true;
    input.after(written);
    const offered = element.querySelector(".live-fields"); // by the page, before it ran
    Object.assign(this, offered?.handOver(this) ?? { fields: make("div", { class: "live-fields" }), wanted: new Map() });
    if (!offered) (outside ?? written).before(this.fields);
    (outside ?? written).after(this.tools, this.output);
    this.stored = [...element.querySelectorAll(".cell_output")].filter((part) => part !== this.output);
    this.fit();
    this.offerFields();
  }

  explain() {
    const link = make("a", { href: copy(), download: true }, "the notebook");
    const words = this.how === "part" ? "This cell needs PyTorch, which does not run in a browser. Use " : "This cell does not run here. Use ";
    this.element.append(make("p", { class: "live-note", "data-live": "elsewhere" }, words, link, "."));
  }

  fit() {
    this.editor.rows = this.editor.value.split("\n").length;
    this.colours.replaceChildren(...coloured(this.editor.value), "\n");
  }

  edited(byHand) {
    this.fit();
    if (byHand) this.offerFields();
    save();
    mark();
    if (byHand && this.how === "answer") kept.at("exercise", exercise(this));
  }

  key(event) {
    const { editor } = this;
    const insert = (words) => {
      event.preventDefault();
      editor.setRangeText(words, editor.selectionStart, editor.selectionEnd, "end");
      this.edited(true);
    };
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      ask(this);
    } else if (event.key === "Escape") this.run.focus();
    else if (editor.readOnly) return;
    else if (event.key === "Tab" && !event.shiftKey && bar.querySelector("[data-live=tab]").checked) insert("    ");
    else if (event.key === "Enter") {
      const line = editor.value.slice(0, editor.selectionStart).split("\n").pop();
      insert("\n" + line.match(/^\s*/)[0] + (/:\s*$/.test(line) ? "    " : ""));
    }
  }

  /** The page's own code and output. */
  restore() {
    this.editor.value = this.original;
    this.show(null);
    this.edited(true);
  }

  /** Show what a run gave, or with null the page's own output. */
  show(outputs, codes) {
    this.outputs = outputs;
    this.shown = outputs && codes;
    this.output.replaceChildren(...(outputs ?? []).map(shown));
    for (const part of this.stored) part.hidden = Boolean(outputs);
  }

  mark() {
    const changed = this.code !== this.original;
    this.reset.disabled = !changed && !this.outputs;
    const { stale } = this;
    const own = stale && !this.shown && changed && this.needs((c) => c.code).every((c) => c === this || c.code === c.original);
    const silent = this.outputs?.length === 0 ? "The cell ran and printed nothing." : "";
    const words = current?.cell === this ? current.words : waiting === this ? "This cell will run as soon as Python is free."
      : !stale ? silent : own ? "You have changed this cell. Run it again." : "Out of date, because this cell or one above it has changed. Run it again.";
    this.note.textContent = said(words);
    this.element.classList.toggle("live-stale", stale);
  }

  // The instrument: Colab's form fields, as sliders and the like, each of which rewrites its line and runs the cell.

  offerFields() {
    const lines = find(this.editor.value);
    const known = sign(lines);
    if (known !== this.known) {
      this.known = known;
      this.controls = new Map(lines.map(([name, value, form]) => [name, field(this, name, value, form)]));
      this.fields.replaceChildren(...[...this.controls.values()].map((control) => control.element));
    }
    for (const [name, value] of lines) this.controls.get(name).set(value);
  }

  set(name, value) {
    this.editor.value = this.editor.value.replace(
      new RegExp(`^(${name}\\s*=\\s*)(.+?)(\\s*#\\s*@param)`, "m"), (_, start, old, end) => start + value + end);
    this.edited(false);
    ask(this);
  }
}

/** The element that shows one output. */
function shown({ kind, text: words, svg, lines }) {
  if (kind === "svg") {
    const labels = [...new DOMParser().parseFromString(svg, "image/svg+xml").querySelectorAll("text")].map((t) => t.textContent);
    const alt = `Redrawn. It reads: ${labels.join(", ")}`;
    return make("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, alt });
  }
  const pre = make("pre", {}, kind === "error" ? [said(words), lines, said(hint(words, lines))].filter(Boolean).join("\n") : words);
  return make("div", { class: kind === "error" ? "output live-error" : "output stream" }, make("div", { class: "highlight" }, pre));
}

/** What to do about code that a notebook understands and Python alone does not. */
function hint(words, lines) {
  if (!/^SyntaxError/.test(words)) return "";
  if (/'(await|async .*)' outside/.test(words)) return "On this page await works only inside async def. The notebook understands it everywhere.";
  if (/: [%!]+pip\b/.test(lines)) return "Nothing can be installed on this page. NumPy, Matplotlib and the book's packages are here already, so put # before this line.";
  if (/: ([%!?]|.*= *[%!]|.*\?$)/.test(lines)) return "This line is a command for Jupyter, which this page cannot carry out. Put # before it to run the rest.";
  return "";
}

/** Mark what is out of date, once Python has read what is new. */
function mark() {
  cells.filter((cell) => cell.offered).forEach((cell) => cell.mark());
  const sources = [...new Set(cells.map((cell) => cell.code))].filter((source) => !names.has(source));
  if (!sources.length || current) return;
  for (const source of sources) names.set(source, null);
  worker.postMessage({ sources });
}

// Running --------------------------------------------------------------------------------------------------------

function say(state, ...words) {
  status.dataset.state = state;
  status.textContent = words.filter(Boolean).map(said).join(" ");
}

/** Say something of the reader's notebook, in sight of the buttons that it has. */
function tell(...words) {
  say(status.dataset.state, ...words);
  told.textContent = status.textContent;
  told.scrollIntoView({ block: "nearest" });
}

/** Start Python anew; what it is asked in the meantime waits. */
function boot(words) {
  say("loading", words);
  worker?.terminate();
  for (const [source, found] of names) if (!found) names.delete(source); // asked, and not answered
  worker = new Worker(here("worker.js"), { type: "module", name: document.documentElement.lang });
  began = performance.now();
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message || "the worker could not be loaded"));
    worker.onmessage = ({ data }) => {
      if (data.type === "ready") {
        progress.hidden = true;
        bar.dataset.seconds = ((performance.now() - began) / 1000).toFixed(1);
        resolve();
      } else if (data.type === "failed") reject(new Error(data.text));
      else hear(data);
    };
  });
}

function hear(data) {
  if (data.type === "progress") {
    progress.hidden = data.loaded >= data.total;
    progress.max = data.total;
    progress.value = data.loaded;
    (current?.cell.note ?? status).after(progress, counter);
    counter.textContent = progress.hidden ? "" : ` ${mib(data.loaded)} MB`; // not read aloud
    const words = data.loaded >= data.total ? (current ? "Starting the plotting library." : "Starting Python.")
      : current ? `Loading the plotting library, ${mib(data.total)} MB, only once.` : `Loading ${mib(data.total)} MB.`;
    if (status.textContent === said(words)) return;
    status.textContent = said(words);
    if (current) current.words = words;
    current?.cell.mark();
  } else if (data.type === "running") {
    const now = performance.now();
    if (!current || now - current.heard < 2000) return; // not more often than it can be read aloud
    current.heard = now;
    say("running", `Running cell ${data.n}.`, data.n !== current.cell.n && `It comes before cell ${current.cell.n}.`);
  } else if (data.type === "names") {
    for (const [source, found] of data.found) names.set(source, found ?? { uses: [], changes: ["*"] });
    mark();
    if (waiting && !current) ask(waiting);
  } else if (current && data.id === current.id) {
    const { cell, codes } = current;
    bar.dataset.seconds = ((performance.now() - current.began) / 1000).toFixed(3);
    current = null;
    progress.hidden = true;
    stop.hidden = true;
    if (data.type === "done") {
      kept.parts(data.parts);
      finish(cell, data.results, codes);
    } else {
      cell.show([{ kind: "error", text: "Python stopped, so we started it again.", lines: data.text.split("\n").pop() }], codes);
      restart("Starting again.");
    }
    mark();
    if (waiting) ask(waiting);
  }
}

/** Show what the cell that was asked for gave, and what cells above it gave if theirs was out of date. */
function finish(asked, results, codes) {
  for (const result of results) {
    const cell = cells.find((one) => one.n === result.n);
    if (!cell.offered || (cell !== asked && (result.later || cell.how === "check"))) continue;
    if (cell === asked || result.stops || cell.stale || (cell.how === "own" && result.error)) cell.show(result.outputs, codes);
  }
  const last = results.at(-1);
  if (last.n !== asked.n) {
    const why = { kind: "error", text: `Cell ${asked.n} did not run, because cell ${last.n} above it stopped with an error.`, lines: "" };
    asked.show([why, ...last.outputs.filter((output) => output.kind === "error")], codes);
  }
  if (asked.how === "check") {
    const n = exercise(asked), solved = `solved ${pagename()}`;
    if (asked.right) kept.write(solved, { ...kept.read(solved), [n]: 1 });
    kept.at("exercise", n);
    compare(asked, last.n === asked.n, codes);
  }
  const error = last.outputs.find((output) => output.kind === "error");
  const first = (error ?? last.outputs.at(-1))?.text.split("\n")[0] ?? "";
  const words = asked.how === "check" ? `Cell ${asked.n}: ${first}` : `Cell ${asked.n} has run.`;
  say("ready", error && !error.said ? `Cell ${last.n} stopped: ${first}.` : words);
}

/** After success or five different answers, offer the solution that the page's notebook brings, if it brings any. */
function compare(check, ran, codes) {
  const packed = notebook.cells.map((cell) => text(cell.source).match(/take_solutions\("([\w+/=]+)"\)/)?.[1]).find(Boolean);
  if (!packed || check.solution || !ran || /NotImplementedError/.test(check.outputs[0]?.text)) return;
  check.runs = (check.runs ?? 0) + 1;
  check.tried = new Set(check.tried).add([...codes.values()].join("\n"));
  check.promise?.remove();
  const words = `You can open one solution here once yours is right or you have tried five different answers. So far: ${check.tried.size}.`;
  check.promise = make("p", { class: "live-note", "data-live": "promise" }, words);
  if (!check.right && check.tried.size < 5) {
    if (check.runs >= 3) check.output.after(check.promise);
    return;
  }
  const name = [...check.original.matchAll(/checks\.(\w+)\(/g)].at(-1)[1];
  const code = make("pre", {}, JSON.parse(atob(packed))[name]);
  check.solution = make("details", { "data-live": "solution" },
    make("summary", {}, said("One solution, to compare with yours")), make("div", { class: "highlight" }, code));
  check.output.after(check.solution);
}

/** Run a cell; while another one runs, only the latest wish is kept. */
function ask(cell) {
  const before = waiting;
  const unread = cell.all.some((one) => !names.get(one.code)); // which of them it needs isn't known yet
  waiting = current || unread || status.dataset.state === "loading" ? cell : null;
  before?.mark();
  cell.mark();
  if (unread) mark();
  if (waiting) return;
  const { chain } = cell;
  current = { id: ++number, cell, words: "Running…", codes: new Map(cell.all.map((one) => [one, one.code])), began: performance.now(), heard: performance.now() };
  const how = (one) => (one === cell || one.how === "whole" ? "whole" : { check: "imports", own: "answer" }[one.how] ?? one.how);
  cell.run.after(stop);
  setTimeout(() => {
    stop.hidden = current?.cell !== cell;
    cell.mark();
  }, 150);
  say("running", `Running cell ${cell.n}.`);
  worker.postMessage({ id: current.id, parts: kept.parts(), chain: chain.map((one) => ({ n: one.n, source: one.code, how: how(one) })) });
}

function restart(words) {
  boot(words).then(() => {
    say("ready", READY);
    if (waiting) ask(waiting);
  }, failed);
}

function halt() {
  const { cell } = current ?? {};
  current = waiting = null;
  stop.hidden = true;
  cell?.show([{ kind: "error", text: "Stopped before the cell had finished.", lines: "" }], new Map());
  cell?.run.focus();
  restart("Stopped. Starting again.");
  mark();
}

function failed(error) {
  Object.assign(bar.querySelector("[data-live=start]"), { disabled: false, hidden: false });
  progress.hidden = true;
  say("failed", `Loading failed (${error.message}). Check your connection, then press Run this page again.`);
}

// What the reader wrote ------------------------------------------------------------------------------------------

const pagename = () => DOCUMENTATION_OPTIONS.pagename;
const copy = () => new URL(`${document.documentElement.dataset.content_root}_sources/${pagename()}.ipynb`, location);
const place = () => `live ${pagename()}`;

const { kept } = globalThis;
const NOT_KEPT = "This browser does not keep what you write. Save it as a notebook before you leave the page.";

/** The number of the exercise that a cell, an answer or a check, is of. */
function exercise(cell) {
  const at = notebook.cells.indexOf(cell.source);
  return notebook.cells.slice(0, at).filter((one) => grader(one).grade).length + 1;
}

function save() {
  const changed = cells.filter((cell) => cell.offered && !["check", "own"].includes(cell.how) && cell.code !== cell.original);
  const written = Object.fromEntries(changed.map((cell) => [cell.source.id, { source: cell.code, from: cell.original }]));
  const brought = currentOwn();
  if (brought.length || Object.keys(aside).length) written[""] = { own: brought, aside };
  const whole = kept.write(place(), Object.keys(written).length ? written : null);
  if (!whole) told.textContent = said(NOT_KEPT);
}

/** Bring back what was written here before; of a cell that the book has changed since, only an answer. */
function recall() {
  const known = kept.read(place()) ?? {};
  return bring(known[""] ?? { own: [], aside: {} }, (cell) => {
    const found = known[cell.source.id];
    return found && (cell.how === "answer" || found.from === cell.original) ? found.source : null;
  });
}

/** Put into each cell the source that is found for it, and the reader's own between them; say which cells differ now. */
function bring(brought, find) {
  const changed = cells.filter((cell) => {
    const source = cell.offered && !["check", "own"].includes(cell.how) && find(cell);
    if (!source || source === cell.code) return false;
    cell.editor.value = source;
    cell.fit();
    cell.offerFields();
    return true;
  });
  carry(brought);
  mark();
  const numbers = numbersOf(cells.filter((cell) => changed.includes(cell) || cell.how === "own"));
  return numbers && `Restored: cell ${numbers}. Press Run or Check to see the results again.`;
}

const numbersOf = (some) => some.map((cell) => cell.n).join(", ");

/** Show the reader's own code cells where they belong: each before the page's next one. */
function carry(brought) {
  for (const cell of cells.filter((one) => one.how === "own")) cell.element.remove();
  cells = cells.filter((one) => one.how !== "own");
  ({ own, aside } = brought);
  const order = notebook.cells.map((cell) => cell.id);
  for (const { after, cell: source } of own.filter((one) => one.cell.cell_type === "code")) {
    const at = cells.findIndex((one) => order.indexOf(one.source.id) > order.indexOf(after) && one.how !== "own");
    const place = at < 0 ? cells.length : at;
    const previous = cells[place - 1];
    const [n, m = 0] = String(previous?.n ?? 0).split(".");
    const code = make("div", { class: "cell_input docutils container" }, make("pre", {}, source.source));
    const element = make("div", { class: "cell docutils container" }, code);
    const next = cells.slice(place).find((one) => one.element);
    const outer = (one) => one.element.closest(".prediction, details") ?? one.element;
    if (next) outer(next).before(element);
    else outer(cells.findLast((one) => one.element)).after(element);
    cells.splice(place, 0, new Cell(element, source, `${n}.${Number(m) + 1}`, "own"));
  }
}

/** The reader's own cells as they are now, without those that were emptied. */
function currentOwn() {
  const code = (cell) => cells.find((one) => one.source === cell)?.code ?? cell.source;
  return own.map(({ after, cell }) => ({ after, cell: { ...cell, source: code(cell) } })).filter(({ cell }) => cell.source.trim());
}

function forget(name) {
  if (!confirm(said("Delete everything you wrote on this page, including your name, from this browser? This cannot be undone."))) return;
  for (const cell of cells) if (cell.offered && cell.code !== cell.original) cell.restore();
  carry({ own: [], aside: {} });
  save();
  mark();
  kept.write("name", null);
  kept.forget("live", "solved");
  name.value = "";
  tell("Your changes were deleted from this browser.");
}

/** The reader's notebook: the student copy with what they wrote and what it gave. */
function mine() {
  const copy = structuredClone(notebook);
  let count = 0;
  for (const cell of copy.cells) cell.source = aside[cell.id] ?? cell.source;
  for (const { after, cell } of currentOwn().reverse()) { // of several after the same cell, the first one comes first
    copy.cells.splice(copy.cells.findIndex((one) => one.id === after) + 1, 0, structuredClone(cell));
  }
  for (const cell of cells.filter((one) => one.offered)) {
    const target = copy.cells.find((one) => one.id === cell.source.id);
    if (!target) continue; // one of the reader's own, emptied
    if (cell.how !== "check" && cell.code !== cell.original) target.source = cell.code;
    if (cell.outputs) {
      target.execution_count = ++count;
      target.outputs = cell.outputs.map((output) => asOutput(output, count));
    } else if (target.source === cell.code && cell.code !== cell.original) Object.assign(target, { outputs: [], execution_count: null });
  }
  return copy;
}

function asOutput(output, count) {
  if (output.kind === "text") return { output_type: "stream", name: "stdout", text: output.text };
  if (output.kind === "error") {
    const [ename, ...rest] = output.text.split(": ");
    return { output_type: "error", ename, evalue: rest.join(": "), traceback: [output.text, ...(output.lines ? [output.lines] : [])] };
  }
  const data = { "text/plain": output.text, ...(output.kind === "svg" ? { "image/svg+xml": output.svg } : {}) };
  return { output_type: "execute_result", execution_count: count, data, metadata: {} };
}

function download(name) {
  const who = name.trim().replace(/[^\p{L}\p{N}.@-]+/gu, "-");
  const file = new Blob([JSON.stringify(mine(), null, 1) + "\n"], { type: "application/x-ipynb+json" });
  const link = make("a", { href: URL.createObjectURL(file), download: `${who ? `${who}_` : ""}${pagename().split("/").pop()}.ipynb` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  const open = unsolved().join(", ");
  const graded = notebook.cells.some((cell) => grader(cell).grade);
  tell(`Your notebook was saved as ${link.download}.`, graded && "Hand it in where your instructor told you to.",
    graded && (open ? `Still open or not checked: ${open}.` : "All its exercises are right."));
}

/** The names of the exercises whose checks do not say that they are right. */
function unsolved() {
  let name = "";
  const found = new Set();
  for (const source of notebook.cells) {
    if (source.cell_type === "markdown") name = text(source.source).match(/^\*\*(\d+\. [^*]+)\*\*/m)?.[1] ?? name;
    else if (grader(source).grade && !cells.find((cell) => cell.source === source).right) found.add(name);
  }
  return [...found];
}

/** Take over what a notebook has; say what of it does not run here, and what was not taken. */
async function load(file) {
  let theirs;
  try {
    theirs = await open(file);
  } catch {
    tell("This file is not a notebook.");
    return;
  }
  const pairs = pair(theirs, notebook.cells);
  if (!pairs.size) {
    const [other, here] = [title(theirs), title(notebook.cells)];
    tell(!other || other === here ? "None of this notebook's cells could be recognised. Download the blank notebook and copy your answers into it."
      : `This notebook belongs to another page: ${other}. You are on: ${here}.`);
    return;
  }
  const taken = new Set(notebook.cells.map((cell) => cell.id)), found = new Map();
  const brought = { own: [], aside: { ...aside } }, idle = [], refused = [];
  let after = null;
  for (const cell of theirs) {
    const source = pairs.get(cell), here = cells.find((one) => one.source === source);
    after = source?.id ?? after;
    if (!source && cell.source.trim()) brought.own.push({ after, cell: adopt(cell, taken) });
    if (!source || plain(cell.source) === plain(source.source)) continue;
    if (here?.how === "check") refused.push(here);
    else if (here?.offered) found.set(here, plain(cell.source));
    else brought.aside[source.id] = cell.source;
    if (here && !here.offered) idle.push(here);
  }
  const both = [...found.keys()].filter((cell) => cell.code !== cell.original && cell.code !== found.get(cell));
  if (both.length && !confirm(said(`Replace what you wrote here with what the notebook has? Cell ${numbersOf(both)}.`))) {
    for (const cell of both) found.delete(cell);
    refused.push(...both);
  }
  const same = (a, b) => a.id === b.id || plain(a.source) === plain(b.source);
  brought.own.push(...currentOwn().filter((old) => !brought.own.some((one) => same(one.cell, old.cell))));
  const words = bring(brought, (cell) => found.get(cell));
  save();
  const texts = [...brought.own.map(({ cell }) => cell), ...notebook.cells.filter((cell) => cell.id in brought.aside)]
    .some((cell) => cell.cell_type !== "code");
  tell(words,
    idle.length && `Kept for the notebook you download, though it does not run here: cell ${numbersOf(idle)}.`,
    texts && "Text that you added or changed is kept for the notebook, too.",
    refused.length && `Not taken from the notebook: cell ${numbersOf(refused)}.`,
    !words && !idle.length && !texts && !refused.length && "Nothing in this notebook differs from the page.");
}

function handIn() {
  const name = make("input", { id: "live-name", type: "text", autocomplete: "name", "data-live": "name" });
  const file = make("input", { id: "live-load", type: "file", accept: ".ipynb", "data-live": "load" });
  file.addEventListener("change", () => file.files[0] && load(file.files[0]).then(() => (file.value = "")));
  name.value = kept.read("name") ?? "";
  name.addEventListener("input", () => kept.write("name", name.value || null));
  told = make("p", { "data-live": "told" });
  return make("div", { class: "live-hand-in", role: "group", "aria-label": "Hand in" },
    make("p", {}, kept.works ? "What you write is kept only in this browser. To hand it in or take it elsewhere, save it as a notebook." : NOT_KEPT),
    make("p", {}, make("label", { for: "live-name" }, "Your name or student number, for the file name"), name,
      button("Download my notebook", "download", { click: () => download(name.value) })),
    make("p", {}, make("label", { for: "live-load" }, "Load my notebook"), file),
    make("p", {}, button("Delete my changes from this browser", "forget", { click: () => forget(name) })), told);
}

// The beginning --------------------------------------------------------------------------------------------------

/** Match the page's code cells with the notebook's, by their text. */
function match(list) {
  const visible = [...document.querySelectorAll(".bd-article div.cell")].filter((element) => element.querySelector(".cell_input pre"));
  const codes = notebook.cells.filter((cell) => cell.cell_type === "code");
  const left = new Set(visible); // a picture is above the imports, though its cell follows them
  return codes.map((source, i) => {
    const element = [...left].find((one) => plain(one.querySelector(".cell_input pre").textContent) === plain(text(source.source)));
    left.delete(element);
    const { grade, solution } = grader(source);
    const seen = list[source.id] ?? "no";
    const runs = seen === "whole" || seen === "alone";
    const how = runs && grade ? "check" : runs && solution ? "answer" : seen;
    return new Cell(element ?? null, source, i + 1, how);
  });
}

export async function begin(place) {
  bar = place;
  status = bar.querySelector("[data-live=status]");
  if (!progress) prepare();
  const started = boot("Loading.");
  started.catch(() => {}); // it is awaited below
  const [list, found] = await Promise.all([json(here("cells.json")), json(copy())]);
  await started;
  const back = cells ? "" : lay(list[pagename()], found); // a second press, after a failure, finds them there
  bar.querySelector("[data-live=start]").hidden = true;
  say("ready", READY, back);
  if (waiting) ask(waiting); // a field that was moved before
}

/** Make the cells of the page ready to be changed; return what is to be said of those that were. */
function lay(list, found) {
  notebook = found;
  cells = match(list);
  worker.postMessage({ sources: cells.map((cell) => cell.original) });
  const exercise = cells.filter((cell) => cell.how === "check" && cell.offered).at(-1);
  (exercise ?? cells.findLast((cell) => cell.offered)).element.after(handIn());
  const words = (told.textContent = said(recall()));
  for (const cell of cells.filter((one) => one.wanted?.size)) { // after what was kept, since it is the latest wish
    for (const [name, value] of cell.wanted) cell.set(name, value);
    cell.offerFields();
  }
  return words;
}

/** What the bar shows besides its button. */
function prepare() {
  progress = make("progress", { "aria-label": "Loaded so far", hidden: true });
  stop = button("Stop", "stop", { hidden: true, click: halt });
  const tab = make("input", { type: "checkbox", "data-live": "tab", id: "live-tab" });
  counter = make("span", { "aria-hidden": "true" });
  status.after(progress, counter, stop);
  bar.append(make("label", { class: "live-choice", for: "live-tab" }, tab, " The Tab key indents (Escape leaves the editor)"));
}
