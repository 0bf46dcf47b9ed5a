import { findDish } from "../dishes.js";

export function Day({ day, meals, onAdd }) {
  const headingId = `day-${day}`;
  return (
    <section class="day" aria-labelledby={headingId}>
      <h2 id={headingId}>{day}</h2>
      {meals.length === 0 ? (
        <p>Nothing planned</p>
      ) : (
        <ul class="meals" aria-label={`Dishes on ${day}`}>
          {meals.map(({ dishId }) => (
            <li key={dishId}>
              <span>{findDish(dishId).name}</span>
            </li>
          ))}
        </ul>
      )}
      <button type="button" aria-label={`Add a dish to ${day}`} onClick={onAdd}>
        Add a dish
      </button>
    </section>
  );
}
