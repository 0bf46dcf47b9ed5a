import { useEffect, useRef } from "preact/hooks";
import { needs } from "../needs.js";
import { actions } from "../store.js";
import { useStore } from "../useStore.js";

export function Shopping() {
  const { meals, basket } = useStore();
  const touched = useRef(null);
  const items = needs(meals).map((item) => ({ ...item, ticked: basket.get(item.key) >= item.total }));
  const sorted = items.toSorted((a, b) => a.ticked - b.ticked);

  useEffect(() => {
    if (touched.current) {
      document.getElementById(touched.current).focus();
      touched.current = null;
    }
  }, [basket]);

  const toggle = (item) => {
    touched.current = item.key;
    actions.toggleItem(item, !item.ticked);
  };

  if (items.length === 0) {
    return <p>Nothing to buy yet.</p>;
  }
  return (
    <div>
      <p>
        <output>
          {items.filter(({ ticked }) => ticked).length} of {items.length} in the basket
        </output>{" "}
        <button type="button" onClick={actions.emptyBasket}>
          Untick all
        </button>
      </p>
      <ul aria-label="Shopping list" class="items">
        {sorted.map((item) => (
          <li key={item.key}>
            <input id={item.key} type="checkbox" checked={item.ticked} onChange={() => toggle(item)} />
            <label for={item.key}>{item.text}</label>
          </li>
        ))}
      </ul>
    </div>
  );
}
