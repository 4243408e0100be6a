// Drags rows into another order. The buttons beside each row do the same without a pointer or a script.

async function saveOrder(list) {
  const body = new URLSearchParams({
    csrf_token: document.querySelector("input[name=csrf_token]").value,
    kind: list.dataset.kind,
    ids: rows(list).map((row) => row.dataset.id).join(","),
  });
  const answer = await fetch(list.dataset.sort, { method: "POST", body, headers: { "X-Part": "order" } });
  if (!answer.ok) throw new Error(answer.statusText);
}

const rows = (list) => [...list.children].filter((child) => child.dataset.id);

function updateButtons(list) {
  rows(list).forEach((row, place, all) => {
    const [up, down] = row.querySelectorAll(":scope > .steps-form button, :scope > .card-head .steps-form button");
    if (up) up.disabled = place === 0;
    if (down) down.disabled = place === all.length - 1;
  });
}

function follow(list, row, grip, start) {
  const before = rows(list);
  row.classList.add("dragged");
  grip.setPointerCapture(start.pointerId);
  const move = (event) => {
    const under = rows(list).find((other) => {
      const box = other.getBoundingClientRect();
      return other !== row && event.clientY > box.top && event.clientY < box.bottom;
    });
    if (!under) return;
    const box = under.getBoundingClientRect();
    list.insertBefore(row, event.clientY < box.top + box.height / 2 ? under : under.nextSibling);
  };
  const stop = async () => {
    grip.removeEventListener("pointermove", move);
    row.classList.remove("dragged");
    if (rows(list).every((one, place) => one === before[place])) return;
    updateButtons(list);
    try {
      await saveOrder(list);
    } catch {
      for (const one of before) list.append(one);
      updateButtons(list);
      document.querySelector("[data-toasts]").textContent = list.dataset.failed;
    }
  };
  grip.addEventListener("pointermove", move);
  grip.addEventListener("pointerup", stop, { once: true });
  grip.addEventListener("pointercancel", stop, { once: true });
}

for (const list of document.querySelectorAll("[data-sort]")) {
  for (const row of rows(list)) {
    const grip = row.querySelector(":scope > [data-grip], :scope > .card-head > [data-grip]");
    if (!grip) continue;
    grip.hidden = false;
    grip.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      event.preventDefault();
      follow(list, row, grip, event);
    });
  }
}
