const PAPER = "#ffffff";
const INK = "#000000";
const LINE_WIDTH = 6;

const canvas = document.querySelector("#drawing");
const context = canvas.getContext("2d", { willReadFrequently: true });
const strokeStatus = document.querySelector("#strokes");

let strokes = 0;
let gesture = null;

function showStrokes() {
  strokeStatus.textContent = `Strokes: ${strokes}`;
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
  context.fillStyle = INK;
  context.beginPath();
  context.arc(point.x, point.y, LINE_WIDTH / 2, 0, Math.PI * 2);
  context.fill();
}

function drawSegment(from, to) {
  context.strokeStyle = INK;
  context.lineWidth = LINE_WIDTH;
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

clearCanvas();
