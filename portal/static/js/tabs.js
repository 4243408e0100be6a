// Code samples are shown one below the other; with this script, one at a time behind tabs.
// The chosen language is the same in every block of the page.
const blocks = [...document.querySelectorAll("[data-code]")];

function choose(name, focus) {
  for (const block of blocks) {
    const tabs = [...block.querySelectorAll('[role="tab"]')];
    const chosen = tabs.find((tab) => tab.dataset.name === name);
    if (!chosen) continue;
    for (const tab of tabs) {
      const on = tab === chosen;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
    }
    block.querySelector("[data-copy]").dataset.copyFrom = chosen.dataset.source;
    if (focus && block.contains(focus)) chosen.focus();
  }
}

for (const block of blocks) {
  const tabs = [...block.querySelectorAll('[role="tab"]')];
  if (!tabs.length) continue;
  block.classList.add("code-ready");
  choose(tabs[0].dataset.name);
  block.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) choose(tab.dataset.name);
  });
  block.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    choose(tabs[(at + step + tabs.length) % tabs.length].dataset.name, event.target);
  });
}
