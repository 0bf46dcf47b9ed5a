import { TAGS } from "../filter.js";

export function DishFilter({ filter, onChange }) {
  const toggle = (tag, wanted) => {
    const others = filter.tags.filter((other) => other !== tag);
    onChange({ ...filter, tags: wanted ? [...others, tag] : others });
  };

  return (
    <div class="filter">
      <label>
        Search dishes{" "}
        <input
          type="search"
          value={filter.search}
          onInput={(event) => onChange({ ...filter, search: event.currentTarget.value })}
        />
      </label>
      <fieldset>
        <legend>Tags</legend>
        {TAGS.map((tag) => (
          <label key={tag}>
            <input
              type="checkbox"
              checked={filter.tags.includes(tag)}
              onChange={(event) => toggle(tag, event.currentTarget.checked)}
            />
            {tag}
          </label>
        ))}
      </fieldset>
    </div>
  );
}
