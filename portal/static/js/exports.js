// Updates the progress bar of an export.
const place = document.querySelector("[data-exports]");

async function reload() {
  const list = place.querySelector("[data-moves]");
  if (!list || list.dataset.moves !== "yes") return;
  try {
    const answer = await fetch(place.dataset.exports);
    if (answer.ok && !answer.redirected) place.innerHTML = await answer.text();
  } catch {
    // offline: try again at the next interval
  }
  setTimeout(reload, 1500);
}

if (place) setTimeout(reload, 1000);
