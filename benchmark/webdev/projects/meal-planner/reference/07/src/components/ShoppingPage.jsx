export function ShoppingPage() {
  return <p>Nothing to buy yet.</p>;
}
