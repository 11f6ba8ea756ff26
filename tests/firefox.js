// What the tests in Firefox ask of a page; each function is one question, or one thing that a reader does.

const part = (n, what) => document.querySelector(`[data-live-cell="${n}"] [data-live=${what}]`);

function until(wanted, state, resolve) {
  const status = document.querySelector("[data-live=status]");
  const failed = status.dataset.state === "failed";
  if (failed || (status.dataset.state === state && status.textContent.startsWith(wanted))) resolve(status.textContent);
  else setTimeout(until, 20, wanted, state, resolve);
}

function write(n, source) {
  part(n, "source").value = source;
  part(n, "source").dispatchEvent(new Event("input"));
}

const press = (selector) => document.querySelector(selector).click();

const forget = () => localStorage.clear();

function shown(n) {
  const figures = [...part(n, "output").querySelectorAll("img")].map((image) => decodeURIComponent(image.src));
  return [[...part(n, "output").querySelectorAll("pre")].map((pre) => pre.textContent).join("\n"), figures];
}

/** Of the first frame with choices: how many hidden parts are visible, how many there are, which options are open. */
function choices() {
  const frame = document.querySelector(".prediction:has(details.choice)");
  const hidden = [...frame.querySelectorAll("details.answer > :not(summary)")].filter((one) => one.textContent.trim());
  const open = [...frame.querySelectorAll("details.choice")].filter((option) => option.open);
  return [
    hidden.filter((one) => one.checkVisibility({ contentVisibilityAuto: true })).length, hidden.length,
    open.filter((option) => option.matches(".chosen")).length, open.filter((option) => option.matches(".right")).length,
  ];
}

/** Of the first mark: whether its card is open and has words. */
function card() {
  const card = document.getElementById(document.querySelector("button.mark").getAttribute("popovertarget"));
  return [card.matches(":popover-open"), card.innerText.trim().length > 40];
}

/** What the machine writes on its page, once its button is pressed. */
function machine(resolve) {
  const root = document.querySelector(".machine"), [status, written] = [root.querySelector("[role=status]"), root.querySelector("pre")];
  [...root.querySelectorAll("button")].find((button) => button.textContent === "Let it write").click();
  const look = () => (/written|could not/.test(status.textContent) ? resolve(`${written.textContent}`) : setTimeout(look, 20));
  look();
}
