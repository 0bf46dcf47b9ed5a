"""The picture of how far chains got."""

from collections.abc import Mapping, Sequence

from reports.page.figures import COLOURS, FONT, INK, SHAPES, WIDTH, as_svg, new_figure, plain_axes

#: Lines of slices by what was removed, of the fresh trials beside them by their own pattern.
DASHES = {"C1:fresh": "--", "antipatterns": "--", "examples": ":"}


def reached(curves: Mapping[str, Sequence[float]], title: str) -> str:
    """By condition the share of chains that solved task 1, 2, … n: where they end."""
    # Many lines leave no place for their names between them.
    beside = len(curves) > 3
    figure = new_figure(WIDTH, 2.7 + (0.22 * len(curves) if beside else 0))
    axes = figure.subplots()
    for name, shares in curves.items():
        steps = [1.0, *shares]
        dash = DASHES.get(name) or DASHES.get(name.partition("-")[2], "-")
        heights = [100 * value for value in steps]
        mark = SHAPES[name[:2]]
        axes.plot(range(len(steps)), heights, dash, marker=mark, markersize=4, color=COLOURS[name[:2]], label=name)
    axes.set_xlabel("task of the chain")
    axes.set_ylabel("chains that solved it, %")
    axes.set_ylim(-3, 103)
    axes.xaxis.get_major_locator().set_params(integer=True)
    if curves:
        place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 2, "borderaxespad": 0} if beside else {}
        axes.legend(frameon=False, labelcolor=INK, fontsize=FONT, **place)
    plain_axes(axes)
    return as_svg(figure, title)
