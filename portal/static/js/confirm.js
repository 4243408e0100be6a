// A link with data-confirm leads to a page that asks. Here the same question is asked in a dialog,
// whose form posts to that link's address.
const dialog = document.querySelector("[data-ask]");

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-confirm]");
  if (!link || !dialog?.showModal || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  link.closest("details")?.removeAttribute("open");
  const setText = (name, text) => {
    dialog.querySelector(`[data-ask-${name}]`).textContent = text;
  };
  setText("title", link.dataset.confirm);
  setText("text", link.dataset.confirmText ?? "");
  const button = dialog.querySelector("[data-ask-yes]");
  button.textContent = link.dataset.confirmYes ?? link.textContent.trim();
  button.className = `btn ${link.dataset.confirmTone === "calm" ? "btn-primary" : "btn-danger"}`;
  dialog.querySelector("form").action = link.href;
  dialog.showModal();
  dialog.querySelector("[data-ask-no]").focus();
});

dialog?.addEventListener("click", (event) => {
  if (event.target === dialog || event.target.closest("[data-ask-no]")) dialog.close();
});
