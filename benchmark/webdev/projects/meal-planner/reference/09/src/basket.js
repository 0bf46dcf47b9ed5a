/** What is in the basket: by item id the quantity that was on the list when it was ticked. */
export function readBasket(stored) {
  const entries = stored && typeof stored === "object" ? Object.entries(stored) : [];
  return Object.fromEntries(entries.filter(([, quantity]) => Number.isFinite(quantity)));
}

export function isTicked(basket, item) {
  return Object.hasOwn(basket, item.id) && basket[item.id] >= item.quantity;
}

export function tick(basket, item) {
  return { ...basket, [item.id]: item.quantity };
}

export function untick(basket, item) {
  const { [item.id]: _, ...others } = basket;
  return others;
}
