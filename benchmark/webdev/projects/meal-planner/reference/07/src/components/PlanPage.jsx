import { useState } from "preact/hooks";
import { DAYS, addDish, removeDish, setServings } from "../plan.js";
import { AddDishDialog } from "./AddDishDialog.jsx";
import { Day } from "./Day.jsx";
import { DishList } from "./DishList.jsx";
import { PlanCount } from "./PlanCount.jsx";

export function PlanPage({ plan, onPlan, filter, onFilter }) {
  const [addingTo, setAddingTo] = useState(null);

  const choose = (dishId) => {
    onPlan((old) => addDish(old, addingTo, dishId));
    setAddingTo(null);
  };

  return (
    <>
      <PlanCount plan={plan} />
      <div class="week">
        {DAYS.map((day) => (
          <Day
            key={day}
            day={day}
            meals={plan[day]}
            onAdd={() => setAddingTo(day)}
            onServings={(dishId, servings) => onPlan((old) => setServings(old, day, dishId, servings))}
            onRemove={(dishId) => onPlan((old) => removeDish(old, day, dishId))}
          />
        ))}
      </div>
      <DishList filter={filter} onFilter={onFilter} />
      {addingTo && (
        <AddDishDialog day={addingTo} plan={plan} onChoose={choose} onClose={() => setAddingTo(null)} />
      )}
    </>
  );
}
