export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const emptyPlan = Object.fromEntries(DAYS.map((day) => [day, []]));

export function hasDish(plan, day, dishId) {
  return plan[day].some((meal) => meal.dishId === dishId);
}

export function addDish(plan, day, dishId) {
  return { ...plan, [day]: [...plan[day], { dishId }] };
}
