import { useState } from "preact/hooks";
import { useUndoKey } from "../hooks/useUndoKey.js";
import { DAYS, addDish, copyDay, removeDish, setServings } from "../plan.js";
import { AddDishDialog } from "./AddDishDialog.jsx";
import { CopyDayDialog } from "./CopyDayDialog.jsx";
import { Day } from "./Day.jsx";
import { DishList } from "./DishList.jsx";
import { PlanCount } from "./PlanCount.jsx";

export function PlanPage({ plan, onPlan, onUndo, canUndo, filter, onFilter }) {
  const [addingTo, setAddingTo] = useState(null);
  const [copying, setCopying] = useState(null);
  useUndoKey(onUndo);

  const choose = (dishId) => {
    onPlan((old) => addDish(old, addingTo, dishId));
    setAddingTo(null);
  };

  const copyTo = (day) => {
    onPlan((old) => copyDay(old, copying, day));
    setCopying(null);
  };

  return (
    <>
      <PlanCount plan={plan} />
      <button type="button" disabled={!canUndo} onClick={onUndo}>
        Undo
      </button>
      <div class="week">
        {DAYS.map((day) => (
          <Day
            key={day}
            day={day}
            meals={plan[day]}
            onAdd={() => setAddingTo(day)}
            onCopy={() => setCopying(day)}
            onServings={(dishId, servings) => onPlan((old) => setServings(old, day, dishId, servings))}
            onRemove={(dishId) => onPlan((old) => removeDish(old, day, dishId))}
          />
        ))}
      </div>
      <DishList filter={filter} onFilter={onFilter} />
      {addingTo && (
        <AddDishDialog day={addingTo} plan={plan} onChoose={choose} onClose={() => setAddingTo(null)} />
      )}
      {copying && <CopyDayDialog day={copying} onChoose={copyTo} onClose={() => setCopying(null)} />}
    </>
  );
}
