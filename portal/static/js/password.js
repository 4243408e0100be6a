document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-show-password]");
  if (!button) return;
  const input = document.getElementById(button.dataset.showPassword);
  const show = input.type === "password";
  input.type = show ? "text" : "password";
  button.setAttribute("aria-pressed", String(show));
  button.querySelector("[data-when-hidden]").hidden = show;
  button.querySelector("[data-when-shown]").hidden = !show;
});
