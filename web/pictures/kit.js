// What all pictures to touch share: they are drawn, dragged, said aloud, set by the address and begun again here.
//
// A picture is a module with `controls`, `start`, `compute`, `draw`, `say` and, if it has one, a `goal`:
//   controls  [{name, label, min, max, step, words}] a slider each, [{name, label, choices}] a list of choices; one with
//             isShown(state) is there only while that is true. One that `asks` stands above the drawing: what the reader
//             expects, said first, so that choosing it sets all else back but what `stays`
//   start     (inputs) -> state {name of a control: number or choice}
//   compute   (state, inputs) -> outputs, numbers as JSON has them
//   draw      ({state, outputs, inputs, width, make, words}) -> {height, parts}, SVG elements in pixels
//   say       (state, outputs, inputs) -> one sentence of at most 25 words, with its numbers
//   legend    [[how it is drawn, its colour, words]] of what has no words in the drawing: line, disc, ring or frame, each
//             also dashed or dotted
//   goal      {words, isReached(state, outputs, inputs)}, isThere(…) if that may be so before the right thing was said, with
//             what to say `there` if the usual words don't fit, and far(…), a sentence, if it can be said how far away it is
//   grab      (x, y, {inputs, state, width, handle}) -> what of the state changes when the pointer is at this pixel;
//             handle is the data-handle of what is dragged
//   tap       (x, y, {inputs, state, width}) -> what of the state changes when this pixel is tapped, or null
// None of them keeps anything: drawing the same state twice gives the same elements.

const SVG = "http://www.w3.org/2000/svg";
const THERE = "You are there. Does what you see fit what you said first? Say it again, and do it once more.";
const QUIET = 450; // milliseconds without a change before a screen reader is told

/** Words in the language of the edition; words.js, which only some editions have, knows them. */
export const inLanguage = (words) => globalThis.inWords?.(words) ?? words;

/** An element of HTML or, by the name of one, of SVG. */
export function make(name, attributes = {}, ...children) {
  const isSvg = /^(svg|g|line|path|circle|rect|text|tspan)$/.test(name);
  const element = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A number as a picture shows it: two digits, a true minus, no −0, and nothing small that looks like 0. */
export function digits(x, places = 2) {
  const least = 10 ** -places;
  if (x !== 0 && Math.abs(x) < least / 2) return x > 0 ? `<${least}` : `>−${least}`;
  const text = Math.abs(x).toFixed(places);
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** The state that the address asks for, `#NAME?angle=30&weigh=relu`: what is unknown, or no number, is left out. */
export function readState(hash, name, controls) {
  const [page, query = ""] = decodeURIComponent(hash.slice(1)).split("?");
  if (page !== name) return {};
  const found = {};
  for (const [key, text] of new URLSearchParams(query)) {
    const control = controls.find((one) => one.name === key);
    if (control?.choices && text in control.choices) found[key] = text;
    if (control && !control.choices && text.trim() !== "" && Number.isFinite(Number(text)))
      found[key] = Math.min(control.max, Math.max(control.min, Number(text)));
  }
  return found;
}

/** Put a picture in the place of the static drawing in its figure. */
export function mount(figure, picture) {
  const { controls, start, compute, draw, say, goal, legend = [], grab, tap } = picture;
  const name = figure.dataset.picture;
  const inputs = JSON.parse(figure.dataset.inputs);
  const first = start(inputs);
  let state = { ...first, ...readState(location.hash, name, controls) };
  let spoken = 0;
  let handle = null;

  const drawing = make("svg", { "aria-hidden": "true", class: "picture-drawing" });
  const sentence = make("p", { class: "picture-sentence" });
  const status = make("p", { class: "picture-status", role: "status" });
  const aim = goal && make("p", { class: "picture-goal" });
  const again = make("button", { type: "button", class: "picture-again" }, inLanguage("Start again"));
  const kinds = make("ul", { class: "picture-legend" }, ...legend.map(([drawn, colour, words]) =>
    make("li", {}, make("i", { class: drawn, style: `--of: var(--${colour})` }), inLanguage(words))));
  const [asked, moved] = [true, false].map((asks) => controls.filter((one) => Boolean(one.asks) === asks).map(control));
  const panel = make("div", { class: "picture-controls" }, ...moved, again);
  const frame = make("div", { class: "picture-frame" }, ...[aim, ...asked, drawing, kinds, panel, sentence, status].filter(Boolean));

  function control(one, position) {
    const attributes = { "data-control": one.name, ...(position === 0 && { "data-first": "" }) };
    const field = one.choices
      ? make("select", attributes, ...Object.entries(one.choices).map(([value, words]) => make("option", { value }, inLanguage(words))))
      : make("input", { type: "range", min: one.min, max: one.max, step: one.step, ...attributes });
    field.addEventListener("input", () => change({ ...(one.asks && beginning()), [one.name]: one.choices ? field.value : Number(field.value) }));
    return make("label", { class: "picture-control" }, make("span", {}, inLanguage(one.label)), field);
  }

  /** The first state, with what stays. */
  function beginning() {
    return { ...first, ...Object.fromEntries(controls.filter((one) => one.stays).map(({ name }) => [name, state[name]])) };
  }

  function change(part) {
    state = { ...state, ...part };
    history.replaceState(null, "", `#${name}?${new URLSearchParams(state)}`);
    show();
  }

  function show() {
    const outputs = compute(state, inputs);
    const width = Math.round(frame.clientWidth) || 688;
    const { height, parts } = draw({ state, outputs, inputs, width, make, words: inLanguage });
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("height", height);
    drawing.replaceChildren(...parts);
    const said = inLanguage(say(state, outputs, inputs));
    sentence.textContent = said;
    clearTimeout(spoken);
    spoken = setTimeout(() => { if (status.textContent !== said) status.textContent = said; }, QUIET);
    if (aim) {
      const reached = goal.isReached(state, outputs, inputs), isThere = !reached && goal.isThere?.(state, outputs, inputs);
      aim.classList.toggle("reached", reached);
      const far = goal.far ? ` ${inLanguage(goal.far(state, outputs, inputs))}` : "";
      aim.textContent = isThere ? `◐ ${inLanguage(goal.there ?? THERE)}` : `${reached ? "✓" : "○"} ${inLanguage(goal.words)}${far}`;
    }
    for (const one of controls) {
      const field = frame.querySelector(`[data-control="${one.name}"]`);
      field.value = state[one.name];
      if (one.isShown) field.closest("label").hidden = !one.isShown(state);
      if (one.words) field.setAttribute("aria-valuetext", inLanguage(one.words(state, outputs)));
    }
    figure.dataset.state = JSON.stringify(state);
    figure.dataset.outputs = JSON.stringify(outputs);
  }

  function follow(event) {
    const box = drawing.getBoundingClientRect();
    const part = grab(event.clientX - box.left, event.clientY - box.top, { inputs, state, width: frame.clientWidth, handle });
    if (part) change(within(part));
  }

  function within(part) {
    const kept = Object.entries(part).map(([key, value]) => {
      const { choices, min, max } = controls.find((one) => one.name === key);
      return [key, choices ? value : Math.min(max, Math.max(min, value))];
    });
    return Object.fromEntries(kept);
  }

  if (grab) {
    let held = null;
    drawing.addEventListener("pointerdown", (event) => {
      if (!event.isPrimary || event.button !== 0 || !event.target.closest("[data-handle]")) return;
      held = event.pointerId;
      handle = event.target.closest("[data-handle]").dataset.handle;
      drawing.setPointerCapture(held);
      figure.dataset.touched = "";
    });
    drawing.addEventListener("pointermove", (event) => { if (event.pointerId === held) follow(event); });
    drawing.addEventListener("lostpointercapture", () => { held = null; });
    // only a drag that begins on the handle keeps the page from scrolling
    drawing.addEventListener("touchstart", (event) => {
      if (event.target.closest("[data-handle]")) event.preventDefault();
    }, { passive: false });
  }
  if (tap) drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    const part = event.target.closest("[data-tap]") && tap(event.clientX - box.left, event.clientY - box.top, { inputs, state, width: frame.clientWidth });
    if (part) change(part);
  });
  again.addEventListener("click", () => change(beginning()));
  addEventListener("hashchange", () => {
    const asked = readState(location.hash, name, controls);
    if (Object.keys(asked).length) { state = { ...first, ...asked }; show(); }
  });
  figure.querySelector("[data-static]")?.setAttribute("hidden", "");
  figure.append(frame);
  new ResizeObserver(show).observe(frame);
  show();
}
