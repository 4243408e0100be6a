// Opening hours: copies one day's times to the whole week.
for (const button of document.querySelectorAll("[data-copy-hours]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const days = [...button.closest("[data-hours]").querySelectorAll(".hours-day")];
    const first = [...days[0].querySelectorAll("input")].map((input) => input.value);
    for (const day of days.slice(1)) {
      day.querySelectorAll("input").forEach((input, place) => { input.value = first[place]; });
    }
  });
}
