import { useEffect, useRef, useState } from "preact/hooks";
import { Navigation } from "./components/Navigation.jsx";
import { PlanPage } from "./components/PlanPage.jsx";
import { ShoppingPage } from "./components/ShoppingPage.jsx";
import { noFilter } from "./filter.js";
import { useRoute } from "./hooks/useRoute.js";
import { useStored } from "./hooks/useStored.js";
import { readPlan } from "./plan.js";

const PLAN = { hash: "#/plan", title: "Plan" };
const SHOPPING = { hash: "#/shopping", title: "Shopping list" };
const ROUTES = [PLAN, SHOPPING];

export function App() {
  const route = useRoute(ROUTES);
  const [plan, setPlan] = useStored("meal-planner.plan", readPlan);
  const [filter, setFilter] = useState(noFilter);
  const heading = useRef(null);
  const shown = useRef(route);

  useEffect(() => {
    document.title = `${route.title} – Meal planner`;
    if (shown.current !== route) {
      shown.current = route;
      heading.current.focus();
    }
  }, [route]);

  return (
    <>
      <header>
        <h1>Meal planner</h1>
        <Navigation routes={ROUTES} current={route} />
      </header>
      <main>
        <h2 ref={heading} tabIndex={-1}>
          {route.title}
        </h2>
        {route === PLAN && <PlanPage plan={plan} onPlan={setPlan} filter={filter} onFilter={setFilter} />}
        {route === SHOPPING && <ShoppingPage />}
      </main>
    </>
  );
}
