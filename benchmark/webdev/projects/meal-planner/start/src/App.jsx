export function App() {
  return (
    <main>
      <h1>Meal planner</h1>
    </main>
  );
}
