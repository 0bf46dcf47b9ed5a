import { findDish } from "./dishes.js";

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** A plan of whatever was stored; what is no meal of ours is left out. */
export function readPlan(stored) {
  return Object.fromEntries(DAYS.map((day) => [day, readMeals(stored?.[day])]));
}

function readMeals(stored) {
  return Array.isArray(stored) ? stored.filter((meal) => findDish(meal?.dishId)) : [];
}

export function hasDish(plan, day, dishId) {
  return plan[day].some((meal) => meal.dishId === dishId);
}

export function addDish(plan, day, dishId) {
  return { ...plan, [day]: [...plan[day], { dishId }] };
}

export function removeDish(plan, day, dishId) {
  return { ...plan, [day]: plan[day].filter((meal) => meal.dishId !== dishId) };
}

export function countDishes(plan) {
  return DAYS.reduce((sum, day) => sum + plan[day].length, 0);
}
