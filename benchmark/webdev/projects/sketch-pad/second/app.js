"use strict";

(() => {
  const INKS = { Black: "#000000", Red: "#d62828", Green: "#2a9d3f", Blue: "#1d4ed8" };
  const NIBS = { Thin: 2, Medium: 6, Thick: 16 };
  const SHAPES = ["Line", "Rectangle", "Ellipse"];
  const TOOLS = ["Pen", "Eraser", ...SHAPES, "Fill"];
  const STORE = "sketchbook";

  const find = (selector) => document.querySelector(selector);
  const view = find(".paper-canvas");
  const viewContext = view.getContext("2d", { alpha: false });
  const { width: W, height: H } = view;
  const done = document.createElement("canvas");
  done.width = W;
  done.height = H;
  const doneContext = done.getContext("2d", { alpha: false, willReadFrequently: true });

  const kept = recall();
  const setup = { tool: "Pen", ink: "Black", nib: "Medium", squared: false, ...kept.setup };
  let marks = kept.marks ?? [];
  let cursor = marks.length;
  const floor = cursor;
  let current = null;
  let source = null;
  const pen = { x: W / 2, y: H / 2 };

  function recall() {
    try {
      return JSON.parse(window.localStorage.getItem(STORE)) ?? {};
    } catch {
      return {};
    }
  }

  function remember() {
    try {
      window.localStorage.setItem(STORE, JSON.stringify({ setup, marks: visibleMarks() }));
    } catch {
      return;
    }
  }

  function visibleMarks() {
    const reached = marks.slice(0, cursor);
    return reached.slice(reached.findLastIndex((mark) => mark.tool === "Clear") + 1);
  }

  function wipe(context) {
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, W, H);
  }

  function paint(context, mark) {
    const [first] = mark.points;
    const last = mark.points.at(-1);
    context.save();
    context.strokeStyle = mark.colour;
    context.lineWidth = mark.size;
    context.lineCap = "round";
    context.lineJoin = mark.tool === "Rectangle" ? "miter" : "round";
    context.beginPath();
    if (mark.tool === "Fill") {
      flood(context, ...first.map(Math.floor), mark.colour);
    } else if (mark.tool === "Rectangle") {
      context.strokeRect(...first, last[0] - first[0], last[1] - first[1]);
    } else if (mark.tool === "Ellipse") {
      const radii = [0, 1].map((axis) => Math.abs(last[axis] - first[axis]) / 2);
      const centre = [0, 1].map((axis) => (last[axis] + first[axis]) / 2);
      context.ellipse(...centre, ...radii, 0, 0, 2 * Math.PI);
      context.stroke();
    } else {
      context.moveTo(...first);
      const way = mark.tool === "Line" ? [last] : mark.points;
      way.forEach(([x, y]) => context.lineTo(x + 0.01, y));
      context.stroke();
    }
    context.restore();
  }

  function flood(context, x, y, colour) {
    const image = context.getImageData(0, 0, W, H);
    const pixels = new Uint32Array(image.data.buffer);
    const code = parseInt(colour.slice(1), 16);
    const paintValue = (0xff000000 | ((code & 0xff) << 16) | (code & 0xff00) | (code >> 16)) >>> 0;
    const old = pixels[y * W + x];
    if (old === paintValue) return false;
    const rows = [[x, y]];
    while (rows.length) {
      const [column, row] = rows.pop();
      let left = column;
      while (left > 0 && pixels[row * W + left - 1] === old) left -= 1;
      let above = false;
      let below = false;
      for (let at = left; at < W && pixels[row * W + at] === old; at += 1) {
        pixels[row * W + at] = paintValue;
        const openAbove = row > 0 && pixels[(row - 1) * W + at] === old;
        const openBelow = row < H - 1 && pixels[(row + 1) * W + at] === old;
        if (openAbove && !above) rows.push([at, row - 1]);
        if (openBelow && !below) rows.push([at, row + 1]);
        above = openAbove;
        below = openBelow;
      }
    }
    context.putImageData(image, 0, 0);
    return true;
  }

  function rebuild() {
    wipe(doneContext);
    visibleMarks().forEach((mark) => paint(doneContext, mark));
    show();
  }

  function show() {
    viewContext.drawImage(done, 0, 0);
    if (current && !isEmptyShape(current)) paint(viewContext, current);
    find(".count").value = `Strokes: ${visibleMarks().filter((mark) => mark.tool !== "Eraser").length}`;
    find("[name=undo]").disabled = cursor === floor;
    find("[name=redo]").disabled = cursor === marks.length;
    find(".position").textContent = `Pen ${source === "keys" ? "down" : "up"} at ${pen.x}, ${pen.y}`;
    find(".overlay-cross").setAttribute("transform", `translate(${pen.x} ${pen.y})`);
  }

  function showSetup() {
    for (const item of document.querySelectorAll("[aria-pressed]")) {
      const on = item.textContent === setup.tool || item.textContent === setup.ink;
      item.setAttribute("aria-pressed", on ? "true" : "false");
      item.classList.toggle("chosen", on);
    }
    find("#nib").value = setup.nib;
    find("#squared").checked = setup.squared;
    find(".paper").classList.toggle("squared", setup.squared);
  }

  function change(part) {
    lift();
    Object.assign(setup, part);
    showSetup();
    remember();
  }

  function isEmptyShape(mark) {
    const [first] = mark.points;
    const last = mark.points.at(-1);
    return SHAPES.includes(mark.tool) && first[0] === last[0] && first[1] === last[1];
  }

  function commit(mark) {
    marks = [...marks.slice(0, cursor), mark];
    cursor = marks.length;
    remember();
  }

  function lower(x, y, by) {
    lift();
    const rubbing = setup.tool === "Eraser";
    const mark = {
      tool: setup.tool,
      colour: rubbing ? "#ffffff" : INKS[setup.ink],
      size: rubbing ? 20 : NIBS[setup.nib],
      points: [[x, y]],
    };
    if (mark.tool === "Fill") {
      mark.points = [[Math.min(Math.max(x, 0), W - 1), Math.min(Math.max(y, 0), H - 1)]];
      if (flood(doneContext, ...mark.points[0].map(Math.floor), mark.colour)) commit(mark);
    } else {
      current = mark;
      source = by;
    }
    show();
  }

  function pull(x, y) {
    if (!current) return;
    current.points.push([x, y]);
    show();
  }

  function lift() {
    if (!current) return;
    const mark = current;
    current = null;
    source = null;
    if (!isEmptyShape(mark)) {
      paint(doneContext, mark);
      commit(mark);
    }
    show();
  }

  function goTo(position) {
    lift();
    if (position < floor || position > marks.length) return;
    cursor = position;
    rebuild();
    remember();
  }

  function clear() {
    lift();
    if (!visibleMarks().some((mark) => mark.tool !== "Eraser")) return;
    commit({ tool: "Clear" });
    rebuild();
  }

  function download() {
    lift();
    view.toBlob((blob) => {
      const url = URL.createObjectURL(blob);
      const anchor = Object.assign(document.createElement("a"), { href: url, download: "drawing.png" });
      document.body.append(anchor);
      anchor.click();
      anchor.remove();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    });
  }

  function spot(event) {
    const box = view.getBoundingClientRect();
    const round = (value) => Math.round(value * 10) / 10;
    return [round(((event.clientX - box.x) / box.width) * W), round(((event.clientY - box.y) / box.height) * H)];
  }

  function makeToggles(parent, names, onChoose) {
    for (const name of names) {
      const item = document.createElement("button");
      item.type = "button";
      item.textContent = name;
      item.setAttribute("aria-pressed", "false");
      item.onclick = () => onChoose(name);
      find(parent).append(item, " ");
    }
  }

  makeToggles(".tools", TOOLS, (tool) => change({ tool }));
  makeToggles(".inks", Object.keys(INKS), (ink) => change(setup.tool === "Eraser" ? { ink, tool: "Pen" } : { ink }));
  find("#nib").append(...Object.keys(NIBS).map((name) => new Option(name)));
  find("#nib").onchange = (event) => change({ nib: event.target.value });
  find("#squared").onchange = (event) => change({ squared: event.target.checked });
  find("[name=undo]").onclick = () => goTo(cursor - 1);
  find("[name=redo]").onclick = () => goTo(cursor + 1);
  find("[name=clear]").onclick = clear;
  find("[name=export]").onclick = download;

  view.addEventListener("mousedown", (event) => {
    if (event.button === 0) lower(...spot(event), "mouse");
  });
  window.addEventListener("mousemove", (event) => {
    if (source !== "mouse") return;
    if (event.buttons & 1) pull(...spot(event));
    else lift();
  });
  window.addEventListener("mouseup", () => {
    if (source === "mouse") lift();
  });

  view.addEventListener("blur", lift);
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey) return;
    const by = event.shiftKey ? 50 : 10;
    const moves = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] };
    if (event.code === "Space") {
      if (current) lift();
      else lower(pen.x, pen.y, "keys");
    } else if (moves[event.key]) {
      pen.x = Math.max(0, Math.min(W, pen.x + moves[event.key][0]));
      pen.y = Math.max(0, Math.min(H, pen.y + moves[event.key][1]));
      if (source === "keys") pull(pen.x, pen.y);
    } else {
      return;
    }
    event.preventDefault();
    show();
  });
  window.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    const name = (event.shiftKey ? "shift+" : "") + event.key.toLowerCase();
    const target = { z: cursor - 1, y: cursor + 1, "shift+z": cursor + 1 }[name];
    if (target === undefined) return;
    event.preventDefault();
    lift();
    goTo(target);
  });

  showSetup();
  rebuild();
})();
