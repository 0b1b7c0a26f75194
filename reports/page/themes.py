"""How charts look: colors by role, light and dark, and the color and mark of each wire format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...codecs.registry import FORMAT_MODULES as WIRE_FORMATS

_SHAPES: Final = (
    "M1.13,0A1.13,1.13,0,1,1,-1.13,0A1.13,1.13,0,1,1,1.13,0",
    "M-1,-1H1V1H-1Z",
    "M-1,0L0,-1L1,0L0,1Z",
    "M-1,-0.4H-0.4V-1H0.4V-0.4H1V0.4H0.4V1H-0.4V0.4H-1Z",
    "M0,0.87L-1,-0.87H1Z",
    "M-0.87,0L0.87,-1V1Z",
    "M0,-0.87L-1,0.87H1Z",
    "M0.87,0L-0.87,-1V1Z",
    "M0,-1L0.95,-0.31L0.59,0.81L-0.59,0.81L-0.95,-0.31Z",
    "M-0.8,-0.8L0.8,-0.8L-0.8,0.8L0.8,0.8Z",
    "M0,-1L0.3,-0.3L1,0L0.3,0.3L0,1L-0.3,0.3L-1,0L-0.3,-0.3Z",
    "M-0.5,-0.87L0.5,-0.87L1,0L0.5,0.87L-0.5,0.87L-1,0Z",
    "M0,-1L1,0L0.4,0L0.4,1L-0.4,1L-0.4,0L-1,0Z",
    "M-1,-0.4L1,-0.4L1,0.4L-1,0.4Z",
    "M-0.4,-1L0.4,-1L0.4,1L-0.4,1Z",
    "M0,1L-1,0L-0.4,0L-0.4,-1L0.4,-1L0.4,0L1,0Z",
)
"""Paths from -1 to 1, in the order of the registry's formats, followed by some for third-party formats."""

FONT: Final = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colors by role. The page's colors are CSS variables, so that one drawing is light, dark and print.

    Attributes:
        families: A color for each wire format, in the order of the registry's, followed by some for
            third-party formats; shapes distinguish them, too.
    """

    ink: str
    muted: str
    rule: str
    surface: str
    families: tuple[str, ...]


# Okabe and Ito 2008, darkened if their contrast on white is below 3:1.
LIGHT: Final = Theme(
    ink="#1d1f23",
    muted="#5c626b",
    rule="#e2ded5",
    surface="#ffffff",
    families=(
        "#0072b2",
        "#c75300",
        "#b3578a",
        "#4f8a10",
        "#9a6d00",
        "#7a4fbf",
        "#00805d",
        "#5b5f66",
        "#a61e4d",
        "#7f8c8d",
        "#006d77",
        "#6b3f1d",
        "#8c1c8c",
        "#3d4fa0",
        "#7d6608",
        "#d6336c",
    ),
)
DARK: Final = Theme(
    ink="#e8e5df",
    muted="#a3a9b2",
    rule="#30343b",
    surface="#191c20",
    families=(
        "#4aa8e0",
        "#f07a2c",
        "#dc93bc",
        "#a5d65c",
        "#e6a817",
        "#b698ee",
        "#23b889",
        "#a9adb5",
        "#ff7b9c",
        "#d3dada",
        "#4fc9d4",
        "#c79a72",
        "#e38be3",
        "#93a4f5",
        "#d8c24a",
        "#ffb3cf",
    ),
)
PAGE: Final = Theme(
    ink="var(--ink)",
    muted="var(--muted)",
    rule="var(--rule)",
    surface="var(--surface)",
    families=tuple(f"var(--family-{number})" for number in range(1, len(LIGHT.families) + 1)),
)


def colors(scope: str = ":root") -> str:
    """Return the colors of the themes as the variables of `PAGE`; the default is light.

    Args:
        scope: Selector of the elements that have these variables.
    """
    light, dark = ((each.ink, each.muted, each.rule, each.surface, *each.families) for each in (LIGHT, DARK))
    page = (PAGE.ink, PAGE.muted, PAGE.rule, PAGE.surface, *PAGE.families)
    names = [each.removeprefix("var(").removesuffix(")") for each in page]
    plain = " ".join(f"{name}: {one};" for name, one in zip(names, light, strict=True))
    both = " ".join(
        f"{name}: light-dark({one}, {other});" for name, one, other in zip(names, light, dark, strict=True)
    )
    return f"{scope} {{ {plain} }}\n@supports (color: light-dark(#000, #fff)) {{ {scope} {{ {both} }} }}\n"


def families(formats: Sequence[str]) -> list[str]:
    """Return the wire formats in the order that determines their colors and shapes."""
    present = dict.fromkeys(formats)
    known = [name for name in WIRE_FORMATS if name in present]
    return known + [name for name in present if name and name not in WIRE_FORMATS]


def looks(formats: Sequence[str], theme: Theme) -> dict[str, dict[str, str]]:
    """Return the color of each format, and its mark as a path from -1 to 1.

    A known format has its own; others take those that are left, and then start again.
    """
    names = families(formats)
    colors, shapes = (_chosen(names, choices) for choices in (theme.families, _SHAPES))
    return {name: {"color": colors[name], "shape": shapes[name]} for name in names}


def _chosen(names: Sequence[str], choices: Sequence[str]) -> dict[str, str]:
    fixed = {name: choices[n % len(choices)] for n, name in enumerate(WIRE_FORMATS) if name in names}
    free = [choice for choice in choices if choice not in fixed.values()] or list(choices)
    others = (name for name in names if name not in fixed)
    return fixed | {name: free[n % len(free)] for n, name in enumerate(others)}
