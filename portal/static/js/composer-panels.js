// What can be added to a message: buttons, a list, a link, a location, a contact card, a recording.
// A location, a contact card or a recording is a message of its own: the text stays in the box.
const WITHOUT_TEXT = ["location", "contacts", "voice", "sticker"];

export function setUpPanels(form) {
  const panels = [...form.querySelectorAll("[data-panel]")];
  const kind = form.elements.kind;
  const opened = () => panels.find((panel) => !panel.hidden);

  function open(name) {
    for (const panel of panels) {
      panel.hidden = panel.disabled = panel.dataset.panel !== name;
    }
    kind.value = opened()?.dataset.panel ?? "";
    opened()?.querySelector("input, textarea")?.focus();
  }

  function close() {
    const panel = opened();
    for (const input of panel?.querySelectorAll("input, textarea") ?? []) input.value = input.defaultValue;
    open("");
  }

  // The buttons or the list of a quick reply.
  function fill(card) {
    open(card.kind);
    const panel = opened();
    if (!panel) return;
    if (card.kind === "buttons") {
      panel.querySelectorAll("input").forEach((input, number) => { input.value = card.buttons[number] ?? ""; });
    } else {
      form.elements.list_button.value = card.list_button;
      form.elements.rows.value = card.rows.join("\n");
    }
  }

  const more = document.querySelector("#more");
  more?.addEventListener("toggle", () => {
    const place = form.querySelector('[popovertarget="more"]').getBoundingClientRect();
    more.style.right = "auto";
    more.style.left = `${Math.max(8, Math.min(place.left, window.innerWidth - more.offsetWidth - 8))}px`;
    more.style.bottom = `${window.innerHeight - place.top + 6}px`;
  });
  more?.addEventListener("click", (event) => {
    const item = event.target.closest("[data-panel-open]");
    if (!item) return;
    more.hidePopover();
    const reply = form.querySelector('[name="mode"][value="reply"]');
    if (reply && !reply.checked) reply.click();
    open(item.dataset.panelOpen);
  });
  form.addEventListener("click", (event) => {
    if (event.target.closest("[data-panel-close]")) close();
  });
  return { close, fill, isOpen: () => Boolean(opened()), leavesText: () => WITHOUT_TEXT.includes(kind.value) };
}
