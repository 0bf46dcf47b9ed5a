export async function loadRainfall(url) {
  const response = await fetch(url);
  return parseRainfall(await response.text());
}

function parseRainfall(text) {
  const lines = text.trim().split("\n");
  const [header, ...rows] = lines.map((line) => line.split(","));
  return {
    months: rows.map(([month]) => month),
    years: header.slice(1).map((year, index) => ({
      year,
      values: rows.map((cells) => Number(cells[index + 1])),
    })),
  };
}
