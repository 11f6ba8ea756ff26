// The page of the machine: which parts are the reader's, what it writes with them, and the file to take home. Python is
// that of the chapters' cells (live/worker.js), and nothing of it is loaded before a button is pressed.
{
  const { said, parts } = kept;
  const live = new URL("live/worker.js", new URL("./", document.currentScript.src));
  const CHAPTERS = { attention: "01", softmax: "02", projections: "04", block: "07" };
  const make = (tag, of = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), of);
    element.append(...children);
    return element;
  };
  const place = document.querySelector(".machine");
  const list = make("ul"), status = make("p"), written = make("pre");
  const file = make("input", { type: "file", accept: ".py", id: "machine-file" });
  let worker, seed = 0, answer, n = 0;
  status.setAttribute("role", "status");
  written.hidden = true;

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

  /** Start Python, unless it runs, with the parts that are kept. */
  function boot() {
    return worker ??= new Promise((resolve, reject) => {
      status.textContent = said("Loading.");
      const made = new Worker(live, { type: "module", name: document.documentElement.lang });
      made.onerror = () => reject(new Error("worker.js"));
      made.onmessage = ({ data }) => {
        if (data.type === "progress") status.textContent = said(`Loading ${(data.total / 2 ** 20).toFixed(1)} MB.`);
        else if (data.type === "ready") resolve(made);
        else if (data.type === "failed") reject(new Error(data.text));
        else answer?.(data);
      };
    });
  }

  /** What some Python prints. */
  async function run(source) {
    let one;
    try {
      one = await boot();
    } catch (error) {
      worker = null;
      throw error;
    }
    status.textContent = said("The machine is running.");
    buttons[1].hidden = false;
    const { results, text } = await new Promise((resolve) => {
      answer = resolve;
      one.postMessage({ id: ++n, parts: parts(), chain: [{ n, source: `# ${n}\n${source}`, how: "whole" }] });
    });
    buttons[1].hidden = true;
    if (!results || results[0].error) throw new Error(text ?? results[0].outputs.at(-1).text);
    return results[0].outputs.map((output) => output.text).join("");
  }

  async function press(source, done) {
    for (const button of buttons) button.disabled = button !== buttons[1];
    try {
      done(await run(source));
    } catch (error) {
      status.textContent = said(`The machine could not be run (${error.message}).`);
    }
    for (const button of buttons) button.disabled = false;
  }

  const write = () => press(`from attention_course.my_machine import put_into_machine\nput_into_machine(seed=${seed++});`, (text) => {
    written.textContent = text;
    written.hidden = false;
    status.textContent = said("The machine has written.");
  });

  const save = () => press("from attention_course.my_machine import write_program\nprint(write_program())", (text) => {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/x-python" })), download: "my_machine.py" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    status.textContent = said(`Your machine was saved as ${link.download}.`);
  });

  /** End a part that runs without end; the next press starts Python again. */
  async function stop() {
    (await worker)?.terminate();
    worker = null;
    answer?.({ text: said("You stopped it") });
  }

  async function load() {
    const found = [...(await file.files[0].text()).matchAll(/^# Your part: (\w+)\n([^]*?\n)YOURS\["\1"\] = /gm)];
    parts(Object.fromEntries(found.map(([, name, source]) => [name, source])));
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
  tell();
  const can = location.protocol.startsWith("http") && window.WebAssembly && window.DecompressionStream;
  if (!kept.works) status.textContent = said("This browser keeps nothing, so the machine has only the package's parts here. Load the program that you have saved.");
  place.append(list, make("p", { className: "work" }, ...(can ? buttons : []), make("label", { htmlFor: "machine-file" }, said("Load my machine from a file")), file), status, written);
}
