// Choosing a day means a range of days; choosing a named period shows it at once.
const period = document.getElementById("filter-period");

for (const name of ["since", "until"]) {
  document.getElementById(`filter-${name}`).addEventListener("change", () => {
    period.value = "range";
  });
}
period.addEventListener("change", () => {
  if (period.value !== "range") period.form.requestSubmit();
});
