import { drawChart } from "./chart.js";
import { createChoice } from "./controls.js";
import { loadRainfall } from "./data.js";

const chart = document.querySelector("#chart");
const yearPicker = document.querySelector("#years");

function start({ months, years }) {
  let shown = years.at(-1);

  function render() {
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
  render();
}

start(await loadRainfall("data/rainfall.csv"));
