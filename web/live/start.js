// The button "Run this page": nothing else is loaded before it is pressed.
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
  let kept = null;
  try {
    kept = localStorage.getItem(`live ${DOCUMENTATION_OPTIONS.pagename}`);
  } catch {} // a browser that keeps nothing
  if (kept) status.append(" ", said("Your answers and changes are kept in this browser. Press Run this page to bring them back."));
  let started;
  const start = () => (started ??= run().finally(() => (started = bar.dataset.running ? started : null)));
  async function run() {
    button.disabled = true;
    try {
      await (await import(page)).begin(bar);
      bar.dataset.running = "";
    } catch (error) {
      button.disabled = false;
      status.dataset.state = "failed";
      status.textContent = said(`The page could not be started (${error.message}). Check your connection, then press the button again.`);
      throw new Error(status.textContent);
    }
  }
  button.addEventListener("click", () => start().catch(() => {})); // the status says it
  const inputs = [...document.querySelectorAll(".bd-article div.cell .cell_input pre")];
  const instruments = inputs.filter((pre) => pre.textContent.includes("# @param"));
  const offered = instruments.filter((_, i) => bar.dataset.instruments[i] === "1");
  if (offered.length) import(new URL("fields.js", page)).then(({ offer }) => offered.forEach((pre, i) => offer(pre, `instrument-${i}`, start)));
})();
