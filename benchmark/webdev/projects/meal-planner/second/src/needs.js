import { dishById } from "./store.js";

const GRAMS = { kg: 1000, g: 1 };
const MILLILITRES = { l: 1000, ml: 1 };

function measure({ amount, unit }) {
  if (amount === undefined) {
    return { kind: "none", value: 0 };
  }
  if (unit in GRAMS) {
    return { kind: "g", value: amount * GRAMS[unit] };
  }
  if (unit in MILLILITRES) {
    return { kind: "ml", value: amount * MILLILITRES[unit] };
  }
  return { kind: unit ?? "pieces", value: amount };
}

function finish(kind, sum) {
  const exact = Math.round(sum * 1e6) / 1e6;
  const metric = kind === "g" || kind === "ml";
  if (!metric) {
    return Math.ceil(exact);
  }
  return Math.round(exact) < 1000 ? Math.round(exact) : Math.round(exact / 10) * 10;
}

function wording(name, kind, total) {
  switch (kind) {
    case "none":
      return name;
    case "pieces":
      return `${name}: ${total}`;
    case "g":
      return `${name}: ${total < 1000 ? `${total} g` : `${total / 1000} kg`}`;
    case "ml":
      return `${name}: ${total < 1000 ? `${total} ml` : `${total / 1000} l`}`;
    default:
      return `${name}: ${total} ${kind}`;
  }
}

export function needs(meals) {
  const people = {};
  for (const meal of meals) {
    people[meal.dish] = (people[meal.dish] ?? 0) + meal.people;
  }
  const sums = {};
  for (const [id, count] of Object.entries(people)) {
    for (const ingredient of dishById[id].ingredients) {
      const { kind, value } = measure(ingredient);
      const key = `${ingredient.name} ${kind}`.replaceAll(" ", "-");
      sums[key] ??= { key, name: ingredient.name, kind, sum: 0 };
      sums[key].sum += (value * count) / dishById[id].serves;
    }
  }
  return Object.values(sums)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ key, name, kind, sum }) => {
      const total = finish(kind, sum);
      return { key, total, text: wording(name, kind, total) };
    });
}
