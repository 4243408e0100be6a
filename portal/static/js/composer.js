// The reply box: saves drafts, sends once, inserts quick replies after a slash.
import { setUpPanels } from "./composer-panels.js";
import { setUpReactions } from "./reactions.js";

const DRAFT_PREFIX = "draft:";
const TYPING_MS = 20000;

export function setUpComposer({ talkId, refresh, toEnd }) {
  const form = document.querySelector("[data-composer]");
  const field = form?.querySelector("[data-writing]");
  if (!form || form.dataset.ready) return;
  form.dataset.ready = "yes";
  const fault = document.querySelector("[data-fault]");
  const file = form.querySelector("[data-file]");
  const suggestions = form.querySelector("[data-suggestions]");
  const touch = matchMedia("(pointer: coarse)").matches;
  const draft = DRAFT_PREFIX + talkId;
  const mode = () => form.querySelector('[name="mode"]:checked')?.value ?? "reply";

  const panels = setUpPanels(form);
  setUpReactions(form, { refresh, showError });

  if (!field.value) field.value = sessionStorage.getItem(draft) ?? "";
  grow();
  showMode();

  function grow() {
    field.rows = Math.min(8, Math.max(1, field.value.split("\n").length));
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight + 2, 220)}px`;
  }

  function showMode() {
    const note = mode() === "note";
    form.classList.toggle("is-note", note);
    field.placeholder = note ? field.dataset.placeholderNote : field.dataset.placeholderReply;
  }

  function showError(text) {
    fault.textContent = text ?? "";
    fault.hidden = !text;
  }

  field.addEventListener("input", () => {
    if (field.value) sessionStorage.setItem(draft, field.value);
    else sessionStorage.removeItem(draft);
    grow();
    suggest();
    showTyping();
  });

  // The customer sees for 25 seconds that somebody writes.
  let typingShown = 0;
  function showTyping() {
    if (mode() === "note" || !field.value.trim() || Date.now() - typingShown < TYPING_MS) return;
    typingShown = Date.now();
    const body = new FormData();
    body.set("csrf_token", form.elements.csrf_token.value);
    fetch(form.dataset.typingUrl, { method: "POST", body, redirect: "error" }).catch(() => null);
  }

  form.addEventListener("change", (event) => {
    if (event.target.name === "mode") {
      showMode();
      if (mode() === "note") panels.close();
      field.focus();
    }
    if (event.target === file) showFile();
  });

  // Files: chosen, dropped or pasted.
  function showFile() {
    const bar = form.querySelector("[data-file-bar]");
    const chosen = file?.files[0];
    bar.hidden = !chosen;
    bar.querySelector("[data-file-name]").textContent = chosen?.name ?? "";
  }
  function attach(files) {
    if (!file || !files?.length || mode() === "note") return false;
    file.files = files;
    showFile();
    field.focus();
    return true;
  }
  form.querySelector("[data-file-drop]")?.addEventListener("click", () => { file.value = ""; showFile(); });
  field.addEventListener("paste", (event) => {
    if (attach(event.clipboardData?.files)) event.preventDefault();
  });
  const pane = form.closest(".talk");
  pane.addEventListener("dragover", (event) => event.preventDefault());
  pane.addEventListener("drop", (event) => {
    event.preventDefault();
    attach(event.dataTransfer?.files);
  });

  // Send later.
  const sendAt = document.querySelector("#send-at");
  const laterBar = form.querySelector("[data-later-bar]");
  const laterText = form.querySelector("[data-later-text]");
  function showLater() {
    if (!sendAt) return;
    laterBar.hidden = !sendAt.value;
    if (!sendAt.value) return;
    const { words, window: closed, windowUntil } = laterText.dataset;
    const at = new Date(sendAt.value).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    const late = windowUntil && sendAt.value > windowUntil;
    laterText.textContent = words.replace("%s", at) + (late ? ` ${closed}` : "");
    laterBar.classList.toggle("later-closed", Boolean(late));
  }
  sendAt?.addEventListener("input", showLater);
  for (const button of document.querySelectorAll("[data-later]")) {
    button.addEventListener("click", () => {
      sendAt.value = button.dataset.later;
      showLater();
      document.querySelector("#later").hidePopover();
      field.focus();
    });
  }
  form.querySelector("[data-later-drop]")?.addEventListener("click", () => { sendAt.value = ""; showLater(); });

  // Quotes.
  const quoteBar = form.querySelector("[data-quote-bar]");
  function quote(id, text) {
    form.elements.reply_to.value = id;
    quoteBar.hidden = !id;
    quoteBar.querySelector("[data-quoted-text]").textContent = text;
  }
  form.querySelector("[data-quote-drop]").addEventListener("click", () => quote("", ""));
  pane.addEventListener("click", (event) => {
    const button = event.target.closest("[data-quote]");
    if (!button) return;
    quote(button.dataset.quote, button.dataset.quoteText);
    field.focus();
  });

  // Quick replies.
  const known = [...document.querySelectorAll("[data-quick]")].map(({ dataset }) => ({
    shortcut: dataset.quick, text: dataset.quickText, card: dataset.quickCard,
  }));
  let chosen = 0;
  let offered = [];

  function suggest() {
    const typed = /^\/([\p{L}\p{N}_-]*)$/u.exec(field.value);
    const start = typed?.[1].toLowerCase();
    offered = typed && mode() !== "note" ? known.filter(({ shortcut }) => shortcut.startsWith(start)).slice(0, 8) : [];
    chosen = 0;
    draw();
  }
  function draw() {
    suggestions.hidden = !offered.length;
    suggestions.replaceChildren(...offered.map(({ shortcut, text, card }, number) => {
      const item = document.createElement("li");
      item.role = "option";
      item.ariaSelected = String(number === chosen);
      const key = document.createElement("span");
      key.className = "quick-key";
      key.textContent = `/${shortcut}`;
      const preview = document.createElement("span");
      preview.className = "quick-text";
      preview.textContent = text;
      item.append(key, preview);
      item.addEventListener("pointerdown", (event) => { event.preventDefault(); put(text, card); });
      return item;
    }));
  }
  function put(text, card) {
    field.value = text;
    if (card) panels.fill(JSON.parse(card));
    offered = [];
    draw();
    field.dispatchEvent(new Event("input"));
    field.focus();
    field.setSelectionRange(text.length, text.length);
  }
  document.querySelector("#quick")?.addEventListener("click", (event) => {
    const item = event.target.closest("[data-quick]");
    if (!item) return;
    document.querySelector("#quick").hidePopover();
    put(item.dataset.quickText, item.dataset.quickCard);
  });

  field.addEventListener("keydown", (event) => {
    if (offered.length && ["ArrowDown", "ArrowUp", "Tab", "Enter", "Escape"].includes(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Escape") offered = [];
      else if (event.key.startsWith("Arrow")) chosen = (chosen + (event.key === "ArrowDown" ? 1 : offered.length - 1)) % offered.length;
      else { put(offered[chosen].text, offered[chosen].card); return; }
      draw();
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !touch) {
      event.preventDefault();
      form.requestSubmit();
    }
  });

  // Sending. The token stays until the response arrives, so that a retry does not send a second message.
  let busy = false;
  async function send(sent) {
    if (busy) return;
    const empty = sent === form && !field.value.trim() && !file?.files.length && !panels.isOpen();
    if (empty) { field.focus(); return; }
    busy = true;
    sent.classList.add("is-busy");
    const answer = await fetch(sent.action, {
      method: "POST", body: new FormData(sent), headers: { "X-Part": "act" }, redirect: "error",
    }).catch(() => null);
    const result = await answer?.json().catch(() => ({}));
    busy = false;
    sent.classList.remove("is-busy");
    if (!answer?.ok) {
      showError(result?.error ?? form.dataset.failed);
      return;
    }
    showError("");
    sent.elements.once.value = result.once;
    if (sent === form) {
      if (!panels.leavesText()) {
        field.value = "";
        sessionStorage.removeItem(draft);
      }
      panels.close();
      if (file) { file.value = ""; showFile(); }
      quote("", "");
      if (sendAt) { sendAt.value = ""; showLater(); }
      grow();
    } else {
      sent.reset();
    }
    await refresh();
    toEnd();
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  const template = document.querySelector("[data-template]");
  template?.addEventListener("submit", (event) => { event.preventDefault(); send(template); });
}
