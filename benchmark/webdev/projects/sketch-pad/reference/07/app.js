import { floodFill } from "./fill.js";
import { load, save } from "./storage.js";

const PAPER = "#ffffff";
const ERASER_WIDTH = 20;
const MAX_STEPS = 50;
const OUTLINES = {
  line: (from, to) => {
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
  },
  rectangle: (from, to) => {
    context.rect(from.x, from.y, to.x - from.x, to.y - from.y);
  },
  ellipse: (from, to) => {
    const [radiusX, radiusY] = [Math.abs(to.x - from.x) / 2, Math.abs(to.y - from.y) / 2];
    context.ellipse((from.x + to.x) / 2, (from.y + to.y) / 2, radiusX, radiusY, 0, 0, Math.PI * 2);
  },
};

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

function saveDrawing() {
  save("drawing", { image: canvas.toDataURL(), strokes });
}

function showChoices() {
  for (const button of toolButtons) {
    button.setAttribute("aria-pressed", String(button.dataset.tool === choices.tool));
  }
  for (const button of colourButtons) {
    button.setAttribute("aria-pressed", String(button.dataset.colour === choices.colour));
  }
  widthList.value = choices.width;
}

function choose(change) {
  Object.assign(choices, change);
  showChoices();
  save("choices", choices);
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

function drawOutline(from, to) {
  context.strokeStyle = choices.colour;
  context.lineWidth = choices.width;
  context.lineCap = "round";
  context.beginPath();
  OUTLINES[choices.tool](from, to);
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
  saveDrawing();
}

function travel(from, to) {
  finish();
  if (from.length === 0) return;
  to.push(snapshot());
  const target = from.pop();
  context.putImageData(target.pixels, 0, 0);
  strokes = target.strokes;
  showState();
  saveDrawing();
}

function undo() {
  travel(undoSteps, redoSteps);
}

function redo() {
  travel(redoSteps, undoSteps);
}

function fillAt(point) {
  const before = snapshot();
  const image = context.getImageData(0, 0, canvas.width, canvas.height);
  const x = Math.min(Math.max(Math.floor(point.x), 0), canvas.width - 1);
  const y = Math.min(Math.max(Math.floor(point.y), 0), canvas.height - 1);
  if (!floodFill(image, x, y, choices.colour)) return;
  context.putImageData(image, 0, 0);
  addStep(before, strokes + 1);
}

function begin(point) {
  if (choices.tool === "fill") {
    fillAt(point);
    return;
  }
  gesture = { start: point, last: point, before: snapshot() };
  if (!(choices.tool in OUTLINES)) drawDot(point);
}

function extend(point) {
  if (!gesture) return;
  if (choices.tool in OUTLINES) {
    context.putImageData(gesture.before.pixels, 0, 0);
    drawOutline(gesture.start, point);
  } else {
    drawSegment(gesture.last, point);
  }
  gesture.last = point;
}

function finish() {
  if (!gesture) return;
  const { start, last, before } = gesture;
  gesture = null;
  if (choices.tool in OUTLINES && start.x === last.x && start.y === last.y) {
    context.putImageData(before.pixels, 0, 0);
    return;
  }
  addStep(before, choices.tool === "eraser" ? strokes : strokes + 1);
}

function clear() {
  if (strokes === 0) return;
  const before = snapshot();
  clearCanvas();
  addStep(before, 0);
}

async function restore() {
  Object.assign(choices, load("choices"));
  showChoices();
  const drawing = load("drawing");
  if (!drawing) return;
  const image = new Image();
  image.src = drawing.image;
  await image.decode();
  context.drawImage(image, 0, 0);
  strokes = drawing.strokes;
  showState();
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
await restore();
