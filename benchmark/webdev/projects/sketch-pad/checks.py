import base64
import re
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from benchmark.webdev.checks import check, require

WHITE, BLACK, RED, GREEN, BLUE = "#ffffff", "#000000", "#d62828", "#2a9d3f", "#1d4ed8"
COLOURS = ("Black", "Red", "Green", "Blue")
TOOLS = ("Pen", "Eraser", "Line", "Rectangle", "Ellipse", "Fill")
Spot = tuple[float, float]

WHERE = """(canvas) => {
  canvas.scrollIntoView({ block: "center", behavior: "instant" });
  const box = canvas.getBoundingClientRect();
  const style = getComputedStyle(canvas);
  const sides = ["Left", "Right", "Top", "Bottom"];
  const [left, right, top, bottom] = sides.map((side) => parseFloat(style["padding" + side]));
  const width = canvas.clientWidth - left - right;
  const height = canvas.clientHeight - top - bottom;
  return {
    x: box.left + canvas.clientLeft + left,
    y: box.top + canvas.clientTop + top,
    width,
    height,
    scaleX: width / canvas.width,
    scaleY: height / canvas.height,
    roomLeft: box.left,
    roomRight: innerWidth - box.right,
  };
}"""

PROBE = """async (canvas, { spots, colour, every, within }) => {
  const wanted = [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
  const context = canvas.getContext("2d");
  if (!context) return "a canvas without a 2D context";
  const fits = (data, at) =>
    data[at + 3] >= 250 && wanted.every((value, channel) => Math.abs(data[at + channel] - value) <= 40);
  const say = (data, at) =>
    data[at + 3] < 250
      ? "see-through"
      : "#" + [0, 1, 2].map((channel) => data[at + channel].toString(16).padStart(2, "0")).join("");
  const look = () => {
    const missed = [];
    for (const [x, y] of spots) {
      const left = Math.max(0, Math.floor(x) - within);
      const top = Math.max(0, Math.floor(y) - within);
      const width = Math.min(canvas.width, Math.floor(x) + within + 1) - left;
      const height = Math.min(canvas.height, Math.floor(y) + within + 1) - top;
      if (width < 1 || height < 1) {
        missed.push(`nothing at ${x}, ${y}, which is outside the canvas' pixels`);
        continue;
      }
      const { data } = context.getImageData(left, top, width, height);
      const pixels = Array.from({ length: width * height }, (_, index) => index * 4);
      const good = every ? pixels.every((at) => fits(data, at)) : pixels.some((at) => fits(data, at));
      if (good) continue;
      const centre = ((Math.floor(y) - top) * width + Math.floor(x) - left) * 4;
      const shown = every ? pixels.find((at) => !fits(data, at)) : centre;
      missed.push(`${say(data, shown)} at ${x}, ${y}`);
    }
    return missed;
  };
  const end = performance.now() + 2500;
  for (;;) {
    const missed = look();
    if (!missed.length) return "";
    if (performance.now() > end) return missed.slice(0, 4).join("; ");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}"""

DECODE = """async ({ png, areas }) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  let picture;
  try {
    picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  } catch {
    return null;
  }
  const copy = document.createElement("canvas");
  copy.width = picture.width;
  copy.height = picture.height;
  const context = copy.getContext("2d");
  context.drawImage(picture, 0, 0);
  const read = ([left, top, width, height]) => {
    const { data } = context.getImageData(left, top, width, height);
    return Array.from({ length: width * height }, (_, index) => Array.from(data.slice(index * 4, index * 4 + 4)));
  };
  return { width: picture.width, height: picture.height, areas: areas.map(read) };
}"""


def drawing(page: Page) -> Locator:
    return page.locator("canvas").and_(page.get_by_label("Drawing area", exact=True))


def open_pad(page: Page) -> None:
    page.goto("/")
    expect(drawing(page), "a canvas labelled Drawing area is on the page").to_be_visible()


def where(page: Page) -> dict[str, float]:
    return drawing(page).evaluate(WHERE)


def drag(page: Page, *path: Spot, steps: int = 4, release: bool = True) -> None:
    place = where(page)
    on_page = [(place["x"] + x * place["scaleX"], place["y"] + y * place["scaleY"]) for x, y in path]
    page.mouse.move(*on_page[0])
    page.mouse.down()
    for spot in on_page[1:]:
        page.mouse.move(*spot, steps=steps)
    if release:
        page.mouse.up()


def move_to(page: Page, x: float, y: float, steps: int = 4) -> None:
    place = where(page)
    page.mouse.move(place["x"] + x * place["scaleX"], place["y"] + y * place["scaleY"], steps=steps)


def drawn(page: Page, colour: str, spots: list[Spot], words: str, within: int = 2) -> None:
    """Each of the spots is met by something of this colour."""
    seen = drawing(page).evaluate(PROBE, {"spots": spots, "colour": colour, "every": False, "within": within})
    require(not seen, words, seen)


def plain(page: Page, colour: str, spots: list[Spot], words: str, within: int = 2) -> None:
    """Each of the spots, with a little around it, has this colour only."""
    seen = drawing(page).evaluate(PROBE, {"spots": spots, "colour": colour, "every": True, "within": within})
    require(not seen, words, seen)


def strokes(page: Page, number: int, when: str) -> None:
    status = page.get_by_role("status").filter(has_text="Strokes")
    expect(status, f"the status line says Strokes: {number} {when}").to_have_text(f"Strokes: {number}")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def press(page: Page, name: str) -> None:
    button(page, name).click()


def set_width(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Width", exact=True).select_option(label=name)


def pressed(page: Page, name: str, names: tuple[str, ...], when: str) -> None:
    """Of the buttons `names`, exactly `name` is pressed."""
    for other in names:
        state = "true" if other == name else "false"
        words = f"{name} is the chosen one {when}, so the button {other} is {'' if other == name else 'not '}pressed"
        expect(button(page, other), words).to_have_attribute("aria-pressed", state)


def can(page: Page, name: str, when: str) -> None:
    expect(button(page, name), f"the button {name} can be used {when}").to_be_enabled()


def cannot(page: Page, name: str, when: str) -> None:
    expect(button(page, name), f"the button {name} is disabled {when}").to_be_disabled()


def decode(page: Page, png: bytes, areas: list[list[int]]) -> Any:
    return page.evaluate(DECODE, {"png": base64.b64encode(png).decode(), "areas": areas})


def on_screen(page: Page, areas: list[tuple[float, float, float, float]]) -> list[list[int]]:
    """What the screen shows over parts (left, top, width, height) of the drawing: per pixel its darkest channel."""
    place = where(page)
    page.mouse.move(0, 0)
    clip = {name: place[name] for name in ("x", "y", "width", "height")}
    png = page.screenshot(clip=clip, animations="disabled")
    boxes = [
        [
            max(0, round(left * place["scaleX"])),
            max(0, round(top * place["scaleY"])),
            max(1, round(width * place["scaleX"])),
            max(1, round(height * place["scaleY"])),
        ]
        for left, top, width, height in areas
    ]
    return [[min(pixel[:3]) for pixel in area] for area in decode(page, png, boxes)["areas"]]


def grid_is(page: Page, shown: bool, words: str, columns: tuple[int, ...], rows: tuple[int, ...]) -> None:
    """There are lines at these columns and rows of the drawing and none between them, or none at all."""
    lines = [(f"column {x}", (x - 4, 25, 9, 2)) for x in columns] + [(f"row {y}", (25, y - 4, 2, 9)) for y in rows]
    gaps = [(f"right of column {x}", (x + 15, 25, 20, 2)) for x in columns]
    gaps += [(f"below row {y}", (25, y + 15, 2, 20)) for y in rows]
    seen = []
    for _ in range(8):
        looks = on_screen(page, [area for _, area in lines + gaps])
        is_line = [min(look) <= 242 for look in looks]
        seen = [f"no line at {name}" for (name, _), line in zip(lines, is_line, strict=False) if shown and not line]
        seen += [f"a line at {name}" for (name, _), line in zip(lines, is_line, strict=False) if not shown and line]
        seen += [f"a line {name}" for (name, _), line in zip(gaps, is_line[len(lines) :], strict=True) if line]
        if not seen:
            return
    require(False, words, "; ".join(seen[:4]))


# 1 Draw with the mouse


@check(1, "The drawing area is 600 by 400 and white at first")
def blank_at_first(page: Page) -> None:
    open_pad(page)
    canvas = drawing(page)
    expect(canvas, "the canvas has a width of 600 pixels").to_have_js_property("width", 600)
    expect(canvas, "the canvas has a height of 400 pixels").to_have_js_property("height", 400)
    place = where(page)
    size = f"{place['width']:.0f} × {place['height']:.0f}"
    fits = abs(place["width"] - 600) <= 2 and abs(place["height"] - 400) <= 2
    require(fits, "the canvas is shown 600 × 400 pixels large", size)
    spots: list[Spot] = [(4, 4), (595, 4), (300, 200), (4, 395), (595, 395)]
    plain(page, WHITE, spots, "the whole canvas is opaque white at first")
    strokes(page, 0, "at first")


@check(1, "Dragging draws an unbroken black line along the way")
def line_along_the_way(page: Page) -> None:
    open_pad(page)
    drag(page, (100, 100), (500, 100), (500, 300), steps=8)
    way: list[Spot] = [(100, 100), (180, 100), (300, 100), (420, 100), (500, 160), (500, 220), (500, 300)]
    drawn(page, BLACK, way, "there is black along the whole way from 100, 100 by 500, 100 to 500, 300")
    plain(page, BLACK, [(300, 100), (500, 200)], "the line is 6 pixels wide", within=1)
    beside: list[Spot] = [(300, 110), (300, 90), (490, 200), (510, 200), (80, 100), (300, 200), (500, 325)]
    plain(page, WHITE, beside, "the canvas stays white beside the line")
    strokes(page, 1, "after one drag")
    drag(page, (100, 200), (400, 350), steps=1)
    fast: list[Spot] = [(100, 200), (160, 230), (220, 260), (300, 300), (360, 330), (400, 350)]
    drawn(page, BLACK, [*fast, (300, 100)], "a second line, drawn fast, has no gaps, and the first one stays")
    plain(page, WHITE, [(450, 325), (300, 250), (100, 150), (300, 340)], "the two lines are not joined")
    strokes(page, 2, "after two drags")


@check(1, "A click leaves a dot, and moving without the button draws nothing")
def dot_and_no_button(page: Page) -> None:
    open_pad(page)
    drag(page, (150, 150))
    drawn(page, BLACK, [(150, 150)], "a click at 150, 150 leaves a black dot")
    strokes(page, 1, "after one click")
    move_to(page, 250, 150)
    move_to(page, 250, 250)
    away: list[Spot] = [(175, 150), (200, 150), (250, 150), (250, 200), (250, 250)]
    plain(page, WHITE, away, "moving the mouse after a click draws nothing")
    drag(page, (300, 100), (400, 100), release=False)
    place = where(page)
    right = place["roomRight"] >= place["roomLeft"]
    outside = place["x"] + (place["width"] + 25 if right else -25)
    page.mouse.move(outside, place["y"] + 100, steps=4)
    page.mouse.up()
    strokes(page, 2, "after the button was let go outside the canvas")
    move_to(page, 560 if right else 40, 300)
    move_to(page, 350, 350)
    drawn(page, BLACK, [(300, 100), (350, 100), (400, 100)], "the line that left the canvas is there")
    back: list[Spot] = [(560 if right else 40, 300), (350, 350), (455 if right else 195, 325)]
    plain(page, WHITE, back, "coming back after the button was let go outside draws nothing")
    strokes(page, 2, "after coming back with no button held")


# 2 Colours and widths


@check(2, "New strokes have the chosen colour, earlier ones keep theirs")
def colours(page: Page) -> None:
    open_pad(page)
    pressed(page, "Black", COLOURS, "at first")
    drag(page, (50, 50), (250, 50))
    for name, colour, y in (("Red", RED, 120), ("Green", GREEN, 190), ("Blue", BLUE, 260)):
        press(page, name)
        pressed(page, name, COLOURS, f"after a click on {name}")
        drag(page, (50, y), (250, y))
        drawn(page, colour, [(50, y), (150, y), (250, y)], f"a stroke drawn after choosing {name} is {colour}")
    drag(page, (400, 300))
    drawn(page, BLUE, [(400, 300)], "a dot has the chosen colour too")
    drawn(page, BLACK, [(150, 50)], "the first stroke stays black")
    drawn(page, RED, [(150, 120)], "the red stroke stays red")
    strokes(page, 5, "after four lines and a dot")
    press(page, "Black")
    press(page, "Black")
    pressed(page, "Black", COLOURS, "after two clicks on Black")


@check(2, "Thin, Medium and Thick strokes have their widths")
def widths(page: Page) -> None:
    open_pad(page)
    chosen = page.get_by_role("combobox", name="Width", exact=True).locator("option:checked")
    expect(chosen, "the width is Medium at first").to_have_text("Medium")
    drag(page, (50, 50), (250, 50))
    set_width(page, "Thick")
    drag(page, (50, 150), (250, 150))
    drag(page, (400, 150))
    set_width(page, "Thin")
    drag(page, (50, 250), (250, 250))
    plain(page, BLACK, [(150, 145), (150, 150), (150, 154)], "a Thick stroke is 16 pixels wide", within=1)
    plain(page, BLACK, [(395, 150), (404, 150), (400, 145), (400, 154)], "a Thick dot is 16 pixels wide", within=1)
    plain(page, WHITE, [(150, 138), (150, 161), (388, 150)], "a Thick stroke is no wider than 16 pixels", within=1)
    drawn(page, BLACK, [(100, 250), (150, 250)], "a Thin stroke is there")
    plain(page, WHITE, [(150, 246), (150, 254)], "a Thin stroke is no wider than 2 pixels", within=1)
    plain(page, BLACK, [(150, 50)], "the earlier Medium stroke keeps its 6 pixels", within=1)
    plain(page, WHITE, [(150, 43), (150, 57)], "a Medium stroke is no wider than 6 pixels", within=1)


# 3 Eraser and Clear


@check(3, "The eraser turns its track back into white paper and counts nothing")
def eraser(page: Page) -> None:
    open_pad(page)
    pressed(page, "Pen", TOOLS[:2], "at first")
    press(page, "Blue")
    set_width(page, "Thick")
    drag(page, (100, 100), (300, 100))
    drag(page, (100, 105), (300, 105))
    set_width(page, "Thin")
    press(page, "Eraser")
    pressed(page, "Eraser", TOOLS[:2], "after a click on it")
    drag(page, (200, 50), (200, 200), steps=2)
    track: list[Spot] = [(200, 95), (200, 105), (193, 102), (206, 102)]
    plain(page, WHITE, track, "the eraser leaves opaque white in a track 20 pixels wide", within=1)
    drawn(page, BLUE, [(110, 100), (185, 102), (215, 102), (290, 100)], "beside the eraser's track the strokes stay")
    strokes(page, 2, "after two strokes and some erasing")
    press(page, "Pen")
    drag(page, (150, 300), (250, 300))
    drawn(page, BLUE, [(150, 300), (200, 300)], "the Pen draws again in the chosen colour after the Eraser")
    plain(page, WHITE, [(200, 304), (200, 296)], "the chosen width is in use again after the Eraser", within=1)
    strokes(page, 3, "after another stroke")


@check(3, "Choosing a colour takes up the pen again")
def colour_takes_pen(page: Page) -> None:
    open_pad(page)
    press(page, "Eraser")
    press(page, "Red")
    pressed(page, "Pen", TOOLS[:2], "after choosing a colour with the Eraser in use")
    pressed(page, "Red", COLOURS, "after a click on it")
    drag(page, (100, 100), (200, 200))
    drawn(page, RED, [(100, 100), (150, 150), (200, 200)], "a drag after choosing Red draws a red line")
    strokes(page, 1, "after it")


@check(3, "Clear empties the canvas and the count, and keeps the choices")
def clear(page: Page) -> None:
    open_pad(page)
    press(page, "Green")
    set_width(page, "Thick")
    drag(page, (20, 20), (580, 380))
    drag(page, (100, 300))
    strokes(page, 2, "before the canvas is cleared")
    press(page, "Clear")
    strokes(page, 0, "after Clear")
    everywhere: list[Spot] = [(20, 20), (300, 200), (580, 380), (100, 300), (4, 395)]
    plain(page, WHITE, everywhere, "the whole canvas is opaque white after Clear")
    pressed(page, "Green", COLOURS, "after Clear")
    pressed(page, "Pen", TOOLS[:2], "after Clear")
    drag(page, (100, 100), (200, 100))
    plain(page, GREEN, [(150, 95), (150, 104)], "after Clear one draws on in the chosen colour and width", within=1)
    strokes(page, 1, "after the first stroke on the cleared canvas")


# 4 Undo and redo


@check(4, "Undo takes back stroke after stroke, and Redo brings them again")
def undo_strokes(page: Page) -> None:
    open_pad(page)
    cannot(page, "Undo", "at first")
    cannot(page, "Redo", "at first")
    drag(page, (100, 200), (300, 200), steps=8)
    press(page, "Red")
    set_width(page, "Thick")
    drag(page, (200, 100), (200, 300), steps=8)
    drag(page, (500, 100))
    can(page, "Undo", "after three strokes")
    press(page, "Undo")
    plain(page, WHITE, [(500, 100)], "the dot is gone after one Undo")
    drawn(page, RED, [(200, 120), (200, 200)], "the stroke before the dot is still there after one Undo")
    strokes(page, 2, "after one Undo")
    press(page, "Undo")
    plain(page, WHITE, [(200, 120), (200, 280)], "the red stroke is gone after two Undos")
    drawn(page, BLACK, [(110, 200), (200, 200), (290, 200)], "the black line underneath is whole again after two Undos")
    strokes(page, 1, "after two Undos")
    press(page, "Undo")
    plain(page, WHITE, [(110, 200), (200, 200), (500, 100)], "the canvas is white after three Undos")
    strokes(page, 0, "after three Undos")
    cannot(page, "Undo", "when all steps are undone")
    for number in (1, 2, 3):
        can(page, "Redo", "while steps are undone")
        press(page, "Redo")
        strokes(page, number, f"after Redo number {number}")
    drawn(page, RED, [(200, 120), (200, 200), (500, 100)], "the red strokes are there again after three Redos")
    drawn(page, BLACK, [(110, 200), (290, 200)], "the black line is there again after three Redos")
    cannot(page, "Redo", "when all is redone")


@check(4, "Erasing and Clear are steps, choices are not")
def undo_eraser_and_clear(page: Page) -> None:
    open_pad(page)
    if button(page, "Clear").is_enabled():
        press(page, "Clear")
    press(page, "Blue")
    set_width(page, "Thick")
    cannot(page, "Undo", "while nothing is drawn yet")
    drag(page, (100, 100), (300, 100))
    press(page, "Eraser")
    drag(page, (200, 50), (200, 150))
    plain(page, WHITE, [(200, 100)], "the eraser has erased")
    press(page, "Clear")
    strokes(page, 0, "after Clear")
    press(page, "Undo")
    drawn(page, BLUE, [(120, 100), (280, 100)], "the picture is back after undoing Clear")
    plain(page, WHITE, [(200, 100)], "what was erased before Clear is still erased after undoing Clear")
    strokes(page, 1, "after undoing Clear")
    press(page, "Undo")
    drawn(page, BLUE, [(120, 100), (200, 100), (280, 100)], "undoing the eraser brings back what it erased")
    strokes(page, 1, "after undoing the eraser")
    press(page, "Redo")
    press(page, "Redo")
    plain(page, WHITE, [(120, 100), (200, 100), (280, 100)], "redoing Clear empties the canvas again")
    strokes(page, 0, "after redoing Clear")


@check(4, "The keys undo and redo, and a new step gives up what could be redone")
def undo_keys(page: Page) -> None:
    open_pad(page)
    for index in range(20):
        drag(page, (50 + 20 * index, 100))
    strokes(page, 20, "after twenty dots")
    for _ in range(19):
        page.keyboard.press("Control+z")
    strokes(page, 1, "after Ctrl+Z nineteen times")
    drawn(page, BLACK, [(50, 100)], "the first dot is still there after Ctrl+Z nineteen times")
    plain(page, WHITE, [(70, 100), (430, 100)], "the other dots are gone after Ctrl+Z nineteen times")
    button(page, "Black").focus()
    page.keyboard.press("Control+y")
    strokes(page, 2, "after Ctrl+Y")
    page.keyboard.press("Control+Shift+Z")
    strokes(page, 3, "after Ctrl+Shift+Z")
    drawn(page, BLACK, [(70, 100), (90, 100)], "the keys bring the dots again")
    page.get_by_role("combobox", name="Width", exact=True).focus()
    page.keyboard.press("Control+z")
    strokes(page, 2, "after Ctrl+Z with the focus on the list of widths")
    can(page, "Redo", "after an undo")
    drag(page, (300, 300))
    cannot(page, "Redo", "after a new step")
    page.keyboard.press("Control+y")
    strokes(page, 3, "after a new dot and Ctrl+Y")
    plain(page, WHITE, [(90, 100)], "what was undone before the new step does not come again")
    drawn(page, BLACK, [(300, 300), (70, 100)], "the new dot and those before it are there")


# 5 Lines, rectangles and ellipses


@check(5, "A rectangle is drawn as an outline between two corners, in any direction")
def rectangle(page: Page) -> None:
    open_pad(page)
    press(page, "Green")
    drag(page, (150, 120), (180, 150))
    press(page, "Rectangle")
    pressed(page, "Rectangle", TOOLS[:5], "after a click on it")
    press(page, "Red")
    pressed(page, "Rectangle", TOOLS[:5], "after choosing a colour")
    for name, start, end in (
        ("from the upper left", (100, 80), (300, 240)),
        ("from the lower right", (560, 360), (360, 200)),
        ("from the lower left", (60, 370), (240, 290)),
    ):
        drag(page, start, end)
        (left, right), (top, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
        mid_x, mid_y = (left + right) / 2, (top + bottom) / 2
        edges: list[Spot] = [(left, top), (right, top), (left, bottom), (right, bottom)]
        edges += [(mid_x, top), (mid_x, bottom), (left, mid_y), (right, mid_y)]
        drawn(page, RED, edges, f"a rectangle drawn {name} has its outline in red")
        around: list[Spot] = [(mid_x, mid_y), (mid_x, top - 12), (left - 12, mid_y), (right - 12, bottom - 12)]
        plain(page, WHITE, around, f"a rectangle drawn {name} is not filled and nothing is around it")
    plain(page, RED, [(200, 80), (100, 160)], "the outline has the chosen width", within=1)
    drawn(page, GREEN, [(160, 130)], "what lies inside the rectangle stays")
    strokes(page, 4, "after a line and three rectangles")


@check(5, "A shape follows the pointer and leaves nothing of earlier positions")
def shape_preview(page: Page) -> None:
    open_pad(page)
    press(page, "Blue")
    drag(page, (200, 20), (200, 380))
    press(page, "Black")
    press(page, "Rectangle")
    drag(page, (100, 100), (400, 300), release=False)
    drawn(page, BLACK, [(250, 100), (250, 300), (100, 200), (400, 200)], "the shape is shown while the button is held")
    move_to(page, 300, 200)
    drawn(page, BLACK, [(250, 100), (250, 200), (100, 150), (300, 150)], "the shown rectangle follows the pointer")
    plain(page, WHITE, [(250, 300), (400, 200), (350, 250)], "nothing is left of where the rectangle was before")
    drawn(page, BLUE, [(200, 300), (200, 250)], "what was drawn before is not harmed by the shape that is shown")
    page.mouse.up()
    strokes(page, 2, "after the rectangle is finished")
    move_to(page, 500, 350)
    drawn(page, BLACK, [(250, 100), (250, 200), (100, 150), (300, 150)], "the finished rectangle ends where one let go")
    plain(page, WHITE, [(250, 300), (400, 200), (500, 350)], "nothing but the finished rectangle is left")
    press(page, "Undo")
    plain(page, WHITE, [(250, 100), (250, 200), (100, 150)], "one Undo takes the whole rectangle back")
    drawn(page, BLUE, [(200, 100), (200, 300)], "Undo leaves what was drawn before the rectangle")
    strokes(page, 1, "after one Undo")


@check(5, "Lines are straight, ellipses fit their box, and a click without dragging draws nothing")
def line_and_ellipse(page: Page) -> None:
    open_pad(page)
    for tool in ("Line", "Rectangle", "Ellipse"):
        press(page, tool)
        drag(page, (300, 200))
        strokes(page, 0, f"after a click without dragging with {tool}")
        plain(page, WHITE, [(300, 200)], f"a click without dragging with {tool} draws nothing")
    cannot(page, "Undo", "after clicks that drew nothing")
    drag(page, (400, 300), (100, 100))
    drawn(page, BLACK, [(250, 100), (400, 200), (250, 300), (100, 200)], "the ellipse touches all sides of its box")
    drawn(page, BLACK, [(356, 129), (144, 271), (144, 129), (356, 271)], "the ellipse is round in between", within=3)
    off: list[Spot] = [(105, 105), (395, 105), (250, 200), (250, 85), (415, 200)]
    plain(page, WHITE, off, "the ellipse is an outline within its box")
    press(page, "Line")
    pressed(page, "Line", TOOLS[:5], "after a click on it")
    drag(page, (450, 380), (500, 80), (580, 40))
    drawn(page, BLACK, [(450, 380), (482, 295), (515, 210), (548, 125), (580, 40)], "the line goes straight to its end")
    plain(page, WHITE, [(500, 80), (475, 230), (540, 60)], "the line does not follow the way of the pointer")
    strokes(page, 2, "after an ellipse and a line")


# 6 Fill


@check(6, "Fill paints the inside of an outline and stops there")
def fill_inside(page: Page) -> None:
    open_pad(page)
    press(page, "Rectangle")
    drag(page, (100, 80), (300, 240))
    press(page, "Ellipse")
    set_width(page, "Thin")
    drag(page, (360, 180), (560, 360))
    press(page, "Fill")
    pressed(page, "Fill", TOOLS, "after a click on it")
    press(page, "Red")
    pressed(page, "Fill", TOOLS, "after choosing a colour")
    drag(page, (150, 200))
    inside: list[Spot] = [(110, 90), (290, 90), (110, 230), (290, 230), (200, 160)]
    plain(page, RED, inside, "the whole inside of the rectangle is red")
    outline: list[Spot] = [(200, 80), (200, 240), (100, 160), (300, 160)]
    plain(page, BLACK, outline, "the rectangle keeps its black outline", within=1)
    plain(page, WHITE, [(50, 50), (320, 160), (200, 260), (460, 270)], "outside the rectangle it stays white")
    press(page, "Green")
    drag(page, (460, 270))
    plain(page, GREEN, [(460, 270), (400, 270), (460, 340)], "the inside of the thin ellipse is green")
    plain(page, WHITE, [(340, 270), (575, 355), (365, 190), (20, 380)], "the green stays inside the thin ellipse")
    plain(page, RED, inside, "the rectangle stays red")
    strokes(page, 4, "after two shapes and two fills")


@check(6, "Fill goes round corners and reaches all that is connected, and no more")
def fill_connected(page: Page) -> None:
    open_pad(page)
    press(page, "Fill")
    press(page, "Green")
    drag(page, (300, 200))
    corners: list[Spot] = [(3, 3), (596, 3), (3, 396), (596, 396)]
    plain(page, GREEN, [*corners, (300, 200)], "a fill of the empty canvas reaches all its corners")
    press(page, "Clear")
    press(page, "Rectangle")
    press(page, "Black")
    drag(page, (460, 240), (560, 340))
    press(page, "Pen")
    set_width(page, "Thick")
    drag(page, (200, 1), (200, 340))
    drag(page, (400, 399), (400, 60))
    press(page, "Blue")
    press(page, "Fill")
    drag(page, (60, 30))
    around: list[Spot] = [*corners, (100, 200), (200, 375), (300, 30), (300, 200), (400, 25), (500, 200), (580, 290)]
    plain(page, BLUE, around, "the fill spreads round both walls to the far end of the canvas")
    plain(page, WHITE, [(510, 290), (475, 255), (545, 325)], "the inside of the rectangle stays white")
    plain(page, BLACK, [(200, 100), (400, 300)], "the walls stay black", within=1)
    strokes(page, 4, "after three outlines and a fill")


@check(6, "A fill is one stroke and one step, and filling with the same colour is none")
def fill_steps(page: Page) -> None:
    open_pad(page)
    press(page, "Fill")
    press(page, "Red")
    drag(page, (100, 100))
    strokes(page, 1, "after a fill")
    drag(page, (500, 300))
    strokes(page, 1, "after a second click on the same colour")
    press(page, "Undo")
    plain(page, WHITE, [(3, 3), (300, 200), (596, 396)], "one Undo takes the whole fill back")
    strokes(page, 0, "after one Undo")
    cannot(page, "Undo", "after the only step is undone")
    press(page, "Redo")
    plain(page, RED, [(3, 3), (300, 200), (596, 396)], "Redo fills again")
    strokes(page, 1, "after Redo")
    press(page, "Undo")
    drag(page, (300, 200))
    cannot(page, "Redo", "after a new fill")


# 7 Kept over a reload


@check(7, "The picture and the count are there again after a reload")
def kept_picture(page: Page) -> None:
    open_pad(page)
    press(page, "Blue")
    drag(page, (100, 100), (300, 100))
    drag(page, (100, 200), (300, 200))
    press(page, "Eraser")
    drag(page, (200, 70), (200, 130))
    press(page, "Pen")
    drag(page, (100, 300), (300, 300))
    press(page, "Undo")
    strokes(page, 2, "before the reload")
    page.reload()
    drawn(page, BLUE, [(120, 100), (280, 100), (120, 200), (280, 200)], "both lines are there again after a reload")
    gone: list[Spot] = [(200, 100), (150, 300), (250, 300), (4, 4)]
    plain(page, WHITE, gone, "what was erased or undone before the reload stays away, on opaque white")
    strokes(page, 2, "after a reload")
    cannot(page, "Undo", "after a reload")
    cannot(page, "Redo", "after a reload")
    drag(page, (400, 300), (500, 300))
    strokes(page, 3, "after another stroke")
    press(page, "Undo")
    strokes(page, 2, "after undoing it")
    drawn(page, BLUE, [(120, 100), (280, 200)], "undoing the first new step leads back to the picture that was kept")
    plain(page, WHITE, [(400, 300), (450, 300)], "the undone stroke is gone")
    press(page, "Clear")
    page.reload()
    strokes(page, 0, "after Clear and a reload")
    plain(page, WHITE, [(120, 100), (280, 200), (450, 300)], "a cleared canvas is still white after a reload")


@check(7, "Tool, colour and width are those that were chosen last")
def kept_choices(page: Page) -> None:
    open_pad(page)
    pressed(page, "Pen", TOOLS, "on the first visit")
    pressed(page, "Black", COLOURS, "on the first visit")
    press(page, "Green")
    set_width(page, "Thick")
    press(page, "Line")
    page.reload()
    pressed(page, "Line", TOOLS, "after a reload")
    pressed(page, "Green", COLOURS, "after a reload")
    chosen = page.get_by_role("combobox", name="Width", exact=True).locator("option:checked")
    expect(chosen, "the width is still Thick after a reload").to_have_text("Thick")
    drag(page, (100, 100), (200, 300), (400, 100))
    plain(page, GREEN, [(200, 96), (250, 104)], "the first drag after a reload draws a thick green line", within=1)
    plain(page, WHITE, [(200, 300), (150, 200)], "the first drag after a reload draws with the Line tool")
    strokes(page, 1, "after it")


REFUSALS = (
    (
        "full",
        """const full = () => { throw new DOMException("The quota has been exceeded.", "QuotaExceededError"); };
        Storage.prototype.setItem = full;
        IDBFactory.prototype.open = full;""",
    ),
    (
        "blocked",
        """const blocked = { get() { throw new DOMException("Access is denied.", "SecurityError"); } };
        const stores = ["localStorage", "sessionStorage", "indexedDB"];
        for (const name of stores) Object.defineProperty(window, name, blocked);""",
    ),
)


@check(7, "The pad works where the browser stores nothing")
def storage_refused(page: Page) -> None:
    for state, script in REFUSALS:
        page.add_init_script(script)
        open_pad(page)
        when = f"where the storage is {state}"
        press(page, "Red")
        pressed(page, "Red", COLOURS, when)
        drag(page, (100, 100), (300, 100))
        drag(page, (100, 200), (300, 200))
        drawn(page, RED, [(120, 100), (280, 200)], f"strokes are drawn {when}")
        strokes(page, 2, f"after two strokes, {when}")
        press(page, "Undo")
        strokes(page, 1, f"after Undo, {when}")
        press(page, "Redo")
        press(page, "Undo")
        plain(page, WHITE, [(200, 200)], f"Undo takes a stroke back {when}")
        press(page, "Clear")
        strokes(page, 0, f"after Clear, {when}")


# 8 Guide grid and picture file


@check(8, "The grid is shown on the screen only")
def grid(page: Page) -> None:
    open_pad(page)
    tick = page.get_by_role("checkbox", name="Show grid", exact=True)
    expect(tick, "Show grid is not ticked at first").not_to_be_checked()
    columns, rows = (50, 300, 550), (50, 200, 350)
    grid_is(page, False, "no grid is shown at first", columns, rows)
    tick.check()
    grid_is(page, True, "grid lines are shown every 50 pixels in both directions", columns, rows)
    crossings: list[Spot] = [(50, 25), (300, 200), (550, 350), (25, 350)]
    plain(page, WHITE, crossings, "the grid is not in the pixels of the canvas", within=4)
    cannot(page, "Undo", "after showing the grid")
    drag(page, (75, 100), (525, 100))
    drawn(page, BLACK, [(75, 100), (100, 100), (300, 100), (525, 100)], "one draws on the canvas with the grid shown")
    strokes(page, 1, "after a stroke with the grid shown")
    page.reload()
    expect(tick, "Show grid is still ticked after a reload").to_be_checked()
    grid_is(page, True, "the grid is still shown after a reload", columns, rows)
    press(page, "Red")
    press(page, "Fill")
    drag(page, (25, 25))
    plain(page, RED, [(3, 3), (75, 25), (325, 225), (596, 396)], "a fill is not stopped by the grid")
    press(page, "Undo")
    tick.uncheck()
    grid_is(page, False, "the grid is gone when it is no longer ticked", columns, rows)
    drawn(page, BLACK, [(100, 100), (300, 100)], "hiding the grid leaves the picture alone")


def saved(page: Page) -> Any:
    with page.expect_download() as coming:
        press(page, "Save as PNG")
    name = coming.value.suggested_filename
    require(name == "drawing.png", "the downloaded file is named drawing.png", name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawing.png"
        coming.value.save_as(path)
        data = path.read_bytes()
    require(data[:8] == b"\x89PNG\r\n\x1a\n", "the downloaded file is a PNG picture", "a file of another kind")
    areas = [[150, 99, 2, 2], [150, 299, 2, 2], [46, 21, 8, 8], [296, 196, 8, 8], [596, 396, 4, 4]]
    picture = decode(page, data, areas)
    require(picture is not None, "the downloaded PNG can be shown", "a picture that cannot be read")
    size = f"{picture['width']} × {picture['height']}"
    require(size == "600 × 400", "the downloaded picture is 600 × 400 pixels large", size)
    return picture["areas"]


def like(pixels: list[list[int]], colour: str) -> bool:
    wanted = [int(part, 16) for part in re.findall("[0-9a-f]{2}", colour)]
    return all(
        pixel[3] >= 250 and all(abs(seen - value) <= 40 for seen, value in zip(pixel[:3], wanted, strict=True))
        for pixel in pixels
    )


@check(8, "Save as PNG gives the picture as it is now, without the grid")
def save_as_png(page: Page) -> None:
    open_pad(page)
    page.get_by_role("checkbox", name="Show grid", exact=True).check()
    press(page, "Red")
    set_width(page, "Thick")
    drag(page, (100, 100), (250, 100))
    line, later, *paper = saved(page)
    require(like(line, RED), "the red line is in the saved picture", f"{line[0]} (red, green, blue, opacity)")
    for area in [later, *paper]:
        words = "the rest of the saved picture is opaque white, without grid lines"
        require(like(area, WHITE), words, f"{min(area)} (red, green, blue, opacity)")
    press(page, "Blue")
    drag(page, (100, 300), (250, 300))
    line, later, *paper = saved(page)
    require(like(later, BLUE), "a second save has the stroke drawn since", f"{later[0]} (red, green, blue, opacity)")
    require(like(line, RED), "a second save still has the first stroke", f"{line[0]} (red, green, blue, opacity)")
    strokes(page, 2, "after two strokes and two saves")


# 9 Small screens


@check(9, "On a small screen the whole canvas fits, with its proportions and grid")
def small_screen(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    open_pad(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    require(wide <= 361, "the page does not scroll sideways on a screen 360 pixels wide", f"it is {wide} pixels wide")
    canvas = drawing(page)
    expect(canvas, "the canvas keeps its 600 pixels' width inside").to_have_js_property("width", 600)
    expect(canvas, "the canvas keeps its 400 pixels' height inside").to_have_js_property("height", 400)
    place = where(page)
    size = f"{place['width']:.0f} × {place['height']:.0f} pixels, from {place['x']:.0f}"
    whole = place["x"] >= -1 and place["x"] + place["width"] <= 361
    require(whole and place["width"] >= 299, "the canvas is shown whole and at least 300 pixels wide", size)
    fair = abs(place["width"] / max(place["height"], 1) - 1.5) <= 0.03
    require(fair, "the canvas is shown with the proportions 3:2", size)
    page.get_by_role("checkbox", name="Show grid", exact=True).check()
    grid_is(page, True, "the grid lines lie over every 50 pixels of the drawing", (50, 300, 550), (50, 200, 350))
    page.set_viewport_size({"width": 1280, "height": 800})
    place = where(page)
    size = f"{place['width']:.0f} × {place['height']:.0f}"
    fits = abs(place["width"] - 600) <= 2 and abs(place["height"] - 400) <= 2
    require(fits, "with room enough the canvas is shown 600 × 400 pixels large", size)
    grid_is(page, True, "the grid lines are back at every 50 pixels", (50, 300, 550), (50, 200, 350))


@check(9, "Strokes land under the pointer on a small screen, and a change of the window's size keeps all")
def small_strokes(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    open_pad(page)
    press(page, "Blue")
    set_width(page, "Thick")
    drag(page, (100, 300), (500, 300))
    drawn(page, BLUE, [(100, 300), (300, 300), (500, 300)], "the stroke is under the pointer on a small screen")
    plain(page, BLUE, [(300, 297), (300, 303)], "the stroke is 16 pixels of the drawing wide", within=1)
    plain(page, WHITE, [(300, 286), (300, 314), (60, 170), (540, 300)], "and nothing else is drawn", within=1)
    press(page, "Rectangle")
    press(page, "Red")
    drag(page, (550, 80), (350, 200))
    page.set_viewport_size({"width": 1280, "height": 800})
    drawn(page, RED, [(450, 80), (450, 200), (350, 140), (550, 140)], "the picture stays in a larger window", within=4)
    drawn(page, BLUE, [(100, 300), (500, 300)], "the whole picture stays in a larger window")
    strokes(page, 2, "after the window's size has changed")
    drag(page, (100, 50), (250, 120))
    drawn(page, RED, [(100, 50), (250, 50), (250, 120), (100, 85)], "shapes land under the pointer there, too")
    page.set_viewport_size({"width": 500, "height": 740})
    press(page, "Undo")
    press(page, "Undo")
    plain(page, WHITE, [(100, 50), (250, 120), (450, 80), (550, 140)], "the steps can be undone after changes of size")
    drawn(page, BLUE, [(100, 300), (500, 300)], "what was not undone stays")
    strokes(page, 1, "after two Undos")
    drag(page, (550, 350))
    plain(page, WHITE, [(550, 350)], "a click with the Rectangle tool draws nothing")
    press(page, "Pen")
    drag(page, (550, 350))
    drawn(page, RED, [(550, 350)], "a dot lands under the pointer in a window 500 pixels wide")


# 10 Drawing with the keyboard


def tab_to_canvas(page: Page) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if drawing(page).evaluate("(canvas) => canvas === document.activeElement"):
            return
    require(False, "the canvas can be reached with Tab", "forty presses of Tab did not lead there")


def pen_says(page: Page, text: str, when: str) -> None:
    expect(page.get_by_text(text, exact=True).first, f"a line says {text} {when}").to_be_visible()


def keys(page: Page, *names: str) -> None:
    for name in names:
        page.keyboard.press(name)


@check(10, "Arrow keys and Space draw a line on the focused canvas")
def keyboard_line(page: Page) -> None:
    open_pad(page)
    pen_says(page, "Pen up at 300, 200", "at first")
    tab_to_canvas(page)
    seen: list[int] = []
    for _ in range(8):
        seen = on_screen(page, [(284, 184, 32, 32)])[0]
        if min(seen) < 225:
            break
    require(min(seen) < 225, "a mark at 300, 200 is seen on the screen while the canvas is focused", "white paper only")
    plain(page, WHITE, [(300, 200)], "the mark is not in the pixels of the canvas", within=16)
    keys(page, "ArrowLeft", "ArrowUp")
    pen_says(page, "Pen up at 290, 190", "after Left and Up")
    plain(page, WHITE, [(300, 200), (290, 190)], "moving with the pen up draws nothing")
    keys(page, "Space")
    pen_says(page, "Pen down at 290, 190", "after Space")
    keys(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown", "ArrowDown")
    pen_says(page, "Pen down at 360, 250", "after moving on")
    drawn(page, BLACK, [(290, 190), (325, 190), (360, 220), (360, 250)], "moving with the pen down draws a line")
    keys(page, "Space")
    pen_says(page, "Pen up at 360, 250", "after Space again")
    strokes(page, 1, "after the pen is lifted")
    keys(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight")
    plain(page, WHITE, [(375, 250), (400, 250), (430, 250)], "moving after the pen is lifted draws nothing")
    keys(page, "Space", "Space")
    drawn(page, BLACK, [(430, 250)], "Space twice on the same spot leaves a dot")
    strokes(page, 2, "after a line and a dot")
    keys(page, "Control+z", "Control+z")
    plain(page, WHITE, [(430, 250), (325, 190), (360, 220)], "the line and the dot are one step each")
    strokes(page, 0, "after undoing both")


@check(10, "The pen stays on the canvas, the page does not scroll, and leaving lifts the pen")
def keyboard_edges(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 320})
    open_pad(page)
    tab_to_canvas(page)
    page.evaluate("scrollTo({ top: 60, behavior: 'instant' })")
    before = page.evaluate("scrollY")
    keys(page, *["Shift+ArrowLeft"] * 7)
    pen_says(page, "Pen up at 0, 200", "at the left edge")
    keys(page, *["Shift+ArrowDown"] * 5, "ArrowDown", "Space")
    pen_says(page, "Pen down at 0, 400", "in the lower left corner")
    keys(page, "Shift+ArrowUp", *["Shift+ArrowRight"] * 13)
    pen_says(page, "Pen down at 600, 350", "at the right edge")
    settled = """() => new Promise((resolve) => {
      let frames = 12;
      const next = () => (frames-- > 0 ? requestAnimationFrame(next) : resolve(scrollY));
      next();
    })"""
    after = page.evaluate(settled)
    words = "arrow keys and Space on the focused canvas do not scroll the page"
    require(abs(after - before) <= 1, words, f"it scrolled from {before} to {after}")
    drawn(page, BLACK, [(2, 375), (100, 350), (300, 350), (597, 350)], "the line is drawn along the way of the keys")
    page.keyboard.press("Tab")
    pen_says(page, "Pen up at 600, 350", "after leaving the canvas with Tab")
    strokes(page, 1, "after leaving the canvas, which finishes the stroke")
    drawing(page).focus()
    keys(page, "Shift+ArrowLeft", "Shift+ArrowUp")
    pen_says(page, "Pen up at 550, 300", "after coming back")
    plain(page, WHITE, [(550, 325), (550, 300), (575, 325)], "moving after coming back draws nothing")
    strokes(page, 1, "after coming back")


@check(10, "The other tools work from the keyboard as well")
def keyboard_tools(page: Page) -> None:
    open_pad(page)
    press(page, "Rectangle")
    tab_to_canvas(page)
    keys(page, "Space", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown", "Shift+ArrowDown", "Space")
    drawn(page, BLACK, [(350, 200), (350, 300), (300, 250), (400, 250)], "a rectangle is drawn between down and lift")
    plain(page, WHITE, [(350, 250), (350, 215), (315, 250)], "the rectangle is an outline with no leftovers")
    strokes(page, 1, "after a rectangle")
    keys(page, "Space", "Space")
    strokes(page, 1, "after Space twice on the same spot with the Rectangle tool")
    press(page, "Fill")
    press(page, "Red")
    drawing(page).focus()
    keys(page, "Shift+ArrowLeft", "Shift+ArrowUp", "Space")
    plain(page, RED, [(350, 250), (310, 210), (390, 290)], "Space fills at the position with the Fill tool")
    plain(page, WHITE, [(280, 250), (420, 250), (10, 10)], "the fill stays inside the rectangle")
    pen_says(page, "Pen up at 350, 250", "after a fill")
    strokes(page, 2, "after a rectangle and a fill")
    press(page, "Eraser")
    drawing(page).focus()
    keys(page, "Space", "Shift+ArrowRight", "Space")
    plain(page, WHITE, [(350, 250), (375, 250), (400, 250)], "the Eraser erases from the keyboard")
    plain(page, RED, [(350, 225), (330, 270)], "beside the eraser's track it stays red")
    strokes(page, 2, "after erasing")
    keys(page, "Control+z", "Control+z", "Control+z")
    plain(page, WHITE, [(350, 200), (300, 250), (375, 250)], "eraser, fill and rectangle are one step each")
    strokes(page, 0, "after undoing all three")
    cannot(page, "Undo", "after undoing all three")
