/* global SwaggerUIBundle */
const place = document.getElementById("reference");

SwaggerUIBundle({
  url: place.dataset.openapi,
  domNode: place,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete() {
    place.querySelector("#servers")?.setAttribute("aria-label", place.dataset.serverLabel);
  },
});

// Swagger UI has a dark dress of its own; it follows ours.
const root = document.documentElement;
const dress = () => root.classList.toggle("dark-mode", root.dataset.bsTheme === "dark");
new MutationObserver(dress).observe(root, { attributeFilter: ["data-bs-theme"] });
dress();
