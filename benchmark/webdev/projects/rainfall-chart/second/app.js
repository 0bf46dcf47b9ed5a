"use strict";

const PLOT = { top: 30, bottom: 330, left: 36 };
const STORE = "seriesShown";

const state = {
  month: 0,
  other: "",
  table: false,
  series: { bars: true, average: true, comparison: true, ...stored() },
};

let data;
let ui;

function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORE));
  } catch {
    return {};
  }
}

function read(csv) {
  const grid = csv
    .replaceAll("\r", "")
    .split("\n")
    .map((row) => row.split(",").map((cell) => cell.trim()))
    .filter((row) => row.length > 1);
  const names = grid[0].slice(1);
  const amounts = new Map(names.map((name) => [name, []]));
  const months = [];
  for (const [month, ...cells] of grid.slice(1)) {
    months.push(month);
    names.forEach((name, column) => amounts.get(name).push(cells[column] === "" ? NaN : parseFloat(cells[column])));
  }
  return { names, months, amounts };
}

const known = (list) => list.filter((amount) => !Number.isNaN(amount));
const sum = (list) => known(list).reduce((a, b) => a + b, 0);
const rounded = (amount) => Math.round(amount * 10) / 10;
const words = (amount) => (Number.isNaN(amount) ? "no data" : `${amount} mm`);

class Tip {
  hovered = -1;
  focused = -1;
  node = null;

  set(patch) {
    Object.assign(this, patch);
    this.draw();
  }

  draw() {
    this.node?.remove();
    this.node = null;
    const index = this.hovered >= 0 ? this.hovered : this.focused;
    if (index < 0 || !state.series.bars) return;
    this.node = document.createElement("span");
    this.node.className = "tip";
    this.node.setAttribute("role", "tooltip");
    this.node.append(`${data.months[index]} ${state.year}: ${words(data.amounts.get(state.year)[index])}`);
    document.body.append(this.node);
    const target = ui.columns[index].getBoundingClientRect();
    const size = this.node.getBoundingClientRect();
    const limit = document.body.clientWidth - size.width;
    const x = target.x + target.width / 2 - size.width / 2;
    this.node.style.left = `${Math.min(Math.max(x, 0), limit)}px`;
    this.node.style.top = `${target.top - size.height - 2}px`;
  }
}

const tip = new Tip();

function change(patch) {
  Object.assign(state, patch);
  if (state.other === state.year) state.other = "";
  paint();
}

function build() {
  const root = document.querySelector("main");
  root.append(document.querySelector("#rainfall").content);
  const find = (selector) => root.querySelector(selector);
  ui = {
    legend: find(".legend"),
    name: find("#figure-name"),
    figure: find("figure"),
    svg: find("svg"),
    axis: find(".axis"),
    columnLayer: find(".columns"),
    mean: find(".mean"),
    otherYear: find(".other-year"),
    other: find(".other"),
    numbers: find(".numbers"),
    numbersSwitch: find(".numbers-switch"),
  };
  const years = find(".years");
  for (const name of data.names) {
    years.insertAdjacentHTML("beforeend", ` <label><input type="radio" name="y" value="${name}"><span>${name}</span></label>`);
  }
  ui.radios = [...years.querySelectorAll("input")];
  years.addEventListener("change", (event) => change({ year: event.target.value }));
  ui.legend.addEventListener("change", ({ target }) => {
    const series = { ...state.series, [target.value]: target.checked };
    localStorage.setItem(STORE, JSON.stringify(series));
    change({ series });
  });
  ui.other.addEventListener("change", () => change({ other: ui.other.value }));
  ui.numbersSwitch.addEventListener("click", () => change({ table: !state.table }));

  ui.columnLayer.innerHTML = data.months
    .map(() => `<g role="img"><title></title><path></path></g>`)
    .join("");
  ui.columns = [...ui.columnLayer.children];
  ui.columns.forEach((column, index) => {
    column.addEventListener("mouseenter", () => tip.set({ hovered: index }));
    column.addEventListener("mouseleave", () => tip.set({ hovered: -1 }));
    column.addEventListener("blur", () => tip.set({ focused: -1 }));
    column.addEventListener("focus", () => {
      change({ month: index });
      tip.set({ focused: index });
    });
    column.addEventListener("keydown", (event) => press(event, index));
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.set({ hovered: -1, focused: -1 });
  });
  addEventListener("resize", paint);
}

function press(event, index) {
  const goTo = (target) => ui.columns[target]?.focus();
  const turn = (by) => {
    const year = data.names[data.names.indexOf(state.year) + by];
    if (year) change({ year });
  };
  const actions = {
    ArrowRight: () => goTo(index + 1),
    ArrowLeft: () => goTo(index - 1),
    Home: () => goTo(0),
    End: () => goTo(ui.columns.length - 1),
    ArrowUp: () => turn(1),
    ArrowDown: () => turn(-1),
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

function paint() {
  const amounts = data.amounts.get(state.year);
  const others = data.amounts.get(state.other) ?? [];
  const end = 20 * Math.max(1, Math.ceil(Math.max(0, ...known([...amounts, ...others])) / 20));
  const width = ui.figure.clientWidth;
  const slot = (width - PLOT.left) / amounts.length;
  const x = (index) => PLOT.left + slot * index + slot / 2;
  const y = (amount) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * amount) / end;

  ui.svg.setAttribute("width", width);
  ui.svg.setAttribute("height", PLOT.bottom + 30);
  ui.name.textContent = `Monthly rainfall ${state.year}`;
  for (const input of ui.radios) input.checked = input.value === state.year;
  paintAxis(x, y, end, width);
  ui.columns.forEach((column, index) => paintColumn(column, amounts[index], x(index), y, slot * 0.35, index));
  ui.columnLayer.style.display = state.series.bars ? "" : "none";
  paintMean(amounts, y, width);
  paintOther(others, x, y);
  paintSettings();
  paintNumbers(amounts);
  tip.draw();
}

function paintAxis(x, y, end, width) {
  let markup = `<text x="45" y="14">Rainfall (mm)</text>`;
  for (let step = 0; step <= end; step += 20) {
    markup += `<path class="grid" d="M${PLOT.left} ${y(step)}H${width}"/>`;
    markup += `<text x="16" y="${y(step)}" dy="0.35em">${step}</text>`;
  }
  data.months.forEach((month, index) => {
    const place = `x="${x(index)}" y="${PLOT.bottom + 18}"`;
    markup += `<text class="long" ${place}>${month.slice(0, 3)}</text><text class="short" ${place}>${month[0]}</text>`;
  });
  ui.axis.innerHTML = markup;
}

function paintColumn(column, amount, x, y, half, index) {
  const [title, path] = column.children;
  const top = Math.min(y(amount), PLOT.bottom - 2);
  const bar = `M${x - half} ${PLOT.bottom}V${top}H${x + half}V${PLOT.bottom}Z`;
  const cross = `M${x - 6} ${PLOT.bottom - 16}l12 12m0 -12l-12 12`;
  title.textContent = `${data.months[index]}: ${words(amount)}`;
  path.setAttribute("class", Number.isNaN(amount) ? "unknown" : "wet");
  path.setAttribute("d", Number.isNaN(amount) ? cross : bar);
  column.setAttribute("tabindex", index === state.month ? "0" : "-1");
}

function paintMean(amounts, y, width) {
  const list = known(amounts);
  const mean = sum(list) / list.length;
  ui.mean.innerHTML =
    list.length && state.series.average
      ? `<rect role="img" x="${PLOT.left}" y="${y(mean) - 1}" width="${width - PLOT.left}" height="2"
           aria-label="Average: ${rounded(mean)} mm"/>`
      : "";
}

function paintOther(amounts, x, y) {
  let markup = "";
  if (state.series.comparison) {
    let from = 0;
    for (let index = 0; index <= amounts.length; index += 1) {
      if (index < amounts.length && !Number.isNaN(amounts[index])) continue;
      if (index - from > 1) {
        const path = amounts.slice(from, index).map((amount, step) => `${x(from + step)} ${y(amount)}`);
        const label = `${state.other} from ${data.months[from]} to ${data.months[index - 1]}`;
        markup += `<path role="img" aria-label="${label}" d="M${path.join("L")}"/>`;
      }
      from = index + 1;
    }
    amounts.forEach((amount, index) => {
      if (Number.isNaN(amount)) return;
      const label = `${data.months[index]} ${state.other}: ${amount} mm`;
      markup += `<circle role="img" cx="${x(index)}" cy="${y(amount)}" r="5"><title>${label}</title></circle>`;
    });
  }
  ui.otherYear.innerHTML = markup;
}

function paintSettings() {
  const others = data.names.filter((name) => name !== state.year);
  ui.other.innerHTML = `<option value="">None</option>${others.map((name) => `<option>${name}</option>`).join("")}`;
  ui.other.value = state.other;
  const entry = ui.legend.querySelector("[value=comparison]");
  if (state.other && !entry) {
    ui.legend.insertAdjacentHTML("beforeend", `<label><input type="checkbox" value="comparison" />Comparison</label>`);
  } else if (!state.other) {
    entry?.parentElement.remove();
  }
  for (const input of ui.legend.querySelectorAll("input")) input.checked = state.series[input.value];
}

function paintNumbers(amounts) {
  const row = (name, amount) => `<tr><th scope="row">${name}</th><td>${amount}</td></tr>`;
  const rows = amounts.map((amount, index) => row(data.months[index], Number.isNaN(amount) ? "no data" : amount));
  ui.numbersSwitch.textContent = state.table ? "Hide table" : "Show table";
  ui.numbers.innerHTML = state.table
    ? `<table>
        <caption>Monthly rainfall ${state.year}</caption>
        <tr><th scope="col">Month</th><th scope="col">Rainfall (mm)</th></tr>
        ${rows.join("")}
        ${row("Total", rounded(sum(amounts)))}
      </table>`
    : "";
}

async function main() {
  try {
    const answer = await fetch("./data/rainfall.csv", { cache: "no-cache" });
    if (!answer.ok) throw new Error(answer.statusText);
    data = read(await answer.text());
  } catch {
    document
      .querySelector("main")
      .insertAdjacentHTML("beforeend", `<div role="alert"><p>The rainfall data could not be loaded.</p></div>`);
    return;
  }
  state.year = data.names[data.names.length - 1];
  build();
  paint();
}

main();
