// A row of tabs that is wider than a phone begins at its first: show the one the page is on.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const row = tab.closest(".tabs");
  const hidden = tab.getBoundingClientRect().right - row.getBoundingClientRect().right;
  if (hidden > 0) row.scrollLeft += hidden + 24;
}
