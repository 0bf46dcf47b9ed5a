import { useState } from "preact/hooks";
import { dishes } from "../dishes.js";
import { filterDishes, noFilter } from "../filter.js";
import { DishFilter } from "./DishFilter.jsx";

export function DishList() {
  const [filter, setFilter] = useState(noFilter);
  const found = filterDishes(filter);

  return (
    <section>
      <h2 id="dishes">Dishes</h2>
      <DishFilter filter={filter} onChange={setFilter} />
      <p role="status">
        {`${found.length} of ${dishes.length} dishes`}
      </p>
      {found.length === 0 && <p>No dish fits.</p>}
      <ul class="dishes" aria-labelledby="dishes">
        {found.map((dish) => (
          <li key={dish.id}>
            <h3>{dish.name}</h3>
            <p>{dish.minutes} min</p>
            {dish.tags.length > 0 && <p class="tags">{dish.tags.join(", ")}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
