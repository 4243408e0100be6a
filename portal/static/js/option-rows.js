// Options of a dish: another empty row without saving first. Without scripts, saving gives more.
const rows = document.querySelector("[data-rows]");
const button = document.querySelector("[data-add-row]");

function add() {
  const shown = rows.querySelectorAll(".option-row");
  if (shown.length >= Number(rows.dataset.rows)) {
    button.disabled = true;
    return;
  }
  const number = shown.length;
  const row = shown[number - 1].cloneNode(true);
  for (const part of [row, ...row.querySelectorAll("*")]) {
    for (const name of ["id", "name", "for"]) {
      const value = part.getAttribute(name);
      if (value) part.setAttribute(name, value.replace(/^o\d+-/, `o${number}-`));
    }
  }
  for (const field of row.querySelectorAll("input")) {
    if (field.type === "checkbox") field.checked = false;
    else field.value = "";
  }
  row.setAttribute("aria-label", row.getAttribute("aria-label").replace(/\d+/, number + 1));
  rows.append(row);
  row.querySelector("input:not([type=hidden])").focus();
}

button.hidden = false;
button.addEventListener("click", add);
