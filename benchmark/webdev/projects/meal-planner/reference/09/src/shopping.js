import { findDish } from "./dishes.js";
import { DAYS } from "./plan.js";

const METRIC = {
  g: { base: "g", size: 1 },
  kg: { base: "g", size: 1000 },
  ml: { base: "ml", size: 1 },
  l: { base: "ml", size: 1000 },
};
const LARGE = { g: "kg", ml: "l" };

/** What the plan needs, by name: a list of `{ id, name, quantity, text }`, the quantity in small units. */
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
    .map(({ id, name, base, amount }) => {
      const quantity = roundAmount(amount, base);
      return { id, name, quantity, text: base === null ? name : `${name}: ${formatQuantity(quantity, base)}` };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
}

function roundAmount(amount, base) {
  if (!LARGE[base]) {
    return roundUp(amount);
  }
  const rounded = Math.round(amount);
  return rounded < 1000 ? rounded : Math.round(amount / 10) * 10;
}

function formatQuantity(quantity, base) {
  return LARGE[base] && quantity >= 1000 ? `${quantity / 1000} ${LARGE[base]}` : `${quantity} ${base}`.trim();
}

/** The next whole number. What is above a whole number by the inexactness of fractions alone counts as that number. */
function roundUp(amount) {
  return Math.ceil(amount - 1e-9);
}
