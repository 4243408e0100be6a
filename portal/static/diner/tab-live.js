// Waits for changes of a tab: a long poll of the live server, or polling where it cannot be reached.
const POLL_MS = 2000;
const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });

// `connection` has url, ticket and after. `refresh` loads the tab and returns a new connection.
export async function follow(connection, refresh) {
  let { url, ticket, after } = connection;
  for (;;) {
    if (document.hidden) {
      await new Promise((done) => { document.addEventListener("visibilitychange", done, { once: true }); });
      ({ url, ticket, after } = await load(refresh, { url, ticket, after }));
      continue;
    }
    const answer = await fetch(`${url}/poll?after=${encodeURIComponent(after)}`, {
      headers: { Authorization: `Bearer ${ticket}` }, cache: "no-store", credentials: "omit",
    }).catch(() => null);
    if (answer?.ok) {
      const body = await answer.json();
      after = body.after;
      if (!body.news.length) continue;
    } else {
      await wait(POLL_MS);
    }
    ({ url, ticket, after } = await load(refresh, { url, ticket, after }));
  }
}

async function load(refresh, before) {
  try {
    return (await refresh()) ?? before;
  } catch {
    await wait(POLL_MS);
    return before;
  }
}
