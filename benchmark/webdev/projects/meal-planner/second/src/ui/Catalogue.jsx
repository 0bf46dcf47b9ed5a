import { useId } from "preact/hooks";
import { dishes } from "../dishes.js";
import { actions } from "../store.js";
import { useStore } from "../useStore.js";

const allTags = [...new Set(dishes.flatMap(({ tags }) => tags))].sort();

function fits(dish, words, tags) {
  const haystack = [dish.name, ...dish.ingredients.map(({ name }) => name)].join("\n").toLowerCase();
  return haystack.includes(words) && [...tags].every((tag) => dish.tags.includes(tag));
}

export function Catalogue() {
  const { query, tags } = useStore();
  const id = useId();
  const shown = dishes.filter((dish) => fits(dish, query.trim().toLowerCase(), tags));

  return (
    <section class="catalogue">
      <p>
        <label for={id}>Search dishes</label>{" "}
        <input id={id} value={query} onInput={(event) => actions.search(event.target.value)} />
      </p>
      <div role="group" aria-label="Tags" class="tags">
        {allTags.map((tag) => (
          <span key={tag}>
            <input id={`tag-${tag}`} type="checkbox" checked={tags.has(tag)} onChange={() => actions.toggleTag(tag)} />
            <label for={`tag-${tag}`}>{tag}</label>
          </span>
        ))}
      </div>
      <p>
        {shown.length} of {dishes.length} dishes {shown.length === 0 && <em>No dish fits.</em>}
      </p>
      <ul aria-label="Dishes">
        {shown.map((dish) => (
          <li key={dish.id}>
            <b>{dish.name}</b> · {dish.minutes} min
            <ul class="tags">
              {dish.tags.map((tag) => (
                <li key={tag}>{tag}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
