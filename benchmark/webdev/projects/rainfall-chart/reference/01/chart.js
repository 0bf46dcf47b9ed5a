const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 960;
const HEIGHT = 420;
const MARGIN = { top: 24, right: 16, bottom: 24, left: 16 };
const BAR_SHARE = 0.64;

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
    bottom,
    barWidth: column * BAR_SHARE,
    x: (index) => MARGIN.left + column * (index + 0.5),
    y: (mm) => bottom - (mm / top) * (bottom - MARGIN.top),
  };
}

function drawBar(scale, index, month, mm) {
  return svgElement("rect", {
    class: "bar",
    role: "img",
    "aria-label": `${month}: ${mm} mm`,
    x: scale.x(index) - scale.barWidth / 2,
    y: scale.y(mm),
    width: scale.barWidth,
    height: scale.bottom - scale.y(mm),
  });
}

export function drawChart(svg, { months, shown }) {
  const scale = createScale(months, Math.max(...shown.values));
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("aria-label", `Monthly rainfall ${shown.year}`);
  svg.replaceChildren(...months.map((month, index) => drawBar(scale, index, month, shown.values[index])));
}
