// Finding on one page: calls of the reference by their words, and words of a guide.
for (const finder of document.querySelectorAll("[data-finder]")) finder.hidden = false;

const field = document.querySelector("[data-find]");
const none = document.querySelector("[data-find-none]");

field?.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const group of document.querySelectorAll("[data-find-group]")) {
    let here = 0;
    for (const line of group.querySelectorAll("[data-find-text]")) {
      const text = line.dataset.findText.toLowerCase();
      line.hidden = !words.every((word) => text.includes(word));
      if (!line.hidden) here += 1;
    }
    group.hidden = here === 0;
    found += here;
  }
  none.hidden = found > 0;
});

// Blocks of a guide that do not hold the words step back; the first that does comes into view.
const wanted = document.querySelector("[data-find-words]");
const guide = document.querySelector("[data-find-in]");

wanted?.addEventListener("input", () => {
  const word = wanted.value.trim().toLowerCase();
  let first = null;
  for (const block of guide.children) {
    const holds = word && block.textContent.toLowerCase().includes(word);
    block.classList.toggle("found", Boolean(holds));
    if (holds) first ??= block;
  }
  guide.classList.toggle("finding", Boolean(word));
  first?.scrollIntoView({ block: "nearest" });
});
