// The journey editor: shows the fields that fit, and plays the draft without loading the page again.
const editor = document.querySelector("[data-journey-editor]");

// Only the fields of the chosen trigger.
const whenForm = editor.querySelector("[data-when-form]");
if (whenForm) {
  const kind = whenForm.elements.kind;
  const show = () => {
    for (const part of whenForm.querySelectorAll("[data-for]")) {
      part.hidden = !part.dataset.for.split(" ").includes(kind.value);
    }
  };
  kind.addEventListener("change", show);
  show();
}

// Choices belong to buttons and lists. A message has at most three buttons.
const MOST_BUTTONS = 3;
for (const answer of editor.querySelectorAll("[data-answer]")) {
  const form = answer.form;
  const show = () => {
    const list = answer.value === "list";
    form.querySelector("[data-choices]").hidden = !list && answer.value !== "buttons";
    form.querySelector("[data-list-button]").hidden = !list;
    for (const about of form.querySelectorAll(".choice-about")) about.hidden = !list;
    form.querySelectorAll(".choice-row").forEach((row, at) => {
      row.hidden = !list && at >= MOST_BUTTONS && !row.querySelector("input").value;
    });
    form.querySelector("[data-more-choices]").hidden = !list;
  };
  answer.addEventListener("change", show);
  show();
}

const scrollToEnd = () => {
  const talk = editor.querySelector(".play-talk");
  talk.scrollTop = talk.scrollHeight;
};
scrollToEnd();

editor.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-play]");
  if (!form) return;
  event.preventDefault();
  const body = new FormData(form, event.submitter);
  const typed = document.activeElement?.id === "play-text";
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { "X-Part": "phone" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    editor.querySelector("[data-phone]").replaceWith(page.querySelector("[data-phone]"));
    scrollToEnd();
    if (typed) editor.querySelector("#play-text")?.focus();
  } catch {
    form.submit();
  }
});
