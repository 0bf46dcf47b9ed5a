import { dishes } from "./dishes.js";

export const TAGS = [...new Set(dishes.flatMap((dish) => dish.tags))].sort();

export const noFilter = { search: "", tags: [] };

export function filterDishes({ search, tags }) {
  const wanted = search.trim().toLowerCase();
  return dishes.filter((dish) => {
    const texts = [dish.name, ...dish.ingredients.map((ingredient) => ingredient.name)];
    return (
      texts.some((text) => text.toLowerCase().includes(wanted)) && tags.every((tag) => dish.tags.includes(tag))
    );
  });
}
