// Search within the page: filters the calls of the reference.
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
