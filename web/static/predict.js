// Predictions: one control shows all results; what a reader chose is kept in this browser alone, and counted.
{
  const answers = [...document.querySelectorAll("details.answer")];
  const control = document.querySelector(".open-answers");
  const result = document.querySelector(".predicted");
  const key = `predicted ${location.pathname.split("/").pop()}`;
  const stored = () => { try { return JSON.parse(localStorage.getItem(key)) || {}; } catch { return {}; } };
  const store = (value) => { try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* a browser that keeps nothing */ } };

  const said = (words) => globalThis.inWords?.(words) ?? words; // of an edition in another language
  const isOpen = () => answers.every((answer) => answer.open);
  const say = () => { control.textContent = said(isOpen() ? "Hide all results" : "Show all results"); };
  control.style.visibility = "visible";
  control.addEventListener("click", () => {
    const open = !isOpen();
    answers.forEach((answer) => { answer.open = open; });
  });
  answers.forEach((answer) => answer.addEventListener("toggle", say));
  addEventListener("beforeprint", () => document.querySelectorAll(".bd-article details").forEach((part) => { part.open = true; }));

  const groups = [];
  for (const choice of document.querySelectorAll("details.choice")) {
    const before = choice.previousElementSibling;
    before?.classList.contains("choice") ? groups.at(-1).push(choice) : groups.push([choice]);
  }
  const show = () => {
    const chosen = stored();
    const tried = groups.filter((group, i) => i in chosen).length;
    const right = groups.filter((group, i) => group[chosen[i]]?.classList.contains("right")).length;
    groups.forEach((group, i) => group.forEach((choice, j) => {
      choice.classList.toggle("chosen", chosen[i] === j);
      choice.classList.toggle("known", i in chosen && choice.classList.contains("right"));
    }));
    const open = groups.length - tried;
    result.textContent = tried ? said(`You predicted ${right} of ${tried}`) + (open ? said(`; ${open} are still to come.`) : ".") : "";
    if (!tried) return;
    const again = document.createElement("button");
    again.type = "button";
    again.textContent = said("Forget my predictions");
    again.addEventListener("click", () => { store({}); groups.flat().forEach((choice) => { choice.open = false; }); show(); });
    result.append(" ", again);
  };
  groups.forEach((group, i) => group.forEach((choice, j) => choice.querySelector("summary").addEventListener("click", () => {
    const chosen = stored();
    if (i in chosen) return; // the first choice is the prediction
    store({ ...chosen, [i]: j });
    show();
  })));
  show();
}
