import { Day } from "./components/Day.jsx";
import { DishList } from "./components/DishList.jsx";
import { DAYS } from "./plan.js";

export function App() {
  return (
    <main>
      <h1>Meal planner</h1>
      <div class="week">
        {DAYS.map((day) => (
          <Day key={day} day={day} />
        ))}
      </div>
      <DishList />
    </main>
  );
}
