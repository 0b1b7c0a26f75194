"""What several fresh processes say: where things lie moves a ratio by one per cent from one to the next."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from bakeoff.bench import stats
from bakeoff.bench.results import Measurement

__all__ = ["in_processes", "interval"]


def in_processes(count: int, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Return what a function says in `count` processes, one after another."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool:
        return list(pool.map(function, *([argument] * count for argument in arguments)))


def interval(ratios: Iterable[float]) -> tuple[float, float, float]:
    """Return mean, low and high of the ratios that the processes say."""
    return stats.interval([Measurement(ratio, ratio, ratio) for ratio in ratios])
