// The colours of Python code while it is edited: those of the page, found line by line without a parser.

const WORDS = "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield";
const TOKENS = new RegExp(
  [
    /(?<c1>#.*)/,
    /(?<s2>[rbfRBF]*(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
    /(?<kc>\b(?:True|False|None)\b)/,
    new RegExp(`(?<k>\\b(?:${WORDS.replaceAll(" ", "|")})\\b)`),
    /(?<mi>\b\d[\w.]*)/,
    /(?<n>[^\W\d]\w*)/,
    /(?<o>[-+*/%@&|^~<>=!]+)/,
  ].map((part) => part.source).join("|"), "gu");

/** The code as texts and elements of the classes that the page's own code has. */
export function coloured(code) {
  const parts = [];
  let end = 0;
  for (const found of code.matchAll(TOKENS)) {
    parts.push(code.slice(end, found.index));
    const [kind] = Object.entries(found.groups).find(([, words]) => words !== undefined);
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = found[0];
    parts.push(span);
    end = found.index + found[0].length;
  }
  return [...parts, code.slice(end)];
}
