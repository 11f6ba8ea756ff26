// Predictions: a first wrong choice shows only its question, and the reader may choose again; the right one, a second one
// or *show* opens what is hidden in the frame. Choices are kept in this browser alone, and the first ones are counted.
// A prediction that is made, not chosen (pictures/produce.js), counts as the question if it is wrong, else as the right one.
{
  const frames = [...document.querySelectorAll(".prediction")];
  const control = document.querySelector(".predictions button");
  const result = document.querySelector(".predicted");
  const key = `predicted ${DOCUMENTATION_OPTIONS.pagename}`;
  const { read, write, said } = kept;
  let chosen = read(key) ?? {}; // here, too, for a browser that keeps nothing

  const choices = (frame) => [...frame.querySelectorAll("details.choice")];
  const answer = (frame) => frame.querySelector("details.answer");
  const groups = frames.filter((frame) => choices(frame).length);
  const isMade = (frame) => "kind" in (frame.querySelector("details.choice.right")?.dataset ?? {});
  const isRight = (frame, i) => choices(frame)[i]?.classList.contains("right");

  /** What was chosen in a frame, in this order: none, one or two of its choices. */
  const listTried = (n) => [].concat(chosen[n] ?? []);
  const isOver = (frame, tried) => tried.length > 1 || tried.some((i) => isRight(frame, i)) || Boolean(answer(frame)?.open);

  function mark(frame, n) {
    const tried = listTried(n);
    choices(frame).forEach((choice, i) => {
      choice.classList.toggle("chosen", tried[0] === i);
      choice.classList.toggle("tried", tried.includes(i));
      choice.classList.toggle("known", tried.length > 0 && isOver(frame, tried) && isRight(frame, i));
    });
    const right = tried.some((i) => isRight(frame, i));
    const notYet = isMade(frame) ? "Not yet. Answer the question, and compare again." : "Not this one. Answer its question, and choose again.";
    const words = !isOver(frame, tried) ? notYet : right ? "That's right." : "Now the answer is shown.";
    frame.classList.toggle("over", isOver(frame, tried));
    const status = frame.querySelector(".again"), now = tried.length ? said(words) : "";
    if (status.textContent !== now) status.textContent = now; // or it is read aloud again
  }

  function show() {
    groups.forEach(mark);
    const firsts = groups.flatMap((_, n) => listTried(n).slice(0, 1).map((i) => [n, i]));
    const missed = firsts.filter(([n, i]) => !isRight(groups[n], i)).map(([n]) => groups[n]);
    result.replaceChildren();
    if (!firsts.length) return;
    result.append(said(`You predicted ${firsts.length - missed.length} of ${firsts.length}`));
    if (missed.length) result.append("; ", said("look again at"), " ", ...missed.flatMap((frame, i) => [i ? ", " : "", link(frame)]));
    result.append(". ", again());
  }

  function link(frame) {
    const section = frame.closest("section");
    const to = document.createElement("a");
    frame.id ||= `prediction-${groups.indexOf(frame) + 1}`;
    to.href = `#${frame.id}`;
    to.textContent = section.querySelector("h2, h3, h1")?.textContent.replace(/#$/, "").trim() ?? frame.id;
    return to;
  }

  function again() {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = said("Forget my predictions");
    button.addEventListener("click", () => {
      chosen = {};
      kept.forget("predicted");
      for (const frame of groups) for (const part of [...choices(frame), answer(frame)]) if (part) part.open = isOpen();
      show();
    });
    return button;
  }

  function choose(frame, n, i) {
    const tried = listTried(n);
    if ((tried.includes(i) && !isMade(frame)) || (tried.length && isOver(frame, tried))) return; // the first choice is the prediction
    tried.push(i);
    chosen = { ...chosen, [n]: tried };
    write(key, chosen);
    kept.at("prediction", n + 1);
    if (isOver(frame, tried)) {
      const right = choices(frame).find((_, j) => isRight(frame, j));
      if (right !== choices(frame)[i]) right.open = true;
      if (answer(frame)) answer(frame).open = true;
    }
    show();
  }

  /** Let the reader make the prediction; where modules can't be loaded, its question and answer are folds. */
  function make(frame, n) {
    const told = (right) => {
      choices(frame)[Number(right)].open = true;
      choose(frame, n, Number(right));
    };
    if (location.protocol !== "file:") import("./pictures/produce.js").then(({ build }) => build(frame, told)).catch(console.error);
  }

  groups.forEach((frame, n) => {
    const status = Object.assign(document.createElement("p"), { className: "again" });
    status.setAttribute("role", "status");
    choices(frame).at(-1).after(status);
    if (isMade(frame)) make(frame, n);
    else choices(frame).forEach((choice, i) => choice.querySelector("summary").addEventListener("click", () => choose(frame, n, i)));
    answer(frame)?.addEventListener("toggle", () => mark(frame, n));
  });

  const isOpen = () => control.getAttribute("aria-checked") === "true";
  function openAll(open) {
    control.setAttribute("aria-checked", String(open));
    for (const frame of frames) if (answer(frame)) answer(frame).open = open;
  }
  control.style.visibility = "visible";
  control.addEventListener("click", () => { openAll(!isOpen()); write("show results", isOpen()); });
  if (read("show results")) openAll(true);
  addEventListener("beforeprint", () => document.querySelectorAll(".bd-article details").forEach((part) => { part.open = true; }));
  show();
}
