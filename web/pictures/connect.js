/**
 * Python in a worker (../live/worker.js): the first question starts it, and it answers one at a time. What it says of its loading
 * goes to `progress`.
 */
export function connect(progress) {
  let worker, end, answer, number = 0;

  /** Start Python, unless it runs. */
  async function start() {
    worker ??= new Promise((resolve, reject) => {
      const made = new Worker(new URL("../live/worker.js", import.meta.url), { type: "module", name: document.documentElement.lang });
      end = (text) => { made.terminate(); reject(new Error(text)); };
      made.onerror = (event) => reject(new Error(event.message || "worker.js"));
      made.onmessage = ({ data }) => {
        if (data.type === "progress") progress(data);
        else if (data.type === "ready") resolve(made);
        else if (data.type === "failed") reject(new Error(data.text));
        else if (data.type !== "running") answer?.(data);
      };
    });
    try {
      return await worker;
    } catch (error) {
      worker = null;
      throw error;
    }
  }

  async function ask(question) {
    const one = await start();
    return new Promise((resolve) => {
      answer = resolve;
      one.postMessage({ id: ++number, ...question });
    });
  }

  /** End Python, whatever it is doing; a question that waits is answered with this text. */
  function stop(text) {
    end?.(text);
    answer?.({ text });
    worker = null;
  }

  return { start, ask, stop };
}
