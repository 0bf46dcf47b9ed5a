const COLUMNS = ["id", "name", "message", "createdAt"];

export const CSV_TYPE = "text/csv; charset=utf-8";

export function toCsv(entries) {
  const rows = [COLUMNS, ...entries.map((entry) => COLUMNS.map((column) => harmless(entry[column])))];
  return rows.map((row) => `${row.map(quoted).join(",")}\r\n`).join("");
}

/** Spreadsheets take what begins like this for a formula; with an apostrophe they show it as text. */
function harmless(value) {
  return /^[=+\-@]/.test(value) ? `'${value}` : value;
}

function quoted(value) {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
