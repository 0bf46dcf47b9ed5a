import { findDish } from "../dishes.js";

export function Meal({ day, meal, onRemove }) {
  const { name } = findDish(meal.dishId);
  return (
    <li>
      <span>{name}</span>
      <button type="button" aria-label={`Remove ${name} from ${day}`} onClick={onRemove}>
        Remove
      </button>
    </li>
  );
}
