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
  button.addEventListener("click", async () => {
    button.disabled = true;
    const status = bar.querySelector("[data-live=status]");
    try {
      await (await import(page)).begin(bar);
    } catch (error) {
      button.disabled = false;
      status.dataset.state = "failed";
      const words = `The page could not be started (${error.message}). Look at your connection and press the button again.`;
      status.textContent = globalThis.inWords?.(words) ?? words;
    }
  });
})();
