// Forms with a list of rows (options of a dish, special days): add and remove rows without saving.
// Fields of a row are named by its number, as in "special3-name". Without scripts, saving gives more.
for (const rows of document.querySelectorAll("[data-rows]")) {
  const button = rows.parentElement.querySelector("[data-add-row]");
  const listed = () => [...rows.querySelectorAll(":scope > [role=group]")];
  let next = listed().length;

  const clear = (row) => {
    for (const field of row.querySelectorAll("input")) {
      if (field.type === "checkbox") field.checked = false;
      else field.value = "";
    }
  };

  const add = () => {
    const shown = listed();
    if (shown.length >= Number(rows.dataset.rows)) {
      button.disabled = true;
      return;
    }
    const number = next++;
    const row = shown.at(-1).cloneNode(true);
    for (const part of [row, ...row.querySelectorAll("*")]) {
      for (const name of ["id", "name", "for"]) {
        const value = part.getAttribute(name);
        if (value) part.setAttribute(name, value.replace(/^([a-z]+)\d+-/, `$1${number}-`));
      }
      const label = part.getAttribute("aria-label");
      if (label) part.setAttribute("aria-label", label.replace(/\d+/, number + 1));
    }
    clear(row);
    rows.append(row);
    row.querySelector("input:not([type=hidden])").focus();
  };

  const remove = (row) => {
    if (listed().length === 1) clear(row);
    else row.remove();
    button.disabled = false;
    button.focus();
  };

  button.hidden = false;
  button.addEventListener("click", add);
  for (const one of rows.querySelectorAll("[data-remove-row]")) one.hidden = false;
  rows.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-remove-row]");
    if (pressed) remove(pressed.closest("[role=group]"));
  });
}
