// What the tests in a browser note of a page, and of its answers.

function facts() {
  const parts = [...document.querySelectorAll(".cell_output pre, .cell_output img")];
  return {
    links: [...document.querySelectorAll("a[href]")].map((a) => a.href),
    images: [...document.images].map((i) => ({ src: i.src, loaded: i.complete && i.naturalWidth > 0, alt: i.alt })),
    formulas: [...document.querySelectorAll(".katex-html")].filter((e) => e.getBoundingClientRect().width > 0).length,
    launches: document.querySelectorAll(".dropdown-launch-buttons a").length,
    sideways: document.documentElement.scrollWidth - innerWidth,
    cut: parts
      .filter((part) => part.scrollWidth > part.clientWidth + 1 || part.getBoundingClientRect().right > innerWidth)
      .filter((part) => part.tagName !== "IMG" || getComputedStyle(part.parentElement).overflowX !== "auto")
      .map((part) => part.innerText || part.alt),
  };
}

function answers() {
  const parts = [...document.querySelectorAll("details.answer > :not(summary), .tag_answer > .cell_output")];
  return {
    shown: parts.filter((part) => part.checkVisibility({ contentVisibilityAuto: true })).length,
    folded: document.querySelectorAll("details.answer:not([open])").length,
  };
}
