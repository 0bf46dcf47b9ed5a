const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 960;
const HEIGHT = 420;
const MARGIN = { top: 40, right: 16, bottom: 32, left: 56 };
const BAR_SHARE = 0.64;
const STEP = 20;
const DRY_HEIGHT = 2;
const GAP_HEIGHT = 24;

function svgElement(name, attributes, text = "") {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  return node;
}

function createScale(months, top) {
  const column = (WIDTH - MARGIN.left - MARGIN.right) / months.length;
  const bottom = HEIGHT - MARGIN.bottom;
  return {
    top,
    bottom,
    left: MARGIN.left,
    right: WIDTH - MARGIN.right,
    barWidth: column * BAR_SHARE,
    x: (index) => MARGIN.left + column * (index + 0.5),
    y: (mm) => bottom - (mm / top) * (bottom - MARGIN.top),
  };
}

function drawText(text, className, x, y) {
  return svgElement("text", { class: className, "aria-hidden": "true", x, y }, text);
}

function drawAxis(scale) {
  const parts = [drawText("Rainfall (mm)", "axis-title", 8, 20)];
  for (let mm = 0; mm <= scale.top; mm += STEP) {
    const y = scale.y(mm);
    parts.push(
      svgElement("line", { class: "gridline", x1: scale.left, x2: scale.right, y1: y, y2: y }),
      drawText(mm, "tick", scale.left - 8, y),
    );
  }
  return parts;
}

function drawMonthLabels(scale, months) {
  return months.map((month, index) =>
    drawText(month.slice(0, 3), "month", scale.x(index), scale.bottom + 20),
  );
}

function drawBar(scale, index, month, mm) {
  const measured = mm !== null;
  const height = measured ? Math.max(DRY_HEIGHT, scale.bottom - scale.y(mm)) : GAP_HEIGHT;
  return svgElement("rect", {
    class: measured ? "bar" : "gap",
    role: "img",
    "aria-label": `${month}: ${measured ? `${mm} mm` : "no data"}`,
    x: scale.x(index) - scale.barWidth / 2,
    y: scale.bottom - height,
    width: scale.barWidth,
    height,
  });
}

export function drawChart(svg, { months, shown }) {
  const top = Math.ceil(Math.max(...shown.values) / STEP) * STEP;
  const scale = createScale(months, top);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("aria-label", `Monthly rainfall ${shown.year}`);
  svg.replaceChildren(
    ...drawAxis(scale),
    ...drawMonthLabels(scale, months),
    ...months.map((month, index) => drawBar(scale, index, month, shown.values[index])),
  );
}
