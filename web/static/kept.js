// What a reader did: kept in this browser alone, under one prefix. A page says what was done on it, and where to go on.
{
  const PREFIX = "attention ";
  const page = DOCUMENTATION_OPTIONS.pagename;
  const said = (words) => globalThis.inWords?.(words) ?? words; // of an edition in another language
  const tried = (act) => { try { return act(); } catch { return undefined; } }; // a browser that keeps nothing

  const own = {}; // the parts of the reader's machine, also where the browser keeps nothing

  const kept = globalThis.kept = {
    read: (name) => tried(() => JSON.parse(localStorage.getItem(PREFIX + name))) ?? null,
    /** Keep a value under a name, or forget it if there is none; return whether the browser keeps it. */
    write(name, value) {
      const key = PREFIX + name;
      return tried(() => (value == null ? localStorage.removeItem(key) : localStorage.setItem(key, JSON.stringify(value)), true)) ?? false;
    },
    /** The names under which something is kept. */
    names: () => tried(() => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length))) ?? [],
    /** Note that the reader was at the nth prediction or exercise of this page, and what comes next; of exercises that is the first open one. */
    at(kind, n) {
      const all = items(), here = all.findIndex((one) => one.kind === kind && (kind === "exercise" || one.n === n));
      const next = all.slice(here).find((one) => !one.done);
      const on = document.querySelector("a.right-next")?.pathname.slice(new URL(root, location).pathname.length).replace(/\.html$/, "");
      kept.write("last", next ? { page, kind: next.kind, n: next.n } : { page: on ?? page });
      tell();
    },
    /** Forget what was done on this page in one way. */
    forget(...kinds) {
      for (const kind of kinds) kept.write(`${kind} ${page}`, null);
      if (kept.read("last")?.page === page) kept.write("last", null);
      tell();
    },
    /** The parts of the reader's machine, {name: source}, with these changes: a new source, or null for none. */
    parts(changes = {}) {
      for (const [name, source] of Object.entries({ ...changes })) kept.write(`machine ${name}`, own[name] = source);
      for (const name of kept.names()) if (name.startsWith("machine ")) own[name.slice(8)] = kept.read(name);
      return Object.fromEntries(Object.entries(own).filter(([, source]) => typeof source === "string"));
    },
    said,
    name: ({ kind, n }) => said(kind === "exercise" ? `Continue with exercise ${Number(n)}` : `Continue with prediction ${Number(n)}`),
  };
  kept.works = kept.write("works", 1) && kept.write("works", null);

  const root = document.documentElement.dataset.content_root;
  const frames = [...document.querySelectorAll(".prediction")].filter((frame) => frame.querySelector("details.choice"));
  const prompts = [...document.querySelectorAll("#exercises p > strong:first-child")].filter((title) => /^\d+\. /.test(title.textContent));
  frames.forEach((frame, n) => { frame.id ||= `prediction-${n + 1}`; });
  prompts.forEach((title, n) => { title.id ||= `exercise-${n + 1}`; });

  /** The predictions and exercises of the page in their order: {kind, n, done}. */
  function items() {
    const [predicted, solved] = [kept.read(`predicted ${page}`) ?? {}, kept.read(`solved ${page}`) ?? {}];
    return [...frames.map((_, n) => ({ kind: "prediction", n: n + 1, done: n in predicted })),
      ...prompts.map((_, n) => ({ kind: "exercise", n: n + 1, done: n + 1 in solved }))];
  }

  const line = Object.assign(document.createElement("p"), { className: "done" });
  line.setAttribute("role", "status");

  /** Say what was done here, with a link to what comes next. */
  function tell() {
    const all = items(), count = (kind, of = (one) => one.done) => all.filter((one) => one.kind === kind && of(one)).length;
    const total = (kind) => count(kind, () => true);
    const words = [];
    if (total("prediction")) words.push(said(`Predictions made here: ${count("prediction")} of ${total("prediction")}.`), " ");
    if (total("exercise")) words.push(said(`Exercises solved here: ${count("exercise")} of ${total("exercise")}.`), " ");
    if (!all.some((one) => one.done)) return line.replaceChildren();
    const last = kept.read("last");
    const next = all.find((one) => !one.done && last?.page === page && one.kind === last.kind && one.n === last.n) ?? all.find((one) => !one.done);
    if (next) words.push(Object.assign(document.createElement("a"), { href: `#${next.kind}-${next.n}`, textContent: kept.name(next) }));
    if (words.map((word) => word.textContent ?? word).join("") !== line.textContent) line.replaceChildren(...words); // or it is read aloud again
  }

  if (frames.length || prompts.length) {
    (document.querySelector(".controls") ?? document.querySelector(".predictions, .bd-article h1"))?.after(line);
    tell();
    if (/^#(prediction|exercise)-\d+$/.test(location.hash)) document.querySelector(location.hash)?.scrollIntoView();
  }
}
