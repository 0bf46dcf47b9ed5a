import { findDish } from "../dishes.js";
import { MAX_SERVINGS, isServings } from "../plan.js";

export function Meal({ day, meal, onServings, onRemove }) {
  const { name } = findDish(meal.dishId);

  const commit = (event) => {
    const field = event.currentTarget;
    const servings = Number(field.value);
    if (isServings(servings)) {
      onServings(servings);
    } else {
      field.value = meal.servings;
    }
  };

  return (
    <li>
      <span>{name}</span>
      <input
        type="number"
        min="1"
        max={MAX_SERVINGS}
        aria-label={`Servings of ${name} on ${day}`}
        value={meal.servings}
        onChange={commit}
      />
      <button type="button" aria-label={`Remove ${name} from ${day}`} onClick={onRemove}>
        Remove
      </button>
    </li>
  );
}
