// The front page: the row that a visitor adds up, where to go on, and all work as one file.
{
  const row = document.querySelector(".addends");
  const numbers = [...row.querySelectorAll("button")];
  row.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") === "false"));
    const chosen = numbers.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.querySelector("b").textContent);
    const sum = chosen.reduce((total, number) => total + Number(number), 0).toFixed(2);
    row.querySelector("output").textContent = chosen.length ? `${chosen.join(" + ")} = ${sum}` : "";
  });
}
{
  const { read, write, names, works, said } = kept;
  const make = (tag, of, ...children) => {
    const element = Object.assign(document.createElement(tag), of);
    element.append(...children);
    return element;
  };
  const begin = document.querySelector(".opening .sd-btn").parentElement;
  const on = make("p", { className: "go-on" });
  const note = make("p", {});
  note.setAttribute("role", "status");

  /** Link to what comes next, and count what was done on all pages. */
  function tell() {
    const last = read("last");
    const entry = [...document.querySelectorAll(".bd-links a")].find((a) => last && a.getAttribute("href") === `${last.page}.html`);
    const done = (kind) => names().filter((name) => name.startsWith(`${kind} `)).reduce((sum, name) => sum + Object.keys(read(name) ?? {}).length, 0);
    on.replaceChildren();
    if (!entry) return;
    const href = entry.href + (last.kind ? `#${last.kind}-${Number(last.n)}` : "");
    const words = last.kind ? kept.name(last) : said("Continue");
    const counted = said(`Predictions made: ${done("predicted")}. Exercises solved: ${done("solved")}.`);
    on.append(make("a", { href, className: "btn btn-outline-primary" }, `${words}: ${entry.textContent.trim()}`), make("span", {}, counted));
  }

  function save() {
    const all = Object.fromEntries(names().map((name) => [name, read(name)]));
    const file = new Blob([JSON.stringify({ attention: 1, kept: all }, null, 1)], { type: "application/json" });
    const link = make("a", { href: URL.createObjectURL(file), download: "attention-by-the-numbers.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    note.textContent = said(`Your work was saved as ${link.download}.`);
  }

  async function load(file) {
    let found;
    try {
      const { attention, kept: all } = JSON.parse(await file.text());
      found = attention === 1 && Object.entries(all).filter(([, value]) => value !== null);
    } catch {} // no JSON, or another kind of it
    if (!found) return (note.textContent = said("This file does not hold work that was saved here."));
    const other = found.some(([name, value]) => read(name) && JSON.stringify(read(name)) !== JSON.stringify(value));
    if (other && !confirm(said("This browser already has other work on the same pages. Replace it with that of the file?"))) return;
    const whole = found.map(([name, value]) => write(name, value)).every(Boolean);
    note.textContent = said(whole ? "Your work was loaded." : "This browser could not keep all of it.");
    tell();
  }

  function forget() {
    if (!confirm(said("Delete all your work on all pages from this browser? This cannot be undone."))) return;
    for (const name of names()) write(name, null);
    note.textContent = said("All your work was deleted from this browser.");
    tell();
  }

  const file = make("input", { type: "file", accept: ".json", id: "work-file" });
  file.addEventListener("change", () => file.files[0] && load(file.files[0]).then(() => (file.value = "")));
  const button = (words, act) => {
    const made = make("button", { type: "button", className: "btn btn-sm btn-outline-primary" }, said(words));
    made.addEventListener("click", act);
    return made;
  };
  begin.after(on);
  const place = document.querySelector(".work");
  if (!works) note.textContent = said("This browser keeps nothing, so all work is gone when you leave a page. Download your notebook there before you do.");
  else place.append(button("Save my work to a file", save), make("label", { htmlFor: "work-file" }, said("Load my work from a file")), file, button("Delete all my work", forget));
  place.after(note);
  tell();
}
