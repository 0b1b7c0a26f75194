"""Records of the gallery that no file holds as they are: objects of classes, dates and decimals.

`bakeoff run docs/results/objects.py:penguins` reads them from the files in build/gallery.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TypedDict

_FILES = Path(__file__).parents[2] / "build/gallery"


class Day(TypedDict):
    """The weather of a day, in millimeters, degrees Celsius and meters per second."""

    location: str
    date: dt.date
    precipitation: Decimal
    temp_max: Decimal
    temp_min: Decimal
    wind: Decimal
    weather: str


@dataclass
class Penguin:
    """A penguin, in millimeters and grams; None where a bird was not measured."""

    species: str
    island: str
    beak_length: float | None
    beak_depth: float | None
    flipper_length: int | None
    body_mass: int | None
    sex: str | None


def weather() -> Iterator[Day]:
    """Days of weather in two cities."""
    with (_FILES / "weather.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield Day(
                location=row["location"],
                date=dt.date.fromisoformat(row["date"]),
                precipitation=Decimal(row["precipitation"]),
                temp_max=Decimal(row["temp_max"]),
                temp_min=Decimal(row["temp_min"]),
                wind=Decimal(row["wind"]),
                weather=row["weather"],
            )


def penguins() -> Iterator[Penguin]:
    """Penguins, as objects of a dataclass."""
    # In this file, some of the lengths in tenths of a millimeter have no decimals.
    for record in json.loads((_FILES / "penguins.json").read_bytes(), parse_int=float):
        species, island, beak_length, beak_depth, *measured, sex = record.values()
        flipper_length, body_mass = (None if each is None else int(each) for each in measured)
        yield Penguin(species, island, beak_length, beak_depth, flipper_length, body_mass, sex)
