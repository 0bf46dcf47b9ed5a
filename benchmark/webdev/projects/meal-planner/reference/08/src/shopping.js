import { findDish } from "./dishes.js";
import { DAYS } from "./plan.js";

const METRIC = {
  g: { base: "g", size: 1 },
  kg: { base: "g", size: 1000 },
  ml: { base: "ml", size: 1 },
  l: { base: "ml", size: 1000 },
};
const LARGE = { g: "kg", ml: "l" };

/** What the plan needs, by name: a list of `{ id, name, text }`. */
export function shoppingList(plan) {
  const needs = new Map();
  for (const { dishId, servings } of DAYS.flatMap((day) => plan[day])) {
    const dish = findDish(dishId);
    for (const { name, amount = 0, unit = amount ? "" : null } of dish.ingredients) {
      const { base, size } = METRIC[unit] ?? { base: unit, size: 1 };
      const id = `${name}/${base}`;
      const need = needs.get(id) ?? { id, name, base, amount: 0 };
      need.amount += (amount * size * servings) / dish.serves;
      needs.set(id, need);
    }
  }
  return [...needs.values()]
    .map(({ id, name, base, amount }) => ({ id, name, text: describe(name, base, amount) }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

function describe(name, base, amount) {
  return base === null ? name : `${name}: ${formatAmount(amount, base)}`;
}

function formatAmount(amount, base) {
  if (!LARGE[base]) {
    return `${roundUp(amount)} ${base}`.trim();
  }
  const rounded = Math.round(amount);
  return rounded < 1000 ? `${rounded} ${base}` : `${Math.round(amount / 10) / 100} ${LARGE[base]}`;
}

/** The next whole number. What is above a whole number by the inexactness of fractions alone counts as that number. */
function roundUp(amount) {
  return Math.ceil(amount - 1e-9);
}
