// The "what" step: shows only the fields that the chosen template needs.
const place = document.querySelector("[data-wishes]");
const choice = place?.querySelector("select[name=template]");

function show() {
  const wishes = JSON.parse(place.dataset.wishes)[choice.value];
  for (const part of place.querySelectorAll("[data-wish]")) {
    part.hidden = wishes !== undefined && !wishes.split(" ").includes(part.dataset.wish);
  }
}

if (choice) {
  choice.addEventListener("change", show);
  show();
}
