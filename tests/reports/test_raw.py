"""The libraries' own calls in a result file."""

from __future__ import annotations

from bakeoff.reports import recommendation
from bakeoff.reports.decide.pick import Wish, pick


def test_the_quickest_call_is_no_codec(result_of):
    """However much less it costs, what is picked and recommended is something to import."""
    times = {
        "orjson": {"dump": 2e-6, "load": 2e-6, "size": 100},
        "orjson/raw": {"dump": 1e-6, "load": 1e-6, "size": 100},
    }
    result = result_of(times)

    choice = pick([result], Wish())

    assert choice.winner.name == "orjson"
    assert dict(choice.excluded)["orjson/raw"] == "is the library's own calls: no codec to import"
    assert "orjson/raw is faster but is no codec to import" in recommendation(result)
