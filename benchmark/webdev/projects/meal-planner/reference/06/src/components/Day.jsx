import { useRef } from "preact/hooks";
import { Meal } from "./Meal.jsx";

export function Day({ day, meals, onAdd, onServings, onRemove }) {
  const headingId = `day-${day}`;
  const addButton = useRef(null);

  const remove = (dishId) => {
    onRemove(dishId);
    addButton.current.focus();
  };

  return (
    <section class="day" aria-labelledby={headingId}>
      <h2 id={headingId}>{day}</h2>
      {meals.length === 0 ? (
        <p>Nothing planned</p>
      ) : (
        <ul class="meals" aria-label={`Dishes on ${day}`}>
          {meals.map((meal) => (
            <Meal
              key={meal.dishId}
              day={day}
              meal={meal}
              onServings={(servings) => onServings(meal.dishId, servings)}
              onRemove={() => remove(meal.dishId)}
            />
          ))}
        </ul>
      )}
      <button ref={addButton} type="button" aria-label={`Add a dish to ${day}`} onClick={onAdd}>
        Add a dish
      </button>
    </section>
  );
}
