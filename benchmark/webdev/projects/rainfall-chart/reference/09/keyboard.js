const MOVES = {
  ArrowRight: (index) => index + 1,
  ArrowLeft: (index) => index - 1,
  Home: () => 0,
  End: (index, last) => last,
};
const YEAR_STEPS = { ArrowUp: 1, ArrowDown: -1 };

/** Makes the marks of `plot` one tab stop. `onMonth` hears the focused index, `onYear` by how many years to go. */
export function createKeyboard(plot, { onMonth, onYear }) {
  const marks = () => [...plot.querySelectorAll("[data-tip]")];

  plot.addEventListener("focusin", (event) => {
    const all = marks();
    for (const mark of all) mark.setAttribute("tabindex", mark === event.target ? 0 : -1);
    onMonth(all.indexOf(event.target));
  });

  plot.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const all = marks();
    if (event.key in MOVES) {
      const target = MOVES[event.key](all.indexOf(event.target), all.length - 1);
      all[target]?.focus();
    } else if (event.key in YEAR_STEPS) {
      onYear(YEAR_STEPS[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  });

  return { focus: (index) => marks()[index]?.focus() };
}
