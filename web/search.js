// How the search reads a query, ranks pages and quotes them. Sphinx puts this into language_data.js, behind its own
// searchtools.js; web/search.py has completed the index.
if (typeof Search !== "undefined") {
  const LONGEST = 4; // words of a phrase, as in web/search.py
  const LENGTH = 240, BEFORE = 60; // signs of an excerpt, and of it before what was found
  const HIDDEN = "h1, h2, h3, script, style, button, svg, annotation, .katex-html, .eqno, .headerlink, .card-of-evidence, .answer, .controls, .claim > :not(:first-child)";
  const CODE = "pre, .cell";

  const split = (text) => splitQuery(text.toLowerCase());
  const stem = (words) => { const stemmer = new Stemmer(); return words.map((word) => stemmer.stemWord(word)); };
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[\s-]+/g, "[\\s-]+");
  let known; // by the stemmed words of each synonym, its list

  /** Return the terms of a query, the longest phrases first; each with its forms, and a pattern that finds them. */
  function readTerms(query) {
    known ??= new Map(Search._index.synonyms.flatMap((list) => list.map((form) => [stem(split(form)).join(" "), list])));
    const words = split(query).filter((word) => !stopwords.includes(word) && !/^\d+$/.test(word));
    const stems = stem(words), terms = [];
    for (let i = 0, n; i < words.length; i += n) {
      const join = (list) => list.slice(i, i + n).join(" ");
      for (n = LONGEST; n > 1 && !known.has(join(stems)); n--);
      const list = known.get(join(stems)), forms = [...new Set([join(words), join(stems), ...(list ?? [])])];
      terms.push({ term: list ? list[0] : join(stems), forms, pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.map(escape).join("|")})`, "giu") });
    }
    return terms;
  }

  /** Return the weight of a term on each page; a term that no page has stands for those that begin with it. */
  function weigh(term) {
    const { weights } = Search._index, found = new Map();
    const same = Object.hasOwn(weights, term) ? [term] : term.length > 1 ? Object.keys(weights).filter((one) => one.startsWith(term)) : [];
    for (const one of same) for (let i = 0; i < weights[one].length; i += 2) {
      const [page, weight] = weights[one].slice(i, i + 2);
      found.set(page, Math.max(found.get(page) ?? 0, weight));
    }
    return found;
  }

  /** Return the place of the first heading of a page that has all terms, unless its title has them. */
  function findHeading(page, terms) {
    const { titles, alltitles } = Search._index;
    const fits = (text) => terms.every(({ pattern }) => text.search(pattern) >= 0);
    if (fits(titles[page])) return;
    for (const [title, places] of Object.entries(alltitles)) {
      const place = places.find(([of, id]) => of === page && id);
      if (place && fits(title)) return { title, anchor: `#${place[1]}` };
    }
  }

  Search._parseQuery = (query) => {
    const terms = readTerms(query), forms = terms.flatMap((term) => term.forms);
    localStorage.setItem("sphinx_highlight_terms", forms.filter((form) => !/\s/.test(form)).join(" "));
    return [query, terms, [], forms, new Set(split(query))];
  };

  /** Return the pages that have all terms, or if there are none those that have some; the best comes last. */
  Search._performSearch = (query, terms, excluded, forms, names) => {
    const { docnames, filenames, titles } = Search._index, found = new Map();
    for (const { term } of terms) for (const [page, weight] of weigh(term)) {
      const { number, score } = found.get(page) ?? { number: 0, score: 0 };
      found.set(page, { number: number + 1, score: score + weight });
    }
    const all = [...found].filter(([, { number }]) => number === terms.length);
    const pages = (all.length ? all : [...found]).map(([page, { score }]) => {
      const heading = findHeading(page, terms);
      return [docnames[page], heading ? `${titles[page]} > ${heading.title}` : titles[page], heading?.anchor ?? "", null, score, filenames[page]];
    }).sort(_orderResultsByScoreThenName);
    const objects = [...names].flatMap((name) => Search.performObjectSearch(name, names)
      .filter(([, object]) => object.split(".").at(-1).toLowerCase().includes(name))).sort(_orderResultsByScoreThenName);
    return query.includes("_") ? [...pages, ...objects] : [...objects, ...pages];
  };

  /** Return the text of a page or of one part of it as one line, without what is hidden, and with each formula once. */
  Search.htmlToText = (html, anchor, hidden = HIDDEN) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const part = (anchor && page.getElementById(anchor.slice(1))) || page.querySelector("article") || page.body;
    part.querySelectorAll(hidden).forEach((element) => element.remove());
    return part.textContent.replace(/[\u2060-\u2064]/g, "").replace(/\s+/g, " ").trim();
  };

  /** Return the first passage with the most terms, of code only if prose has none. */
  Search.makeSearchSummary = (html, terms, anchor) => {
    const prose = Search.htmlToText(html, anchor, `${HIDDEN}, ${CODE}`);
    const text = terms.some(({ pattern }) => prose.search(pattern) >= 0) ? prose : Search.htmlToText(html, anchor);
    const places = terms.flatMap(({ pattern }, i) => [...text.matchAll(pattern)].map((one) => [one.index, i])).sort(([a], [b]) => a - b);
    let start = 0, most = 0;
    for (const [place] of places) {
      const { size } = new Set(places.filter(([other]) => place <= other && other < place + LENGTH - BEFORE).map(([, i]) => i));
      if (size > most) [start, most] = [place, size];
    }
    start = start > BEFORE ? text.indexOf(" ", start - BEFORE) + 1 : 0;
    const end = start + LENGTH < text.length ? text.lastIndexOf(" ", start + LENGTH) : text.length;
    const summary = document.createElement("p");
    summary.className = "context";
    summary.textContent = `${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
    return summary;
  };
}
