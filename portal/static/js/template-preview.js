// The preview of a template shows the values while they are typed.
const preview = document.querySelector("[data-template-preview]");

function fill() {
  const body = preview.querySelector("[data-preview-body]");
  let text = body.dataset.previewBody;
  JSON.parse(preview.dataset.names).forEach((name, at) => {
    const typed = document.querySelector(`[name="body_${at}"]`)?.value;
    if (typed) text = text.replaceAll(`[${name}]`, typed);
  });
  body.textContent = text;
  const header = preview.querySelector("[data-preview-header]");
  const typed = document.querySelector('[name="header"]')?.value;
  if (header && typed) header.textContent = typed;
  else if (header) header.textContent = header.dataset.previewHeader;
}

if (preview) {
  document.addEventListener("input", fill);
  fill();
}
