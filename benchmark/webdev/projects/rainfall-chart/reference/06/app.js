import { drawChart } from "./chart.js";
import { createChoice } from "./controls.js";
import { loadRainfall } from "./data.js";
import { loadHidden, saveHidden } from "./preferences.js";
import { createTooltip } from "./tooltip.js";

const chart = document.querySelector("#chart");
const failure = document.querySelector("#failure");
const plot = document.querySelector("#plot");
const legend = document.querySelector("#legend");
const view = document.querySelector("#view");
const yearPicker = document.querySelector("#years");

function start({ months, years }) {
  const tooltip = createTooltip(plot);
  const hidden = loadHidden();
  let shown = years.at(-1);

  function render() {
    tooltip.hide();
    drawChart(chart, { months, shown, hidden });
  }

  function showYear(entry) {
    shown = entry;
    render();
  }

  function toggleSeries(series, visible) {
    if (visible) hidden.delete(series);
    else hidden.add(series);
    saveHidden(hidden);
    render();
  }

  function addToLegend(series, text) {
    const choice = createChoice({
      type: "checkbox",
      name: series,
      text,
      checked: !hidden.has(series),
      onChange: (visible) => toggleSeries(series, visible),
    });
    legend.append(choice);
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
  addToLegend("bars", "Bars");
  addToLegend("average", "Average");
  view.hidden = false;
  render();
}

const data = await loadRainfall("data/rainfall.csv").catch(() => null);
if (data) start(data);
else failure.textContent = "The rainfall data could not be loaded.";
