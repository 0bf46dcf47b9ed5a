import { drawChart } from "./chart.js";
import { createChoice, drawOptions } from "./controls.js";
import { loadRainfall } from "./data.js";
import { createKeyboard } from "./keyboard.js";
import { loadHidden, saveHidden } from "./preferences.js";
import { drawTable } from "./table.js";
import { createTooltip } from "./tooltip.js";

const chart = document.querySelector("#chart");
const compareWith = document.querySelector("#compare");
const failure = document.querySelector("#failure");
const plot = document.querySelector("#plot");
const legend = document.querySelector("#legend");
const table = document.querySelector("#table");
const tableToggle = document.querySelector("#table-toggle");
const view = document.querySelector("#view");
const yearPicker = document.querySelector("#years");
const narrowWindow = window.matchMedia("(width < 600px)");

function start({ months, years }) {
  const tooltip = createTooltip(plot);
  const hidden = loadHidden();
  let shown = years.at(-1);
  let compared = null;
  let current = 0;

  function render() {
    const hadFocus = chart.contains(document.activeElement);
    tooltip.hide();
    radios.forEach((radio, index) => {
      radio.checked = years[index] === shown;
    });
    const others = years.filter((entry) => entry !== shown).map((entry) => entry.year);
    drawOptions(compareWith, ["None", ...others], compared?.year ?? "None");
    comparisonChoice.hidden = !compared;
    drawChart(chart, { months, shown, compared, hidden, current, narrow: narrowWindow.matches });
    drawTable(table, { months, shown });
    if (hadFocus) keyboard.focus(current);
  }

  function showYear(entry) {
    shown = entry;
    if (compared === shown) compared = null;
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
    return choice;
  }

  const keyboard = createKeyboard(plot, {
    onMonth: (index) => {
      current = index;
    },
    onYear: (step) => {
      const entry = years[years.indexOf(shown) + step];
      if (entry) showYear(entry);
    },
  });
  const yearChoices = years.map((entry) =>
    createChoice({
      type: "radio",
      name: "year",
      text: entry.year,
      checked: entry === shown,
      onChange: () => showYear(entry),
    }),
  );
  const radios = yearChoices.map((choice) => choice.querySelector("input"));
  yearPicker.append(...yearChoices);
  addToLegend("bars", "Bars");
  addToLegend("average", "Average");
  const comparisonChoice = addToLegend("comparison", "Comparison");
  compareWith.addEventListener("change", () => {
    compared = years.find((entry) => entry.year === compareWith.value) ?? null;
    render();
  });
  tableToggle.addEventListener("click", () => {
    table.hidden = !table.hidden;
    tableToggle.textContent = table.hidden ? "Show table" : "Hide table";
  });
  view.hidden = false;
  render();
  new ResizeObserver(render).observe(chart);
  narrowWindow.addEventListener("change", render);
}

const data = await loadRainfall("data/rainfall.csv").catch(() => null);
if (data) start(data);
else failure.textContent = "The rainfall data could not be loaded.";
