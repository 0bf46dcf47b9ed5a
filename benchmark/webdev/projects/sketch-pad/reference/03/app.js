const PAPER = "#ffffff";
const ERASER_WIDTH = 20;

const canvas = document.querySelector("#drawing");
const context = canvas.getContext("2d", { willReadFrequently: true });
const strokeStatus = document.querySelector("#strokes");
const colourButtons = document.querySelectorAll("[data-colour]");
const widthList = document.querySelector("#width");
const toolButtons = document.querySelectorAll("[data-tool]");

const choices = { tool: "pen", colour: "#000000", width: 6 };
let strokes = 0;
let gesture = null;

function showStrokes() {
  strokeStatus.textContent = `Strokes: ${strokes}`;
}

function showChoices() {
  for (const button of toolButtons) {
    button.setAttribute("aria-pressed", String(button.dataset.tool === choices.tool));
  }
  for (const button of colourButtons) {
    button.setAttribute("aria-pressed", String(button.dataset.colour === choices.colour));
  }
}

function choose(change) {
  Object.assign(choices, change);
  showChoices();
}

function toDrawing(event) {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function clearCanvas() {
  context.fillStyle = PAPER;
  context.fillRect(0, 0, canvas.width, canvas.height);
}

function brush() {
  return choices.tool === "eraser" ? { colour: PAPER, width: ERASER_WIDTH } : choices;
}

function drawDot(point) {
  const { colour, width } = brush();
  context.fillStyle = colour;
  context.beginPath();
  context.arc(point.x, point.y, width / 2, 0, Math.PI * 2);
  context.fill();
}

function drawSegment(from, to) {
  const { colour, width } = brush();
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
}

function begin(point) {
  gesture = { last: point };
  drawDot(point);
}

function extend(point) {
  if (!gesture) return;
  drawSegment(gesture.last, point);
  gesture.last = point;
}

function finish() {
  if (!gesture) return;
  gesture = null;
  if (choices.tool === "eraser") return;
  strokes += 1;
  showStrokes();
}

function clear() {
  clearCanvas();
  strokes = 0;
  showStrokes();
}

function isDrawing(event) {
  return event.isPrimary && canvas.hasPointerCapture(event.pointerId);
}

canvas.addEventListener("pointerdown", (event) => {
  if (!event.isPrimary || event.button !== 0) return;
  canvas.setPointerCapture(event.pointerId);
  begin(toDrawing(event));
});
canvas.addEventListener("pointermove", (event) => {
  if (isDrawing(event)) extend(toDrawing(event));
});
for (const type of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(type, (event) => {
    if (isDrawing(event)) finish();
  });
}

for (const button of colourButtons) {
  button.addEventListener("click", () => {
    const tool = choices.tool === "eraser" ? "pen" : choices.tool;
    choose({ tool, colour: button.dataset.colour });
  });
}
for (const button of toolButtons) {
  button.addEventListener("click", () => choose({ tool: button.dataset.tool }));
}
widthList.addEventListener("change", () => choose({ width: Number(widthList.value) }));
document.querySelector("#clear").addEventListener("click", clear);

clearCanvas();
