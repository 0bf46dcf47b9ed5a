import { toOneDecimal, total } from "./data.js";

function createElement(name, attributes, ...children) {
  const node = Object.assign(document.createElement(name), attributes);
  node.append(...children);
  return node;
}

function createRow(header, amount) {
  return createElement(
    "tr",
    {},
    createElement("th", { scope: "row" }, header),
    createElement("td", {}, amount),
  );
}

export function drawTable(table, { months, shown }) {
  const headers = ["Month", "Rainfall (mm)"].map((text) => createElement("th", { scope: "col" }, text));
  const rows = months.map((month, index) => createRow(month, shown.values[index] ?? "no data"));
  table.replaceChildren(
    createElement("caption", {}, `Monthly rainfall ${shown.year}`),
    createElement("thead", {}, createElement("tr", {}, ...headers)),
    createElement("tbody", {}, ...rows),
    createElement("tfoot", {}, createRow("Total", toOneDecimal(total(shown.values)))),
  );
}
