const SHOWN_MS = 3500;

export function toast(text) {
  const shelf = document.querySelector("[data-toasts]");
  if (!shelf) return;
  const note = document.createElement("div");
  note.className = "toast-note";
  note.textContent = text;
  shelf.append(note);
  setTimeout(() => note.remove(), SHOWN_MS);
}
