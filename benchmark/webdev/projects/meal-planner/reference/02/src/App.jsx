import { useState } from "preact/hooks";
import { AddDishDialog } from "./components/AddDishDialog.jsx";
import { Day } from "./components/Day.jsx";
import { DishList } from "./components/DishList.jsx";
import { DAYS, addDish, emptyPlan } from "./plan.js";

export function App() {
  const [plan, setPlan] = useState(emptyPlan);
  const [addingTo, setAddingTo] = useState(null);

  const choose = (dishId) => {
    setPlan((old) => addDish(old, addingTo, dishId));
    setAddingTo(null);
  };

  return (
    <main>
      <h1>Meal planner</h1>
      <div class="week">
        {DAYS.map((day) => (
          <Day key={day} day={day} meals={plan[day]} onAdd={() => setAddingTo(day)} />
        ))}
      </div>
      <DishList />
      {addingTo && (
        <AddDishDialog day={addingTo} plan={plan} onChoose={choose} onClose={() => setAddingTo(null)} />
      )}
    </main>
  );
}
