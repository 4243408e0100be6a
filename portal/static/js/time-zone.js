// Sign-up sends the browser's time zone along, so that the first page shows local times.
for (const form of document.querySelectorAll("[data-time-zone]")) {
  const input = form.elements[form.dataset.timeZone];
  if (input) input.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}
