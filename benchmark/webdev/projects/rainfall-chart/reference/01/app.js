import { drawChart } from "./chart.js";
import { loadRainfall } from "./data.js";

const { months, years } = await loadRainfall("data/rainfall.csv");
drawChart(document.querySelector("#chart"), { months, shown: years.at(-1) });
