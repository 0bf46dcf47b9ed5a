import { measured, toOneDecimal, total } from "./data.js";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 400;
const MARGIN = { top: 40, right: 8, bottom: 32, left: 40 };
const BAR_SHARE = 0.64;
const POINT_RADIUS = 4;
const STEP = 20;
const DRY_HEIGHT = 2;
const GAP_HEIGHT = 24;

function svgElement(name, attributes, text = "") {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  return node;
}

function createScale(months, top, width) {
  const column = (width - MARGIN.left - MARGIN.right) / months.length;
  const bottom = HEIGHT - MARGIN.bottom;
  return {
    top,
    bottom,
    left: MARGIN.left,
    right: width - MARGIN.right,
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

function drawMonthLabels(scale, months, letters) {
  return months.map((month, index) =>
    drawText(month.slice(0, letters), "month", scale.x(index), scale.bottom + 20),
  );
}

function drawBar(scale, index, month, year, mm, isCurrent) {
  const isMeasured = mm !== null;
  const amount = isMeasured ? `${mm} mm` : "no data";
  const height = isMeasured ? Math.max(DRY_HEIGHT, scale.bottom - scale.y(mm)) : GAP_HEIGHT;
  return svgElement("rect", {
    class: isMeasured ? "bar" : "gap",
    role: "img",
    "aria-label": `${month}: ${amount}`,
    "data-tip": `${month} ${year}: ${amount}`,
    tabindex: isCurrent ? 0 : -1,
    x: scale.x(index) - scale.barWidth / 2,
    y: scale.bottom - height,
    width: scale.barWidth,
    height,
  });
}

function drawBars(scale, months, { year, values }, current) {
  return months.map((month, index) =>
    drawBar(scale, index, month, year, values[index], index === current),
  );
}

function drawAverage(scale, values) {
  const count = measured(values).length;
  if (count === 0) return [];
  const average = total(values) / count;
  const y = scale.y(average);
  const label = `Average: ${toOneDecimal(average)} mm`;
  return [
    svgElement("line", {
      class: "average",
      role: "img",
      "aria-label": label,
      x1: scale.left,
      x2: scale.right,
      y1: y,
      y2: y,
    }),
  ];
}

/** The runs of two or more months without a gap, as lists of month indexes. */
function stretches(values) {
  const runs = [[]];
  values.forEach((mm, index) => {
    if (mm === null) runs.push([]);
    else runs.at(-1).push(index);
  });
  return runs.filter((run) => run.length > 1);
}

function drawComparison(scale, months, { year, values }) {
  const lines = stretches(values).map((run) =>
    svgElement("polyline", {
      class: "compared-line",
      role: "img",
      "aria-label": `${year} from ${months[run[0]]} to ${months[run.at(-1)]}`,
      points: run.map((index) => `${scale.x(index)},${scale.y(values[index])}`).join(" "),
    }),
  );
  const points = months.flatMap((month, index) =>
    values[index] === null
      ? []
      : svgElement("circle", {
          class: "compared-point",
          role: "img",
          "aria-label": `${month} ${year}: ${values[index]} mm`,
          cx: scale.x(index),
          cy: scale.y(values[index]),
          r: POINT_RADIUS,
        }),
  );
  return [...lines, ...points];
}

function scaleEnd(values) {
  return Math.max(STEP, Math.ceil(Math.max(0, ...measured(values)) / STEP) * STEP);
}

export function drawChart(svg, { months, shown, compared, hidden, current, narrow }) {
  const { width } = svg.getBoundingClientRect();
  const top = scaleEnd([...shown.values, ...(compared?.values ?? [])]);
  const scale = createScale(months, top, width);
  svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  svg.setAttribute("aria-label", `Monthly rainfall ${shown.year}`);
  svg.replaceChildren(
    ...drawAxis(scale),
    ...drawMonthLabels(scale, months, narrow ? 1 : 3),
    ...(hidden.has("bars") ? [] : drawBars(scale, months, shown, current)),
    ...(hidden.has("average") ? [] : drawAverage(scale, shown.values)),
    ...(!compared || hidden.has("comparison") ? [] : drawComparison(scale, months, compared)),
  );
}
