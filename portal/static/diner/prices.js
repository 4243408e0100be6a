// Prices depend on the type of order, and on happy hours.
import { data, find, minor, money } from "./page.js";

let type = find('input[name="type"]:checked')?.value ?? "";

export const priceOf = (item) => minor(item.prices?.[type]?.[0] ?? item.price);

const regularOf = (item) => {
  const regular = item.prices?.[type]?.[1];
  return regular === undefined ? null : minor(regular);
};

// Show the prices of this type of order on the menu. True if it is another type than before.
export function showPrices(chosen) {
  if (!chosen || chosen === type) return false;
  type = chosen;
  for (const element of document.querySelectorAll("[data-item]")) {
    const item = data.items[element.dataset.item];
    if (!item?.prices) continue;
    find("[data-price]", element).textContent = money(priceOf(item));
    const was = find("[data-was]", element), offer = find("[data-offer]", element);
    const regular = regularOf(item);
    if (was) {
      was.hidden = regular === null;
      if (regular !== null) find("bdi", was).textContent = money(regular);
    }
    if (offer) offer.hidden = regular === null;
  }
  return true;
}
