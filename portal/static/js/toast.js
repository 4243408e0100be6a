const SHOWN_MS = 3500;

export function toast(text) {
  const container = document.querySelector("[data-toasts]");
  if (!container) return;
  const note = document.createElement("div");
  note.className = "toast-note";
  note.textContent = text;
  container.append(note);
  setTimeout(() => note.remove(), SHOWN_MS);
}
