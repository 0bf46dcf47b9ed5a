import { dishes } from "../dishes.js";

export function DishList() {
  return (
    <section>
      <h2 id="dishes">Dishes</h2>
      <ul class="dishes" aria-labelledby="dishes">
        {dishes.map((dish) => (
          <li key={dish.id}>
            <h3>{dish.name}</h3>
            <p>{dish.minutes} min</p>
            {dish.tags.length > 0 && (
              <p class="tags">
                {dish.tags.join(", ")}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
