// Predictions: the reader's choice opens what is hidden in its frame; choices are kept in this browser alone, and counted.
{
  const frames = [...document.querySelectorAll(".prediction")];
  const control = document.querySelector(".predictions button");
  const result = document.querySelector(".predicted");
  const key = `predicted ${DOCUMENTATION_OPTIONS.pagename}`;
  const { read, write, said } = kept;

  const choices = (frame) => [...frame.querySelectorAll("details.choice")];
  const answer = (frame) => frame.querySelector("details.answer");
  const groups = frames.filter((frame) => choices(frame).length);
  const isRight = (frame, i) => choices(frame)[i]?.classList.contains("right");

  function show() {
    const chosen = read(key) ?? {};
    groups.forEach((frame, n) => choices(frame).forEach((choice, i) => {
      choice.classList.toggle("chosen", chosen[n] === i);
      choice.classList.toggle("known", n in chosen && isRight(frame, i));
    }));
    const tried = groups.filter((_, n) => n in chosen);
    const missed = tried.filter((frame) => !isRight(frame, chosen[groups.indexOf(frame)]));
    result.replaceChildren();
    if (!tried.length) return;
    result.append(said(`You predicted ${tried.length - missed.length} of ${tried.length}`));
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
      kept.forget("predicted");
      for (const frame of groups) for (const part of [...choices(frame), answer(frame)]) if (part) part.open = isOpen();
      show();
    });
    return button;
  }

  groups.forEach((frame, n) => choices(frame).forEach((choice, i) => choice.querySelector("summary").addEventListener("click", () => {
    const chosen = read(key) ?? {};
    if (n in chosen) return; // the first choice is the prediction
    write(key, { ...chosen, [n]: i });
    kept.at("prediction", n + 1);
    const right = choices(frame).find((_, j) => isRight(frame, j));
    if (right && right !== choice) right.open = true;
    if (answer(frame)) answer(frame).open = true;
    show();
  })));

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
