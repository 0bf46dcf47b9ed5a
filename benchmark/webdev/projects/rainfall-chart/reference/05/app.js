import { drawChart } from "./chart.js";
import { createChoice } from "./controls.js";
import { loadRainfall } from "./data.js";
import { createTooltip } from "./tooltip.js";

const chart = document.querySelector("#chart");
const failure = document.querySelector("#failure");
const plot = document.querySelector("#plot");
const view = document.querySelector("#view");
const yearPicker = document.querySelector("#years");

function start({ months, years }) {
  const tooltip = createTooltip(plot);
  let shown = years.at(-1);

  function render() {
    tooltip.hide();
    drawChart(chart, { months, shown });
  }

  function showYear(entry) {
    shown = entry;
    render();
  }

  for (const entry of years) {
    yearPicker.append(
      createChoice({
        type: "radio",
        name: "year",
        text: entry.year,
        checked: entry === shown,
        onChange: () => showYear(entry),
      }),
    );
  }
  view.hidden = false;
  render();
}

const data = await loadRainfall("data/rainfall.csv").catch(() => null);
if (data) start(data);
else failure.textContent = "The rainfall data could not be loaded.";
