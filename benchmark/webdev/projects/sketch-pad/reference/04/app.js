const PAPER = "#ffffff";
const ERASER_WIDTH = 20;
const MAX_STEPS = 50;

const canvas = document.querySelector("#drawing");
const context = canvas.getContext("2d", { willReadFrequently: true });
const strokeStatus = document.querySelector("#strokes");
const colourButtons = document.querySelectorAll("[data-colour]");
const widthList = document.querySelector("#width");
const toolButtons = document.querySelectorAll("[data-tool]");
const undoButton = document.querySelector("#undo");
const redoButton = document.querySelector("#redo");

const choices = { tool: "pen", colour: "#000000", width: 6 };
const undoSteps = [];
const redoSteps = [];
let strokes = 0;
let gesture = null;

function showState() {
  strokeStatus.textContent = `Strokes: ${strokes}`;
  undoButton.disabled = undoSteps.length === 0;
  redoButton.disabled = redoSteps.length === 0;
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

function snapshot() {
  return { pixels: context.getImageData(0, 0, canvas.width, canvas.height), strokes };
}

function addStep(before, newStrokes) {
  undoSteps.push(before);
  if (undoSteps.length > MAX_STEPS) undoSteps.shift();
  redoSteps.length = 0;
  strokes = newStrokes;
  showState();
}

function travel(from, to) {
  finish();
  if (from.length === 0) return;
  to.push(snapshot());
  const target = from.pop();
  context.putImageData(target.pixels, 0, 0);
  strokes = target.strokes;
  showState();
}

function undo() {
  travel(undoSteps, redoSteps);
}

function redo() {
  travel(redoSteps, undoSteps);
}

function begin(point) {
  gesture = { last: point, before: snapshot() };
  drawDot(point);
}

function extend(point) {
  if (!gesture) return;
  drawSegment(gesture.last, point);
  gesture.last = point;
}

function finish() {
  if (!gesture) return;
  const { before } = gesture;
  gesture = null;
  addStep(before, choices.tool === "eraser" ? strokes : strokes + 1);
}

function clear() {
  if (strokes === 0) return;
  const before = snapshot();
  clearCanvas();
  addStep(before, 0);
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
undoButton.addEventListener("click", undo);
redoButton.addEventListener("click", redo);
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) undo();
  else if (key === "y" || key === "z") redo();
  else return;
  event.preventDefault();
});

clearCanvas();
