/** Which of the media types on `offer` the Accept header prefers, the first of equals; undefined if it takes none. */
export function preferred(accept, offer) {
  const ranges = (accept ?? "*/*").split(",").map(parseRange);
  const rated = offer.map((type) => ({ type, quality: qualityOf(type, ranges) }));
  const best = Math.max(...rated.map(({ quality }) => quality));
  return best > 0 ? rated.find(({ quality }) => quality === best).type : undefined;
}

function parseRange(text) {
  const [type, ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return { type, quality: weight ? Number(weight.slice(2)) || 0 : 1 };
}

/** The quality that the most exact range for `type` gives it. */
function qualityOf(type, ranges) {
  const [group] = type.split("/");
  for (const wanted of [type, `${group}/*`, "*/*"]) {
    const range = ranges.find((candidate) => candidate.type === wanted);
    if (range) {
      return range.quality;
    }
  }
  return 0;
}
