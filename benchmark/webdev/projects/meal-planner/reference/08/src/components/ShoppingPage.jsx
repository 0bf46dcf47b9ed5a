import { shoppingList } from "../shopping.js";

export function ShoppingPage({ plan }) {
  const items = shoppingList(plan);

  if (items.length === 0) {
    return <p>Nothing to buy yet.</p>;
  }
  return (
    <ul class="shopping" aria-label="Shopping list">
      {items.map((item) => (
        <li key={item.id}>{item.text}</li>
      ))}
    </ul>
  );
}
