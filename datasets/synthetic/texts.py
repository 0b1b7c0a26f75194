"""Fit nodes to texts: recognised kinds, texts of few parts, and prose."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from . import profile as s
from .letters import is_escaped, pieces, scripts, word_form
from .scalars import lengths, recognised, reduced

_PARTS = 24
"""Most pieces of a text of a fixed number of parts."""
_SKELETONS = 12
_FORMS = 64
"""Most forms of a part; with more it is prose, whose lengths are exact whatever the forms."""
_WORDS = 300
_BETWEEN = 100

Cut = tuple[tuple[bool, s.Form, str], ...]
"""Pieces of a text: whether it is a word, its form, and the piece."""


def fit_texts(values: Sequence[str]) -> list[tuple[int, s.Node]]:
    """Return nodes for texts, and the number of texts for each node."""
    groups: defaultdict[tuple[Any, ...], list[str]] = defaultdict(list)
    for text in values:
        groups[recognised(text) or ("", scripts(text), is_escaped(text))].append(text)
    found: list[tuple[int, s.Node]] = []
    for kind, texts in groups.items():
        if kind[0]:
            found.append((len(texts), reduced(kind, texts)))
        else:
            found += _plain(texts, kind[1][-1:], kind[2])
    return found


def _plain(texts: list[str], wide: str, escaped: bool) -> list[tuple[int, s.Node]]:
    forms: dict[str, tuple[bool, s.Form]] = {}
    cuts: list[Cut] = []
    for text in texts:
        cut = []
        for piece in pieces(text):
            if piece not in forms:
                forms[piece] = word_form(piece)
            cut.append((*forms[piece], piece))
        cuts.append(tuple(cut))
    skeletons: defaultdict[Any, list[Cut]] = defaultdict(list)
    for one in cuts:
        if len(one) <= _PARTS:
            skeletons[tuple(None if is_word else form for is_word, form, _ in one)].append(one)
    found: list[tuple[int, s.Node]] = []
    prose = [one for one in cuts if len(one) > _PARTS]
    for number, some in enumerate(sorted(skeletons.values(), key=len, reverse=True)):
        parts = _parts(some) if number < _SKELETONS else None
        if parts is None or len(some) * 50 < len(cuts):
            prose += some
        else:
            found.append((len(some), parts))
    if prose:
        found.append((len(prose), _prose(prose, wide, escaped)))
    return found


def _parts(cuts: Sequence[Cut]) -> s.ProfileParts | None:
    parts = [_counted((form, piece) for _, form, piece in part) for part in zip(*cuts, strict=True)]
    return s.ProfileParts(tuple(parts)) if all(len(part) <= _FORMS for part in parts) else None


def _counted(found: Iterable[tuple[s.Form, str]]) -> tuple[tuple[int, int, s.Form], ...]:
    counts: Counter[s.Form] = Counter()
    different: defaultdict[s.Form, set[str]] = defaultdict(set)
    for form, piece in found:
        counts[form] += 1
        different[form].add(piece)
    return tuple((count, len(different[form]), form) for form, count in counts.most_common())


def _some(words: tuple[tuple[int, int, s.Form], ...], most: int) -> tuple[tuple[int, int, s.Form], ...]:
    """Return at most the given number of forms: the most frequent, and one of several of the others."""
    if len(words) <= most:
        return words
    frequent, rare = words[: most // 2], words[most // 2 :]
    chosen = rare[:: -(-len(rare) // (most // 2))]
    scale = sum(count for count, _, _ in rare) / sum(count for count, _, _ in chosen)
    return (*frequent, *((round(count * scale), different, form) for count, different, form in chosen))


def _prose(cuts: Sequence[Cut], wide: str, escaped: bool) -> s.Prose:
    words: list[tuple[s.Form, str]] = []
    between: list[tuple[s.Form, str]] = []
    starts: list[tuple[s.Form, str]] = []
    ends: list[tuple[s.Form, str]] = []
    for cut in cuts:
        first = 1 if cut and not cut[0][0] else 0
        last = len(cut) - 1 if len(cut) > 1 and not cut[-1][0] else len(cut)
        starts.append((_short(cut[0][1]), "") if first else ((), ""))
        ends.append((_short(cut[-1][1]), "") if last < len(cut) else ((), ""))
        for is_word, form, piece in cut[first:last]:
            (words if is_word else between).append((form, piece if is_word else ""))
    return s.Prose(
        lengths(sum(len(piece) for _, _, piece in cut) for cut in cuts),
        wide,
        escaped,
        _some(_counted(words), _WORDS),
        _some(_counted(between), _BETWEEN),
        _some(_counted(starts), _BETWEEN),
        _some(_counted(ends), _BETWEEN),
    )


def _short(form: s.Form) -> s.Form:
    return form[:8]
