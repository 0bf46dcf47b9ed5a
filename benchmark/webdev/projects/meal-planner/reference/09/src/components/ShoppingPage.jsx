import { useLayoutEffect, useRef } from "preact/hooks";
import { isTicked, tick, untick } from "../basket.js";
import { shoppingList } from "../shopping.js";

export function ShoppingPage({ plan, basket, onBasket }) {
  const used = useRef(null);
  const items = shoppingList(plan);
  const ticked = items.filter((item) => isTicked(basket, item));
  const open = items.filter((item) => !isTicked(basket, item));

  // An item that moves in the list takes the focus along.
  useLayoutEffect(() => {
    used.current?.focus();
    used.current = null;
  }, [basket]);

  const toggle = (item, event) => {
    const field = event.currentTarget;
    used.current = field;
    onBasket((old) => (field.checked ? tick(old, item) : untick(old, item)));
  };

  if (items.length === 0) {
    return <p>Nothing to buy yet.</p>;
  }
  return (
    <>
      <p role="status">{`${ticked.length} of ${items.length} in the basket`}</p>
      <button type="button" onClick={() => onBasket({})}>
        Untick all
      </button>
      <ul class="shopping" aria-label="Shopping list">
        {[...open, ...ticked].map((item) => (
          <li key={item.id}>
            <label>
              <input
                type="checkbox"
                checked={isTicked(basket, item)}
                onChange={(event) => toggle(item, event)}
              />
              {item.text}
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}
