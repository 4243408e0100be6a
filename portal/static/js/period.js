// Choosing a date selects the custom range; choosing a named period submits the form.
const period = document.getElementById("filter-period");

for (const name of ["since", "until"]) {
  document.getElementById(`filter-${name}`).addEventListener("change", () => {
    period.value = "range";
  });
}
period.addEventListener("change", () => {
  if (period.value !== "range") period.form.requestSubmit();
});
