// Scroll a long menu or row of tabs to the current page.
for (const here of document.querySelectorAll(".sidebar [aria-current=page], .tabs [aria-current=page]")) {
  here.scrollIntoView({ block: "nearest", inline: "nearest" });
}
