// The front page's row: the numbers that a visitor chooses, and their sum.
{
  const row = document.querySelector(".addends");
  const numbers = [...row.querySelectorAll("button")];
  row.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") === "false"));
    const chosen = numbers.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.querySelector("b").textContent);
    const sum = chosen.reduce((total, number) => total + Number(number), 0).toFixed(2);
    row.querySelector("output").textContent = chosen.length ? `${chosen.join(" + ")} = ${sum}` : "";
  });
}
