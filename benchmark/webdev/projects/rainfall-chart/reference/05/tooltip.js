const MARGIN = 4;

/** Shows the `data-tip` of the mark in `plot` that is pointed at, or else of the one that has the focus. */
export function createTooltip(plot) {
  const bubble = document.createElement("div");
  bubble.className = "tooltip";
  bubble.setAttribute("role", "tooltip");
  bubble.hidden = true;
  document.body.append(bubble);

  let pointed = null;
  let focused = null;

  const markOf = (event) => event.target.closest("[data-tip]");

  function update() {
    const mark = pointed ?? focused;
    bubble.hidden = !mark;
    if (!mark) return;
    bubble.textContent = mark.dataset.tip;
    place(bubble, mark.getBoundingClientRect());
  }

  function point(mark) {
    pointed = mark;
    update();
  }

  function focus(mark) {
    focused = mark;
    update();
  }

  plot.addEventListener("pointerover", (event) => point(markOf(event)));
  plot.addEventListener("pointerleave", () => point(null));
  plot.addEventListener("focusin", (event) => focus(markOf(event)));
  plot.addEventListener("focusout", () => focus(null));

  function hide() {
    pointed = null;
    focused = null;
    update();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });

  return { hide };
}

function place(bubble, mark) {
  const middle = (mark.left + mark.right) / 2 - bubble.offsetWidth / 2;
  const rightmost = document.documentElement.clientWidth - bubble.offsetWidth - MARGIN;
  const left = Math.max(MARGIN, Math.min(middle, rightmost));
  bubble.style.left = `${left + window.scrollX}px`;
  bubble.style.top = `${mark.top - bubble.offsetHeight - MARGIN + window.scrollY}px`;
}
