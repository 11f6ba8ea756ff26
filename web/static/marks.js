// Cards of evidence: in the margin where there is room for one, under the paragraph elsewhere.
for (const card of document.querySelectorAll(".card-of-evidence")) {
  card.firstElementChild.open = true;
  const mark = document.querySelector(`[popovertarget="${card.id}"]`);
  card.addEventListener("toggle", (event) => {
    if (event.newState !== "open") return;
    const block = (mark.closest("p, li, blockquote") ?? mark).getBoundingClientRect();
    const article = mark.closest("article").getBoundingClientRect();
    const inMargin = innerWidth >= 1200;
    const left = inMargin ? Math.min(article.right + 16, innerWidth - card.offsetWidth - 16) : block.left;
    const top = inMargin ? mark.getBoundingClientRect().top - 8 : block.bottom + 4;
    card.style.left = `${Math.max(8, Math.min(left, innerWidth - card.offsetWidth - 8)) + scrollX}px`;
    card.style.top = `${Math.max(8, Math.min(top, innerHeight - card.offsetHeight - 8)) + scrollY}px`;
  });
}
