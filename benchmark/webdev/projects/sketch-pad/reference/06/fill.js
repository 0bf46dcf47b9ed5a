/** How far a channel may be from the clicked colour: soft edges of outlines are painted over up to here. */
const TOLERANCE = 48;

/** Paints the connected area around (x, y) of `image` with `colour` (#rrggbb). Returns whether that changes anything. */
export function floodFill(image, x, y, colour) {
  const { data, width, height } = image;
  const [red, green, blue] = [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
  const seed = y * width + x;
  const [oldRed, oldGreen, oldBlue] = data.slice(seed * 4, seed * 4 + 3);
  if (red === oldRed && green === oldGreen && blue === oldBlue) return false;

  const belongs = (pixel) =>
    Math.abs(data[pixel * 4] - oldRed) <= TOLERANCE &&
    Math.abs(data[pixel * 4 + 1] - oldGreen) <= TOLERANCE &&
    Math.abs(data[pixel * 4 + 2] - oldBlue) <= TOLERANCE;
  const visited = new Uint8Array(width * height);
  const waiting = [seed];
  while (waiting.length > 0) {
    const pixel = waiting.pop();
    if (visited[pixel] || !belongs(pixel)) continue;
    visited[pixel] = 1;
    data.set([red, green, blue, 255], pixel * 4);
    const column = pixel % width;
    if (column > 0) waiting.push(pixel - 1);
    if (column < width - 1) waiting.push(pixel + 1);
    if (pixel >= width) waiting.push(pixel - width);
    if (pixel < width * (height - 1)) waiting.push(pixel + width);
  }
  return true;
}
