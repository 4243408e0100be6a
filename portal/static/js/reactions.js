// Reactions to a customer's message, if the line can send them.
export function setUpReactions(form, { refresh, showError }) {
  const choices = document.querySelector("#reactions");
  const pane = form.closest(".talk");
  if (!choices) return;
  pane.classList.add("can-react");
  let chosen = "";

  pane.addEventListener("click", (event) => {
    const button = event.target.closest("[data-react]");
    if (!button) return;
    chosen = button.dataset.react;
    const place = button.getBoundingClientRect();
    choices.showPopover();
    const left = Math.min(place.left, window.innerWidth - choices.offsetWidth - 8);
    choices.style.left = `${Math.max(8, left)}px`;
    choices.style.top = `${Math.max(8, place.top - choices.offsetHeight - 6)}px`;
  });
  choices.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-emoji]");
    if (!button) return;
    choices.hidePopover();
    const body = new FormData();
    body.set("csrf_token", form.elements.csrf_token.value);
    body.set("message", chosen);
    body.set("emoji", button.dataset.emoji);
    const answer = await fetch(choices.dataset.reactUrl, {
      method: "POST", body, headers: { "X-Part": "act" }, redirect: "error",
    }).catch(() => null);
    if (answer?.ok) { showError(""); refresh(); return; }
    const result = await answer?.json().catch(() => ({}));
    showError(result?.error ?? form.dataset.failed);
  });
}
