// Python in a worker of its own: fetches the runtime, keeps it in the browser's cache by its hash, and runs chains of cells.
// It needs no other host, and no memory that is shared with the page.
const home = new URL("./", import.meta.url);
const browserFetch = self.fetch.bind(self);
const tell = (message) => self.postMessage(message);
let files, groups, python, live, page, bench;
const MACHINE = "my_machine.json"; // of attention_course.my_machine
const progress = { loaded: 0, total: 0 };

/** The file as a response, from the cache or from the site; its hash is that of the content, however it travelled. */
async function get(name) {
  const { path, bytes, sha256, type, cache } = files[name];
  const key = new URL(`${path}?${sha256.slice(0, 16)}`, home).href;
  const kept = await cache?.match(key);
  if (kept) {
    advance(bytes);
    return kept;
  }
  const response = await browserFetch(key);
  if (!response.ok) throw new Error(`${path} could not be loaded: ${response.status}`);
  let content = await read(response);
  if (content[0] === 0x1f && content[1] === 0x8b) {
    const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
    content = new Uint8Array(await new Response(stream).arrayBuffer());
  }
  if (self.crypto?.subtle) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
    const found = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    if (found !== sha256) throw new Error(`${path} arrived damaged`);
  }
  const made = new Response(content, { headers: { "Content-Type": type } });
  await cache?.put(key, made.clone()).catch(() => {}); // a full disk is no reason to stop
  return made;
}

function advance(bytes) {
  progress.loaded += bytes;
  tell({ type: "progress", ...progress });
}

async function read(response) {
  const reader = response.body.getReader();
  const chunks = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    advance(value.length);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function load(names) {
  progress.loaded = 0;
  progress.total = names.reduce((sum, name) => sum + files[name].bytes, 0);
  const responses = await Promise.all(names.map(async (name) => [name, await get(name)]));
  return new Map(responses);
}

/** Files as a list of the site has them, each with the browser's cache of that name, from which what is listed no more goes. */
async function open(name, listed) {
  let cache;
  try {
    cache = await self.caches?.open(name);
    const wanted = new Set(Object.values(listed).map((file) => file.sha256.slice(0, 16)));
    for (const { url } of await cache.keys()) if (!wanted.has(new URL(url).search.slice(1))) await cache.delete(url);
  } catch {
    cache = undefined; // no cache in this browser, or not here: the files are loaded each time
  }
  return Object.fromEntries(Object.entries(listed).map(([key, file]) => [key, { ...file, cache }]));
}

async function list(path) {
  const response = await browserFetch(new URL(path, home), { cache: "no-cache" });
  if (!response.ok) throw new Error(`${path} could not be loaded: ${response.status}`);
  return response.json();
}

async function module(response) {
  return import(URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: "text/javascript" })));
}

async function unpack(responses) {
  for (const [name, response] of responses) {
    if (/\.(whl|zip)$/.test(name) && name !== "python_stdlib.zip") {
      python.unpackArchive(await response.arrayBuffer(), name.endsWith(".whl") ? "wheel" : "zip", {
        extractDir: python.runPython("import site; site.getsitepackages()[0]"),
      });
    }
  }
}

async function begin() {
  ({ files, groups } = await list("runtime.json"));
  files = await open("attention-live", files);
  const responses = await load(groups.python);
  await module(responses.get("pyodide.asm.js"));
  const { loadPyodide } = await module(responses.get("pyodide.mjs"));
  self.fetch = async (resource, options) => {
    const name = new URL(resource.url ?? resource, home).pathname.split("/").pop();
    return responses.get(name)?.clone() ?? browserFetch(resource, options);
  };
  python = await loadPyodide({ indexURL: home.href, env: { ATTENTION_LANG: self.name } });
  self.fetch = browserFetch;
  await unpack(responses);
  python.runPython("import importlib; importlib.invalidate_caches()");
  live = python.pyimport("attention_live");
  page = live.Page();
  page.tell = (n) => tell({ type: "running", n });
}

async function draw() {
  await unpack(await load(groups.drawing));
  python.runPython("import importlib; importlib.invalidate_caches()");
  page.draw();
}

/**
 * What a function of Python makes of a value. Both travel as ASCII: while the memory of Python grows, Chromium 156 now and
 * then loses a text with wider characters, such as √, on its way.
 */
function call(run, value) {
  const text = JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return JSON.parse(live.call_with_json(run, text));
}

async function run(chain) {
  const found = call(page.run, chain);
  if (!found.draw) return found.results;
  await draw();
  return run(chain);
}

/** Files of the model, fetched and put where Python finds them. */
async function put(names) {
  for (const [name, response] of await load(names)) python.FS.writeFile(name, new Uint8Array(await response.arrayBuffer()));
}

/** What the published encoder makes of the reader's words (attention_bench.py); its weights come as they are needed. */
async function consult({ text, ...asked }) {
  if (!bench) {
    const listed = await list("../model/model.json");
    const places = Object.entries(listed).map(([name, file]) => [name, { ...file, path: `../model/${name}`, type: "application/octet-stream" }]);
    Object.assign(files, await open("attention-model", Object.fromEntries(places)));
    await put(["blocks.safetensors", "vocabulary.txt"]);
    bench = python.pyimport("attention_bench").Bench("blocks.safetensors", "vocabulary.txt");
  }
  const cut = text === undefined ? {} : call(bench.cut, text);
  if (cut.missing?.length) {
    await put(cut.missing.map(([name]) => name));
    for (const one of cut.missing) call(bench.add, one);
  }
  const found = call(bench.read, { ids: cut.ids, ...asked });
  return { ...cut, ...found, maps: asked.brief ? null : bench.maps.toJs() };
}

const ready = begin();
ready.then(
  () => tell({ type: "ready" }),
  (error) => tell({ type: "failed", text: String(error.message ?? error) }),
);

/** The parts of the reader's machine that Python has kept. */
function parts() {
  return python.FS.analyzePath(MACHINE).exists ? JSON.parse(python.FS.readFile(MACHINE, { encoding: "utf8" })) : {};
}

self.onmessage = async ({ data: { id, chain, sources, parts: given, asked } }) => {
  try {
    await ready;
    if (asked) {
      tell({ type: "done", id, ...(await consult(asked)) });
      return;
    }
    if (sources) {
      tell({ type: "names", found: sources.map((source) => [source, call(live.find_names, source)]) });
      return;
    }
    if (given) python.FS.writeFile(MACHINE, JSON.stringify(given));
    tell({ type: "done", id, results: await run(chain), parts: parts() });
  } catch (error) {
    tell({ type: "broken", id, text: String(error.message ?? error) });
  }
};
