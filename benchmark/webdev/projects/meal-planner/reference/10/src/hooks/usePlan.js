import { useCallback, useReducer } from "preact/hooks";
import { readPlan } from "../plan.js";
import { loadStored, useStorage } from "./useStored.js";

const KEY = "meal-planner.plan";

function reduce({ plan, past }, action) {
  switch (action.type) {
    case "change": {
      const next = action.change(plan);
      return next === plan ? { plan, past } : { plan: next, past: [...past, plan] };
    }
    case "undo":
      return past.length > 0 ? { plan: past.at(-1), past: past.slice(0, -1) } : { plan, past };
    case "replace":
      return { plan: action.plan, past: [] };
  }
}

/** The week's plan, kept in this browser, and the way back through the changes made since the page was loaded. */
export function usePlan() {
  const [{ plan, past }, dispatch] = useReducer(reduce, null, () => ({ plan: loadStored(KEY, readPlan), past: [] }));
  const change = useCallback((how) => dispatch({ type: "change", change: how }), []);
  const undo = useCallback(() => dispatch({ type: "undo" }), []);
  const replace = useCallback((outside) => dispatch({ type: "replace", plan: outside }), []);
  useStorage(KEY, readPlan, plan, replace);
  return { plan, change, undo, canUndo: past.length > 0 };
}
