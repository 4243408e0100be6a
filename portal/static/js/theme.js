const root = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function paint() {
  const choice = root.dataset.theme;
  root.dataset.bsTheme = choice === "auto" ? (systemDark.matches ? "dark" : "light") : choice;
  for (const button of document.querySelectorAll("[data-theme-form] button")) {
    button.setAttribute("aria-pressed", String(button.value === choice));
  }
}

systemDark.addEventListener("change", paint);

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-theme-form]");
  if (!form) return;
  event.preventDefault();
  root.dataset.theme = event.submitter.value;
  paint();
  const body = new FormData(form);
  body.set("theme", event.submitter.value);
  await fetch(form.action, { method: "POST", body, redirect: "manual" });
});

paint();
