// A long menu begins at its top: show where the page is in it.
document.querySelector(".sidebar [aria-current=page]")?.scrollIntoView({ block: "nearest" });
