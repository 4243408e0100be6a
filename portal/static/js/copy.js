import { toast } from "./toast.js";

// data-copy holds the text itself, or data-copy-from names the element that shows it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = button.dataset.copyFrom;
  const shown = source && document.getElementById(source);
  const text = shown ? (shown.value ?? shown.textContent).trim() : button.dataset.copy;
  if (await put(text)) toast(button.dataset.copied);
  else if (shown) select(shown);
});

async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text);
  }
}

// Plain http on a shop's own network has no clipboard API.
function copyWithSelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}
