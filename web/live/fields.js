// The controls of an instrument: Colab's form fields, as sliders and the like. They are there before the page runs, and
// the first one that is moved starts it.

/** Words of this page in the language of its edition; words.js, which only some editions have, knows them. */
export const said = (words) => globalThis.inWords?.(words) ?? words;

/** An element with attributes and children; functions become listeners. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : name === "aria-label" ? said(value) : value);
  }
  const asItIs = tag === "pre" || tag === "option";
  element.append(...children.map((child) => (typeof child === "string" && !asItIs ? said(child) : child)));
  return element;
}

document.head.append(make("link", { rel: "stylesheet", href: new URL("page.css", import.meta.url) }));

/** The form fields of some code: [name, value in Python, form] each. */
export const find = (code) =>
  [...code.matchAll(/^(\w+)\s*=\s*(.+?)\s*#\s*@param\s*(\{.*?\}|\[.*?\])/gm)].map((found) => found.slice(1));

/** What tells the form fields of one code from those of another. */
export const sign = (lines) => lines.map(([name, , form]) => name + form).join();

/** Put the controls of a cell that is not running yet above its code; what is set with them waits for `start`. */
export function offer(pre, n, start) {
  const input = pre.closest(".cell_input");
  const note = make("span", { class: "live-note", role: "status" });
  const fields = make("div", { class: "live-fields" });
  const wanted = new Map(), lines = find(pre.textContent);
  const cell = { n, set(name, value) {
    wanted.set(name, value);
    note.textContent = said("Python is loading. The result follows.");
    start().catch((error) => (note.textContent = error.message));
  } };
  const controls = new Map(lines.map(([name, value, form]) => [name, field(cell, name, value, form)]));
  for (const [name, value] of lines) controls.get(name).set(value);
  fields.append(...[...controls.values()].map((control) => control.element), note);
  /** Give the controls, with whoever holds one, to the cell that runs. */
  fields.handOver = (running) => {
    cell.set = (name, value) => running.set(name, value);
    note.remove();
    return { fields, wanted, controls, known: sign(lines) };
  };
  (input.closest("details") ?? input).before(fields);
}

/** What Python writes as text, number, truth value or list, as JavaScript has it; undefined for anything else. */
function read(value) {
  try {
    return JSON.parse(value.replace(/\bTrue\b/g, "true").replace(/\bFalse\b/g, "false").replace(/'/g, '"'));
  } catch {
    return undefined;
  }
}

/** The control of one form field: {element, set(value in Python)}. */
export function field(cell, name, value, form) {
  const id = `live-${cell.n}-${name}`;
  const options = read(form.replace(/(\w+)\s*:/g, '"$1":').replace(/,\s*([}\]])/g, "$1")) ?? {};
  const title = name.replaceAll("_", " ");
  if (rows(value)) return toggles(cell, name, title, value);
  let control, write = (given) => given;
  if (Array.isArray(options)) {
    control = make("select", { id }, ...options.map((option) => make("option", {}, String(option))));
    write = (given) => (options.some((option) => typeof option === "string") ? JSON.stringify(given) : given);
  } else if (options.type === "boolean") {
    control = make("input", { id, type: "checkbox" });
  } else if (options.type === "slider") {
    control = make("input", { id, type: "range", min: options.min, max: options.max, step: options.step ?? 1 });
    const real = [value, options.min, options.max, options.step].some((part) => /[.e]/.test(String(part)));
    write = (given) => (real && !/[.e]/.test(given) ? `${given}.0` : given);
  } else {
    const kind = { integer: "number", number: "number" }[options.type] ?? "text";
    control = make("input", { id, type: kind, step: options.type === "integer" ? 1 : "any", autocomplete: "off" });
    if (kind === "text" && options.type !== "raw") write = (given) => JSON.stringify(given);
  }
  const seen = make("output", { for: id });
  control.addEventListener("input", () => {
    const given = control.type === "checkbox" ? (control.checked ? "True" : "False") : write(control.value);
    if (given === "") return;
    seen.textContent = control.type === "range" ? given : "";
    cell.set(name, given);
  });
  const set = (given) => {
    const known = read(given) ?? given;
    if (control.type === "checkbox") control.checked = Boolean(known);
    else if (document.activeElement !== control || control.type === "range") control.value = known;
    seen.textContent = control.type === "range" ? given : "";
  };
  return { element: make("div", { class: "live-field" }, make("label", { for: id }, title), control, seen), set };
}

/** A matrix of zeros and ones, written "1000 1100" or [[1, 0], [True, False]], as rows; undefined for anything else. */
function rows(value) {
  const found = read(value);
  if (Array.isArray(found) && Array.isArray(found[0])) return found.map((row) => row.map(Boolean));
  if (/^[01]+( [01]+)+$/.test(found)) return found.split(" ").map((row) => [...row].map((entry) => entry === "1"));
}

/** A grid of check boxes for such a matrix. */
function toggles(cell, name, title, value) {
  const words = /True|False/.test(value) ? ["False", "True"] : ["0", "1"];
  const written = (lines) => typeof read(value) === "string"
    ? JSON.stringify(lines.map((line) => line.map((box) => Number(box.checked)).join("")).join(" "))
    : `[${lines.map((line) => `[${line.map((box) => words[Number(box.checked)]).join(", ")}]`).join(", ")}]`;
  const boxes = rows(value).map((row, i) => row.map((_, j) => make("input", {
    type: "checkbox", "aria-label": `${title}, row ${i + 1}, column ${j + 1}`, input: () => cell.set(name, written(boxes)),
  })));
  const set = (given) => rows(given)?.forEach((row, i) => row.forEach((entry, j) => {
    if (boxes[i]?.[j]) boxes[i][j].checked = entry;
  }));
  const lines = boxes.map((line) => make("tr", {}, ...line.map((box) => make("td", {}, box))));
  return { element: make("fieldset", { class: "live-field" }, make("legend", {}, title), make("table", {}, make("tbody", {}, ...lines))), set };
}
