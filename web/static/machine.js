// The page of the machine: which parts are the reader's, what it writes with them, letter by letter, and the file to take
// home. Python is that of the chapters' cells (live/worker.js), and nothing of it is loaded before a button is pressed;
// until then the page shows the steps of the package's machine, which the build has computed (web/front.py).
{
  const { said, parts } = kept;
  const can = location.protocol.startsWith("http") && window.WebAssembly && window.DecompressionStream;
  const loading = ({ total }) => { status.textContent = said(`Loading ${(total / 2 ** 20).toFixed(1)} MB.`); };
  const script = new URL("pictures/connect.js", document.currentScript.src);
  let connected; // once a button is pressed
  const python = () => connected ??= import(script).then(({ connect }) => connect(loading));
  const CHAPTERS = {
    attention: "01", softmax: "02", projections: "04", mask: "05", heads: "06", block: "07", loss: "09", merge: "11", tokenize: "13", loop: "13",
  };
  const make = (tag, of = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), of);
    element.append(...children);
    return element;
  };
  const place = document.querySelector(".machine");
  const list = make("ul"), status = make("span"), written = make("pre");
  const file = make("input", { type: "file", accept: ".py,.json", id: "machine-file" });
  const names = make("p", { className: "names" }), name = make("p", { className: "name" }), chances = make("tbody"), drawn = make("p");
  const slider = make("input", { type: "range", min: 0, value: 0, id: "machine-letter" }), compared = make("p");
  const title = make("caption");
  let seed = 0, n = 0, steps = [], playing;
  status.setAttribute("role", "status");
  written.hidden = true;

  /** Take the steps of some names, [[{drawn, chances}, …], …], and those of the package's machine with the same dice. */
  function take(yours, theirs) {
    steps = yours.flatMap((text, index) => text.map((step, i) => ({
      ...step,
      before: text.slice(0, i).map((one) => one.drawn).join(""),
      finished: yours.slice(0, index).map(spell),
      theirs: new Map(theirs?.[index]?.[i]?.chances),
    })));
    title.textContent = said(theirs ? "Chances of the next letter. The short line on a bar is the package's chance." : "Chances of the next letter");
    slider.max = Math.max(0, steps.length - 1);
    draw(0);
  }

  const END = ".";
  const spell = (text) => text.map((step) => step.drawn).join("").replace(END, "");

  /** Show one step: the name so far, the letter that was drawn, and the chances from which it was. */
  function draw(at) {
    slider.value = at;
    const step = steps[at];
    if (!step) return [names, name, chances, drawn].forEach((element) => element.replaceChildren());
    const label = (letter) => (letter === END ? said("end") : letter);
    names.textContent = step.finished.join(", ") || "\u00a0";
    name.replaceChildren(step.before, make("mark", { textContent: step.drawn === END ? "■" : step.drawn }));
    chances.replaceChildren(...step.chances.map(([letter, chance]) => {
      const bar = make("span", { className: "bar" }, make("span"));
      bar.style.setProperty("--chance", chance);
      if (step.theirs.has(letter)) {
        bar.append(make("i"));
        bar.style.setProperty("--theirs", step.theirs.get(letter));
      }
      const row = make("tr", { className: letter === step.drawn ? "drawn" : "" }, make("th", { scope: "row", textContent: label(letter) }));
      row.append(make("td", {}, bar), make("td", { textContent: chance.toFixed(3) }));
      return row;
    }));
    const chance = step.chances.find(([letter]) => letter === step.drawn)[1].toFixed(3);
    drawn.textContent = step.drawn === END
      ? said(`Here “${step.before}” ended, for which the chance was ${chance}.`)
      : said(`The letter ${step.drawn} was drawn, whose chance was ${chance}.`);
    slider.setAttribute("aria-valuetext", drawn.textContent);
  }

  /** Go through the steps, one after the other, or stop doing so. */
  function play(on = !playing) {
    clearInterval(playing);
    playing = on ? setInterval(() => (Number(slider.value) < steps.length - 1 ? draw(Number(slider.value) + 1) : play(false)), 180) : null;
    if (on && Number(slider.value) >= steps.length - 1) draw(0);
    player.textContent = said(on ? "Pause" : "Watch it again, letter by letter");
  }

  /** Say of each part whose it is, and where it is written. */
  function tell() {
    const mine = parts();
    list.replaceChildren(...Object.entries(CHAPTERS).map(([name, chapter]) => {
      const link = [...document.querySelectorAll(".bd-links a")].find((a) => a.getAttribute("href")?.includes(`chapters/${chapter}_`));
      const words = said(mine[name] ? "Yours" : "The package's so far. Write yours in");
      return make("li", {}, `${mine[name] ? "✓" : "○"} `, make("code", { textContent: name }), ` · ${words} `,
        ...(mine[name] || !link ? [] : [make("a", { href: `${link.href}#put-it-into-your-machine`, textContent: link.textContent.trim() })]));
    }));
    buttons[3].hidden = !Object.keys(mine).length;
  }

  /** What some Python prints, with the parts that are kept. */
  async function run(source) {
    status.textContent = said("Loading.");
    const worker = await python();
    await worker.start();
    status.textContent = said("The machine is running.");
    buttons[1].hidden = false;
    n += 1;
    const { results, text } = await worker.ask({ parts: parts(), chain: [{ n, source: `# ${n}\n${source}`, how: "whole" }] });
    buttons[1].hidden = true;
    if (!results || results[0].error) throw new Error(text ?? results[0].outputs.at(-1).text);
    return results[0].outputs.map((output) => output.text).join("");
  }

  async function press(source, done) {
    for (const button of buttons) button.disabled = button !== buttons[1];
    try {
      done(await run(source));
    } catch (error) {
      const stopped = said("You stopped it");
      status.textContent = error.message === stopped ? stopped : said(`The machine could not be run (${error.message}).`);
    }
    for (const button of buttons) button.disabled = false;
  }

  const calling = (call) => `from attention_course.my_machine import ${call.split("(")[0]}\nprint(${call})`;

  const write = () => press(calling(`describe_writing(${seed++})`), (text) => {
    const { yours, package: theirs, said: parts } = JSON.parse(text);
    written.textContent = [yours.map(spell).join(", "), ...parts].join("\n");
    written.hidden = false;
    compared.textContent = !parts.length ? ""
      : yours.map(spell).join() === theirs.map(spell).join() ? said("With the package's parts alone it writes the same names.")
        : said(`With the package's parts alone it writes ${theirs.map(spell).join(", ")}.`);
    take(yours, parts.length ? theirs : null);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) draw(steps.length - 1);
    else play(true);
    status.textContent = said("The machine has written.");
  });

  const save = () => press(calling("write_program()"), (text) => {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/x-python" })), download: "my_machine.py" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    status.textContent = said(`Your machine was saved as ${link.download}.`);
  });

  /** End a part that runs without end; the next press starts Python again. */
  async function stop() {
    (await python()).stop(said("You stopped it"));
  }

  async function load() {
    const text = await file.files[0].text();
    let found = [...text.matchAll(/^# Your part: (\w+)\n([^]*?\n)YOURS\["\1"\] = /gm)].map(([, name, source]) => [name, source]);
    try {
      found = Object.entries(JSON.parse(text)).filter(([, source]) => typeof source === "string"); // my_machine.json of Jupyter
    } catch {
      // a program, then
    }
    parts(Object.fromEntries(found));
    status.textContent = said(!found.length ? "This file has no parts of a machine." : kept.works ? "Your machine was loaded." : "This browser could not keep all of it.");
    file.value = "";
    tell();
  }

  function forget() {
    if (!confirm(said("Take all your parts out of the machine? Your answers in the chapters stay."))) return;
    parts(Object.fromEntries(Object.keys(parts()).map((name) => [name, null])));
    status.textContent = said("The machine has the package's parts again.");
    tell();
  }

  const button = (words, act) => {
    const made = make("button", { type: "button", className: "btn btn-sm btn-outline-primary" }, said(words));
    made.addEventListener("click", act);
    return made;
  };
  const buttons = [button("Let it write", write), button("Stop", stop), button("Save it as a Python program", save), button("Take my parts out", forget)];
  buttons[1].hidden = true;
  file.addEventListener("change", () => file.files[0] && load());
  const player = button("Watch it again, letter by letter", () => play());
  player.textContent = said("Watch it write, letter by letter");
  slider.addEventListener("input", () => {
    play(false);
    draw(Number(slider.value));
  });
  tell();
  if (!kept.works) status.textContent = said("This browser keeps nothing, so the machine has only the package's parts here. Load the program that you have saved.");
  place.append(
    make("div", { className: "stage" }, names, name, make("table", {}, title, chances), drawn,
      make("p", { className: "work" }, make("label", { htmlFor: slider.id, textContent: said("Letter") }), slider, player)),
    make("p", { className: "work" }, ...(can ? buttons.slice(0, 2) : []), status), written, compared, list,
    make("p", { className: "work" }, ...(can ? buttons.slice(2) : []), make("label", { htmlFor: file.id, textContent: said("Load my machine from a file") }), file),
  );
  take(JSON.parse(place.dataset.steps), null);
}
