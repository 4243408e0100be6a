// The "what" step: shows only the fields that the chosen template needs.
const place = document.querySelector("[data-template-fields]");
const choice = place?.querySelector("select[name=template]");

function show() {
  const fields = JSON.parse(place.dataset.templateFields)[choice.value];
  for (const part of place.querySelectorAll("[data-template-field]")) {
    part.hidden = fields !== undefined && !fields.split(" ").includes(part.dataset.templateField);
  }
}

if (choice) {
  choice.addEventListener("change", show);
  show();
}
