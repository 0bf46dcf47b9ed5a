import { useEffect, useRef, useState } from "preact/hooks";
import { dishes } from "../dishes.js";
import { WEEK, actions, dishById, mealsOf, validPeople } from "../store.js";
import { useStore } from "../useStore.js";
import { Catalogue } from "./Catalogue.jsx";

export function Planner({ ask }) {
  const { meals, undoable } = useStore();

  useEffect(() => {
    const onKey = (event) => {
      const { target } = event;
      const typing = target.matches("input:not([type=checkbox]), [role=dialog], [role=dialog] *");
      if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !typing) {
        event.preventDefault();
        actions.undo();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  return (
    <>
      <p class="total">
        <output>{meals.length || "No"} {meals.length === 1 ? "dish" : "dishes"} planned</output>
        <button type="button" disabled={!undoable.length} onClick={actions.undo}>
          Undo
        </button>
      </p>
      <div class="calendar">
        {WEEK.map((day) => (
          <DayCard key={day} day={day} meals={mealsOf(meals, day)} ask={ask} />
        ))}
      </div>
      <Catalogue />
    </>
  );
}

function DayCard({ day, meals, ask }) {
  const plus = useRef(null);

  const askForDish = () =>
    ask({
      name: `Add a dish to ${day}`,
      options: dishes.map(({ id, name }) => ({
        value: id,
        label: name,
        taken: meals.some(({ dish }) => dish === id),
      })),
      onPick: (dish) => actions.add(day, dish),
    });

  const askForDay = () =>
    ask({
      name: `Copy ${day}`,
      options: WEEK.filter((other) => other !== day).map((other) => ({ value: other, label: other })),
      onPick: (other) => actions.copy(day, other),
    });

  const remove = (dish) => {
    actions.remove(day, dish);
    plus.current.focus();
  };

  return (
    <div role="region" aria-label={day} class="card">
      <h3>{day}</h3>
      <p hidden={meals.length > 0}>Nothing planned</p>
      <ol aria-label={`Dishes on ${day}`}>
        {meals.map((meal) => (
          <li key={meal.dish}>
            {dishById[meal.dish].name}
            <People meal={meal} />
            <button
              type="button"
              aria-label={`Remove ${dishById[meal.dish].name} from ${day}`}
              onClick={() => remove(meal.dish)}
            >
              ✕
            </button>
          </li>
        ))}
      </ol>
      <button type="button" ref={plus} aria-label={`Add a dish to ${day}`} onClick={askForDish}>
        +
      </button>
      <button type="button" aria-label={`Copy ${day}`} disabled={!meals.length} onClick={askForDay}>
        Copy
      </button>
    </div>
  );
}

function People({ meal }) {
  const [draft, setDraft] = useState(null);
  const { day, dish, people } = meal;
  const id = `${day}-${dish}`;

  const commit = () => {
    if (draft !== null && validPeople(draft) && Number(draft) !== people) {
      actions.serve(day, dish, Number(draft));
    }
    setDraft(null);
  };

  return (
    <>
      <label class="unseen" for={id}>
        Servings of {dishById[dish].name} on {day}
      </label>
      <input
        id={id}
        type="number"
        value={draft ?? people}
        onInput={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
      />
    </>
  );
}
