// The button "Run this page" and the same at the exercises: nothing else is loaded before one is pressed.
(() => {
  const bar = document.querySelector("[data-live=bar]");
  const button = bar?.querySelector("[data-live=start]");
  if (!button) return;
  if (!location.protocol.startsWith("http") || !window.WebAssembly || !window.DecompressionStream) {
    bar.hidden = true;
    return;
  }
  const page = new URL("page.js", document.currentScript.src);
  const status = bar.querySelector("[data-live=status]");
  const said = (words) => globalThis.inWords?.(words) ?? words;
  if (kept.read(`live ${DOCUMENTATION_OPTIONS.pagename}`)) status.append(" ", said("Your answers and changes are kept in this browser. Press Run this page to bring them back."));
  const here = Object.assign(document.createElement("button"), { type: "button", className: "btn btn-sm btn-outline-primary live-here" });
  const invite = () => Object.assign(here, { disabled: false, textContent: said("Run this page to write and check your answers here") });
  if (Number(bar.dataset.exercises)) document.querySelector("#exercises > h2")?.after(here);
  invite();
  let started;
  const start = () => (started ??= run().finally(() => (started = bar.dataset.running ? started : null)));
  async function run() {
    Object.assign(here, { disabled: true, textContent: said("Loading.") });
    button.disabled = true;
    try {
      await (await import(page)).begin(bar);
      bar.dataset.running = "";
      here.remove();
    } catch (error) {
      button.disabled = false;
      invite();
      status.dataset.state = "failed";
      status.textContent = said(`The page could not be started (${error.message}). Check your connection, then press the button again.`);
      throw new Error(status.textContent);
    }
  }
  for (const one of [button, here]) one.addEventListener("click", () => start().catch(() => {})); // the status says it
  const inputs = [...document.querySelectorAll(".bd-article div.cell .cell_input pre")];
  const instruments = inputs.filter((pre) => pre.textContent.includes("# @param"));
  const offered = instruments.filter((_, i) => bar.dataset.instruments[i] === "1");
  if (offered.length) import(new URL("fields.js", page)).then(({ offer }) => offered.forEach((pre, i) => offer(pre, `instrument-${i}`, start)));
})();
