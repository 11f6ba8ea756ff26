// A prediction that is produced instead of chosen: bars to drag to the weights, cells to mark, a point to place.
//
// The right answer is a table in the frame's <details class="choice right" data-kind="…">, so a page without scripts and a
// notebook have it as well, and its numbers are bound like all others. `data-within` says how near is right.
//   bars    a row each, a name and a number from 0 to `data-most` (1); with `data-sum` they add up to that
//   cells   1 where a cell is to be marked and 0 elsewhere, with a name at each row and column
//   place   a row for each point, a name and one number (on a line) or two (in a plane) from `data-least` to `data-most`;
//           the last is the one to place, the others are drawn
// Each is done with native inputs or buttons. What the reader made is kept nowhere; predict.js keeps whether it was right.

import { digits, inLanguage, make } from "./kit.js";

const STEPS = 50; // of a slider
const toNumber = (text) => Number(text.replace("−", "-"));

/** Put into a frame what its reader is to make, and tell(isRight) when it is to be compared. */
export function build(frame, tell) {
  const right = frame.querySelector("details.choice.right");
  const [head, ...rows] = [...right.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  const names = rows.map(([name]) => name), truth = rows.map(([, ...numbers]) => numbers.map(toNumber));
  const { kind, within = 0, least = 0, most = 1, sum } = right.dataset;
  const compare = make("button", { type: "button", class: "compare", disabled: "disabled" }, inLanguage("Compare"));
  const touched = () => { compare.disabled = false; };
  const asked = { head, names, truth, within: Number(within), least: Number(least), most: Number(most), sums: sum !== undefined, touched };
  const { parts, isRight } = { bars: askBars, cells: askCells, place: askPlace }[kind](asked);
  const group = make("div", { class: `produce ${kind}`, role: "group", "aria-label": inLanguage("Your prediction") }, ...parts, compare);
  compare.addEventListener("click", () => tell(isRight()));
  frame.querySelector("details.choice").before(group);
  frame.dataset.made = "";
}

/** A slider with its name and what it says: {row, set(value)}. */
function slide(name, { least, most }, told, after = []) {
  const input = make("input", { type: "range", min: least, max: most, step: (most - least) / STEPS, value: least, "aria-label": name });
  const output = make("output", {});
  input.addEventListener("input", () => told(Number(input.value)));
  const set = (value) => {
    input.value = value;
    output.textContent = digits(value);
    input.setAttribute("aria-valuetext", digits(value));
    input.style.setProperty("--part", (value - least) / (most - least));
  };
  return { row: make("label", {}, make("span", {}, name), input, output, ...after), set };
}

/** The words behind what was computed, which are there when the prediction is over. */
const computed = (number) => make("span", { class: "computed" }, inLanguage(`Computed ${digits(number)}`));

function askBars({ names, truth, within, most, sums, touched }) {
  const values = names.map(() => 0);
  const bars = names.map((name, i) => slide(name, { least: 0, most }, (value) => {
    const rest = values.reduce((total, x, j) => total + (j === i ? 0 : x), 0);
    if (sums) values.forEach((x, j) => { values[j] = (most - value) * (rest ? x / rest : 1 / (values.length - 1)); });
    values[i] = value;
    bars.forEach(({ set }, j) => set(values[j]));
    touched();
  }, [computed(truth[i][0])]));
  bars.forEach(({ row, set }, i) => { row.style.setProperty("--truth", truth[i][0] / most); set(0); });
  return { parts: bars.map(({ row }) => row), isRight: () => truth.every(([x], i) => Math.abs(x - values[i]) <= within + 1e-9) };
}

function askCells({ head, names, truth, touched }) {
  const columns = head.slice(1);
  const cells = truth.map((row, i) => row.map((reacts, j) => {
    const cell = make("button", { type: "button", "aria-pressed": "false", "aria-label": `${names[i]}, ${columns[j]}`, ...(reacts && { "data-right": "" }) });
    cell.tabIndex = i + j ? -1 : 0; // the arrow keys lead to the others
    cell.addEventListener("click", () => { cell.setAttribute("aria-pressed", String(!isPressed(cell))); touched(); });
    cell.addEventListener("keydown", (event) => {
      const [down, over] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
      const next = (down || over) && cells[i + down]?.[j + over];
      if (!next) return;
      event.preventDefault();
      [cell.tabIndex, next.tabIndex] = [-1, 0];
      next.focus();
    });
    return cell;
  }));
  const isPressed = (cell) => cell.getAttribute("aria-pressed") === "true";
  const title = (words, scope) => make("th", { scope }, words);
  const table = make("table", {}, make("tr", {}, make("td", {}, head[0]), ...columns.map((name) => title(name, "col"))),
    ...cells.map((row, i) => make("tr", {}, title(names[i], "row"), ...row.map((cell) => make("td", {}, cell)))));
  return { parts: [table], isRight: () => cells.flat().every((cell) => isPressed(cell) === ("right" in cell.dataset)) };
}

const SIDE = 300, EDGE = 28; // pixels
const limit = (x) => String(x).replace("-", "−"); // of an axis

function askPlace({ head, names, truth, within, least, most, touched }) {
  const axes = head.slice(1), flat = axes.length === 1, last = names.length - 1;
  const height = flat ? 110 : SIDE;
  const place = axes.map(() => (least + most) / 2);
  const along = (x) => EDGE + ((x - least) / (most - least)) * (SIDE - 2 * EDGE);
  const at = ([x, y]) => [along(x), flat ? height / 2 : SIDE - along(y)];
  const dot = (point, name, kind, r = 6, dy = -10) => {
    const [cx, cy] = at(point), isRight = cx > SIDE / 2;
    const text = make("text", { x: cx + (isRight ? -8 : 8), y: cy + (!flat && cy < 60 ? 20 : dy), "text-anchor": isRight ? "end" : "start" }, name);
    return make("g", { class: kind }, make("circle", { cx, cy, r }), text);
  };
  const drawing = make("svg", { "aria-hidden": "true", class: "plane", viewBox: `0 0 ${SIDE} ${height}` });
  const axis = (name, from, to, x, y, anchor) => [make("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], class: "axis" }),
    make("text", { x, y, class: "axis", "text-anchor": anchor }, `${name} (${limit(least)} … ${limit(most)})`)];
  const low = flat ? height / 2 : SIDE - EDGE;
  const still = [...axis(axes[0], [EDGE, low], [SIDE - EDGE, low], SIDE - EDGE, height - 6, "end"),
    ...(flat ? [] : axis(axes[1], [EDGE, EDGE], [EDGE, low], EDGE, EDGE - 10, "start")),
    ...truth.slice(0, last).map((point, i) => dot(point, names[i], "given")), dot(truth[last], inLanguage("Computed"), "computed", 6, -28)];
  const show = () => {
    drawing.replaceChildren(...still, dot(place, names[last], "placed", 9, 24));
    sliders.forEach(({ set }, i) => set(place[i]));
  };
  const sliders = axes.map((name, i) => slide(name, { least, most }, (value) => { place[i] = value; touched(); show(); }));
  const follow = (event) => {
    const box = drawing.getBoundingClientRect(), unit = box.width / SIDE;
    const toValue = (pixels) => Math.min(most, Math.max(least, least + ((pixels / unit - EDGE) / (SIDE - 2 * EDGE)) * (most - least)));
    place[0] = toValue(event.clientX - box.left);
    if (!flat) place[1] = toValue(SIDE * unit - (event.clientY - box.top));
    touched();
    show();
  };
  let held = null;
  drawing.addEventListener("pointerdown", (event) => {
    if (event.isPrimary && event.button === 0 && event.target.closest(".placed")) drawing.setPointerCapture(held = event.pointerId);
  });
  drawing.addEventListener("click", follow); // a tap on its place
  drawing.addEventListener("pointermove", (event) => { if (event.pointerId === held) follow(event); });
  drawing.addEventListener("lostpointercapture", () => { held = null; });
  drawing.addEventListener("touchstart", (event) => { if (event.target.closest(".placed")) event.preventDefault(); }, { passive: false });
  show();
  return { parts: [drawing, ...sliders.map(({ row }) => row)], isRight: () => Math.hypot(...place.map((x, i) => x - truth[last][i])) <= within + 1e-9 };
}
