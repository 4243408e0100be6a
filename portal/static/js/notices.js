document.addEventListener("click", (event) => {
  event.target.closest("[data-close-notice]")?.closest(".notice").remove();
});
