// Something that is shown only once can be printed (data-print) or saved as a file (data-save holds
// its text, data-save-as the file's name).
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
  const button = event.target.closest("[data-save]");
  if (!button) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${button.dataset.save}\n`], { type: "text/plain" }));
  link.download = button.dataset.saveAs;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
