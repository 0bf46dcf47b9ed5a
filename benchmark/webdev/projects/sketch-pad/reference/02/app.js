const PAPER = "#ffffff";

const canvas = document.querySelector("#drawing");
const context = canvas.getContext("2d", { willReadFrequently: true });
const strokeStatus = document.querySelector("#strokes");
const colourButtons = document.querySelectorAll("[data-colour]");
const widthList = document.querySelector("#width");

const choices = { colour: "#000000", width: 6 };
let strokes = 0;
let gesture = null;

function showStrokes() {
  strokeStatus.textContent = `Strokes: ${strokes}`;
}

function showChoices() {
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

function drawDot(point) {
  context.fillStyle = choices.colour;
  context.beginPath();
  context.arc(point.x, point.y, choices.width / 2, 0, Math.PI * 2);
  context.fill();
}

function drawSegment(from, to) {
  context.strokeStyle = choices.colour;
  context.lineWidth = choices.width;
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
  strokes += 1;
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
  button.addEventListener("click", () => choose({ colour: button.dataset.colour }));
}
widthList.addEventListener("change", () => choose({ width: Number(widthList.value) }));

clearCanvas();
