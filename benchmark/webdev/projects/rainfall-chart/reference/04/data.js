export async function loadRainfall(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return parseRainfall(await response.text());
}

function parseRainfall(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const [header, ...rows] = lines.map((line) => line.split(",").map((cell) => cell.trim()));
  return {
    months: rows.map(([month]) => month),
    years: header.slice(1).map((year, index) => ({
      year,
      values: rows.map((cells) => parseAmount(cells[index + 1])),
    })),
  };
}

/** Millimetres, or null where nothing was measured. */
function parseAmount(cell) {
  return cell ? Number(cell) : null;
}
