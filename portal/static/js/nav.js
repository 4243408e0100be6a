// A long menu or row of tabs begins at its start: show where the page is in it.
for (const here of document.querySelectorAll(".sidebar [aria-current=page], .tabs [aria-current=page]")) {
  here.scrollIntoView({ block: "nearest", inline: "nearest" });
}
