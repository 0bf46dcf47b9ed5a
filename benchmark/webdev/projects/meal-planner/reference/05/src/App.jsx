import { useState } from "preact/hooks";
import { AddDishDialog } from "./components/AddDishDialog.jsx";
import { Day } from "./components/Day.jsx";
import { DishList } from "./components/DishList.jsx";
import { PlanCount } from "./components/PlanCount.jsx";
import { useStored } from "./hooks/useStored.js";
import { DAYS, addDish, readPlan, removeDish } from "./plan.js";

export function App() {
  const [plan, setPlan] = useStored("meal-planner.plan", readPlan);
  const [addingTo, setAddingTo] = useState(null);

  const choose = (dishId) => {
    setPlan((old) => addDish(old, addingTo, dishId));
    setAddingTo(null);
  };

  return (
    <main>
      <h1>Meal planner</h1>
      <PlanCount plan={plan} />
      <div class="week">
        {DAYS.map((day) => (
          <Day
            key={day}
            day={day}
            meals={plan[day]}
            onAdd={() => setAddingTo(day)}
            onRemove={(dishId) => setPlan((old) => removeDish(old, day, dishId))}
          />
        ))}
      </div>
      <DishList />
      {addingTo && (
        <AddDishDialog day={addingTo} plan={plan} onChoose={choose} onClose={() => setAddingTo(null)} />
      )}
    </main>
  );
}
