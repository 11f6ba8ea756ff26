// A notebook that the reader loads, beside the page's own: which cell is which, whatever became of names and ids.

export const text = (source) => (Array.isArray(source) ? source.join("") : source ?? "");
export const plain = (source) => text(source).replace(/\s+$/, "");
export const grader = (cell) => cell.metadata?.nbgrader ?? {};
export const title = (all) => all.map((cell) => cell.cell_type !== "code" && text(cell.source).match(/^# (.+)/m)?.[1]).find(Boolean);

/** The names that some code binds at its beginning of a line. */
export const bound = (source) => [...source.matchAll(/^(?:(?:async\s+)?def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]+)?=[^=]/gm)].map((m) => m[1] ?? m[2]);

/** The cells of a notebook file, in any code that the grader reads, of format 3 or 4; an error for anything else. */
export async function open(file) {
  const data = await file.arrayBuffer(), [first, second] = new Uint8Array(data);
  const encoding = first === 0xfe || first === 0 ? "utf-16be" : first === 0xff || second === 0 ? "utf-16le" : "utf-8";
  const read = (code) => {
    try {
      return JSON.parse(new TextDecoder(code, { fatal: true }).decode(data));
    } catch {
      return null;
    }
  };
  const { cells, worksheets } = read(encoding) ?? read("euc-kr") ?? read("latin1"); // euc-kr is cp949
  return (cells ?? worksheets.flatMap((sheet) => sheet.cells ?? [])).filter(Boolean).map((cell) => ({
    ...cell, source: text(cell.source ?? cell.input).replace(/\r\n?/g, "\n"), metadata: cell.metadata ?? {},
  }));
}

/** Which of the page's cells each loaded one is, as a Map; empty if the notebook is of another page. */
export function pair(theirs, ours) {
  const pairs = new Map(), left = new Set(ours);
  const find = (test) => {
    for (const cell of theirs) {
      if (pairs.has(cell) || !cell.source.trim()) continue;
      const found = [...left].find((one) => one.cell_type === cell.cell_type && test(cell, one));
      if (found) pairs.set(cell, found);
      left.delete(found);
    }
    return pairs.size;
  };
  const marked = find((cell, one) => grader(cell).grade_id && grader(cell).grade_id === grader(one).grade_id)
    + find((cell, one) => one.id && [cell.id, cell.metadata.id].includes(one.id));
  const alike = find((cell, one) => plain(cell.source) === plain(one.source));
  if (!marked && alike < 0.3 * ours.length) return new Map();
  find((cell, one) => grader(one).solution && bound(cell.source).some((name) => bound(text(one.source)).includes(name)));
  return pairs;
}

/** What of a loaded notebook is the reader's own: a cell that any notebook may have, under an id that none has. */
export function adopt({ cell_type: kind, id, metadata, source, attachments }, taken) {
  let name = typeof id === "string" && /^[\w-]{1,64}$/.test(id) && !taken.has(id) ? id : "";
  for (let n = 1; !name; n++) if (!taken.has(`own-${n}`)) name = `own-${n}`;
  taken.add(name);
  const cell_type = ["code", "raw"].includes(kind) ? kind : "markdown";
  return { cell_type, id: name, metadata, source, ...(attachments && { attachments }), ...(kind === "code" && { outputs: [], execution_count: null }) };
}
