// Place a menu beside the button that opened it: below, or above where there is no room.

const GAP = 6;
const EDGE = 8;

export function placePopovers(selector) {
  let button = null;
  document.addEventListener("click", (event) => {
    button = event.target.closest("[popovertarget]") ?? button;
  }, true);
  document.querySelectorAll(selector).forEach((menu) => {
    menu.addEventListener("toggle", (event) => {
      if (event.newState !== "open" || button?.getAttribute("popovertarget") !== menu.id) return;
      const place = button.getBoundingClientRect();
      const left = Math.min(place.left, window.innerWidth - menu.offsetWidth - EDGE);
      const fits = place.bottom + GAP + menu.offsetHeight + EDGE <= window.innerHeight;
      const top = fits ? place.bottom + GAP : place.top - GAP - menu.offsetHeight;
      menu.style.inset = "auto";
      menu.style.margin = "0";
      menu.style.left = `${Math.max(EDGE, left)}px`;
      menu.style.top = `${Math.max(EDGE, top)}px`;
    });
  });
}
