import { dishes } from "../dishes.js";
import { hasDish } from "../plan.js";
import { Dialog } from "./Dialog.jsx";

export function AddDishDialog({ day, plan, onChoose, onClose }) {
  return (
    <Dialog title={`Add a dish to ${day}`} onClose={onClose}>
      <ul class="choices">
        {dishes.map((dish) => (
          <li key={dish.id}>
            <button type="button" disabled={hasDish(plan, day, dish.id)} onClick={() => onChoose(dish.id)}>
              {dish.name}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
