import { findDish } from "./dishes.js";

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const MAX_SERVINGS = 12;
const USUAL_SERVINGS = 4;

/** A plan of whatever was stored; what is no meal of ours is left out. */
export function readPlan(stored) {
  return Object.fromEntries(DAYS.map((day) => [day, readMeals(stored?.[day])]));
}

function readMeals(stored) {
  return Array.isArray(stored) ? stored.filter((meal) => findDish(meal?.dishId)).map(readMeal) : [];
}

function readMeal({ dishId, servings }) {
  return { dishId, servings: isServings(servings) ? servings : USUAL_SERVINGS };
}

export function isServings(number) {
  return Number.isInteger(number) && number >= 1 && number <= MAX_SERVINGS;
}

export function hasDish(plan, day, dishId) {
  return plan[day].some((meal) => meal.dishId === dishId);
}

export function addDish(plan, day, dishId) {
  return { ...plan, [day]: [...plan[day], { dishId, servings: USUAL_SERVINGS }] };
}

export function removeDish(plan, day, dishId) {
  return { ...plan, [day]: plan[day].filter((meal) => meal.dishId !== dishId) };
}

export function setServings(plan, day, dishId, servings) {
  return { ...plan, [day]: plan[day].map((meal) => (meal.dishId === dishId ? { ...meal, servings } : meal)) };
}

export function countDishes(plan) {
  return DAYS.reduce((sum, day) => sum + plan[day].length, 0);
}
