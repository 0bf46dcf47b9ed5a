import { dishes } from "../dishes.js";
import { filterDishes } from "../filter.js";
import { DishFilter } from "./DishFilter.jsx";

export function DishList({ filter, onFilter }) {
  const found = filterDishes(filter);

  return (
    <section>
      <h3 id="dishes">Dishes</h3>
      <DishFilter filter={filter} onChange={onFilter} />
      <p role="status">
        {`${found.length} of ${dishes.length} dishes`}
      </p>
      {found.length === 0 && <p>No dish fits.</p>}
      <ul class="dishes" aria-labelledby="dishes">
        {found.map((dish) => (
          <li key={dish.id}>
            <h4>{dish.name}</h4>
            <p>{dish.minutes} min</p>
            {dish.tags.length > 0 && <p class="tags">{dish.tags.join(", ")}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
