// Row menus are <details>: close them on a click elsewhere and on Escape.
function closeAll(except) {
  for (const menu of document.querySelectorAll("details.row-menu[open]")) {
    if (menu !== except) menu.open = false;
  }
}

document.addEventListener("click", (event) => closeAll(event.target.closest("details.row-menu")));

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = event.target.closest?.("details.row-menu[open]");
  closeAll();
  menu?.querySelector("summary").focus();
});

// A select marked data-submit sends its form when it changes; its button stays for everyone else.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});
