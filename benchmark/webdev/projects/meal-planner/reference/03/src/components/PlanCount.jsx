import { countDishes } from "../plan.js";

export function PlanCount({ plan }) {
  const count = countDishes(plan);
  const words = { 0: "No dishes planned", 1: "1 dish planned" };
  return <p role="status">{words[count] ?? `${count} dishes planned`}</p>;
}
