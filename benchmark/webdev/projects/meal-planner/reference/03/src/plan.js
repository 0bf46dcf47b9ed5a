export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const emptyPlan = Object.fromEntries(DAYS.map((day) => [day, []]));

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
