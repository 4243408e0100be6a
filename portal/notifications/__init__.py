"""Push notifications: the page of a member, the service worker and the web app manifest."""
