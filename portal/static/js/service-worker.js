// Shows push notifications and opens the page they are about. It caches nothing.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

function read(event) {
  try {
    return event.data?.json() ?? {};
  } catch {
    return {};
  }
}

self.addEventListener("push", (event) => {
  const { title, body, tag, url } = read(event);
  event.waitUntil(self.registration.showNotification(title || "Comanda", {
    body: body || "",
    tag: tag || "comanda",
    renotify: true,
    icon: "/static/app-icon-192.png",
    badge: "/static/app-icon-192.png",
    data: { url: url || "/" },
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data?.url ?? "/", self.location.origin);
  if (url.origin !== self.location.origin) return;
  event.waitUntil((async () => {
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const open = pages.find((page) => new URL(page.url).pathname === url.pathname);
    if (open) await open.focus();
    else await self.clients.openWindow(url.href);
  })());
});
