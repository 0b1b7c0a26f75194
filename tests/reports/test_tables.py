"""What the tables say of made-up runs."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import madeup
from bakeoff.bench.operations import OPERATIONS
from bakeoff.bench.results import CheckFacts, GrowthFacts, Measurement
from bakeoff.codecs.conventions.notes import FIGURES, STRANGERS, VERSION
from bakeoff.errors import UsageError
from bakeoff.reports import OUTPUT_FORMATS, render
from bakeoff.reports.model.columns import COLUMNS
from bakeoff.reports.model.view import View
from bakeoff.reports.page import page
from bakeoff.reports.page.chart_rows import bars, summary, unseen
from madeup import added, changed

EVIL = "<b>x</b> & **y** | [red]z[/red] \\textbf{q} `r` $m$ _u_ \x1b[2J"

CRASH = """\
Fatal Python error: Segmentation fault

Thread 0x00007f0000000001 (most recent call first):
  File "threading.py", line 327 in wait
  File "threading.py", line 900 in run

Current thread 0x00007f0000000002 (most recent call first):
  File "ctypes/__init__.py", line 517 in decode
  File "theirs.py", line 30 in load
  File "check.py", line 20 in call
  File "<frozen runpy>", line 198 in _run_module_as_main

Extension modules: msgpack._cmsgpack (total: 1)"""


def rows(text):
    body = re.split(r"\n\n|\n↓|\nleft out", text.split("──\n", 1)[1])[0]
    return {line.split()[0]: line.split("  ") for line in body.splitlines() if line.strip()}


def order(text):
    return list(rows(text))


class TestText:
    def test_ranks_by_cost(self, planted):
        text = render([planted], "text")

        assert ["msgpack", "bson", "json", "yaml", "baseline"] == order(text)
        assert [line.split()[-1] for line in text.splitlines() if line.startswith("baseline")] == ["–"]

    def test_reads_re_rank(self, planted):
        assert "msgpack" == order(render([planted], "text"))[0]
        assert "bson" == order(render([planted], "text", reads=24))[0]

    def test_bandwidth_re_ranks(self, result_of):
        run = result_of(
            {
                "quick": {"dump": 1e-6, "load": 1e-6, "size": 2000},
                "small": {"dump": 2e-6, "load": 2e-6, "size": 500},
            }
        )

        assert "quick" == order(render([run], "text"))[0]
        assert "small" == order(render([run], "text", bandwidth="50Mbit"))[0]

    def test_ties_share_a_rank(self, result_of):
        same = {"dump": 2e-6, "load": 2e-6, "size": 100}
        run = result_of({"a": same, "b": same, "c": {"dump": 4e-6, "load": 4e-6, "size": 100}})
        text = render([run], "text")

        assert {"1 to 2", "3"} == {rows(text)[name][-1].strip() for name in "abc"}
        assert "; codecs with a range such as 1 to 2 cost the same, within 1%\n" in text

    @pytest.mark.parametrize(
        ("noise", "processes", "verdict"),
        [(0.0003, 20, "same"), (0.1, 20, "unresolved"), (0.1, 2, "unresolved")],
    )
    def test_a_tie_is_told_from_what_is_not_known(self, result_of, noise, processes, verdict):
        same = {"dump": 2e-6, "load": 2e-6, "size": 100}
        run = result_of({"a": same, "b": same}, noise=noise, processes=processes, baseline=False)
        text = render([run], "text")
        (section,) = json.loads(render([run], "json"))["sections"]
        in_csv = [row["rank_verdict"] for row in csv.DictReader(io.StringIO(render([run], "csv")))]

        assert 2 == len(re.findall("1 to 2$", text, re.M))
        open_ = "codecs with a range such as 1 to 2 are not distinguishable\n"
        assert (verdict == "unresolved") is (open_ in text)
        assert (verdict == "unresolved") is ("\n  sure    no: `bakeoff run --resume FILE` adds" in text)
        assert (verdict == "unresolved") is ("; `bakeoff run --resume FILE` adds processes\n" in text)
        assert (processes == 2) is ("over 2 processes, too few to distinguish anything" in text)
        assert [verdict] * 2 == [row["entries"]["rank"]["verdict"] for row in section["rows"]] == in_csv

    def test_results_of_python_are_not_resumed_by_a_command(self, result_of):
        same = {"dump": 2e-6, "load": 2e-6, "size": 100}
        run = result_of({"a": same, "b": same}, noise=0.1)
        text = render([replace(run, command="bakeoff.run('records', ['a', 'b'])")], "text")

        assert "; a larger `budget` adds processes\n" in text
        assert "\n  sure    no: a larger `budget` adds processes\n" in text
        assert "--resume" not in text

    @pytest.mark.parametrize("seed", range(6))
    def test_marks_and_ranks_agree(self, result_of, seed):
        """A cost is (1.02×) the best exactly where it may have its rank, at whatever alpha the run spent."""
        base = {"dump": 1e-6, "load": 1e-6, "size": 100}
        near = {"dump": 1.02e-6, "load": 1.02e-6, "size": 100}
        run = result_of(
            {"a": base, "b": near}, noise=0.02, seed=seed, options={"alpha": 0.0038}, baseline=False
        )
        (section,) = json.loads(render([run], "json", columns="cost:x,rank"))["sections"]
        texts = [(r["entries"]["cost:x"]["text"], r["entries"]["rank"]["text"]) for r in section["rows"]]

        assert texts[1][0].startswith("(") is (texts[1][1] == "1 to 2")

    @pytest.mark.parametrize(
        ("options", "patterns"),
        [
            ({}, ["µs/record ↓", "B/record ↓", "^↓ lower is better$"]),
            ({}, ["^measured on 1,000 of 100,000 records", "^rank by cost: one write and one read$"]),
            ({}, ["^! the run was interrupted", "^! cores were busy$"]),
            # The layout of 2011; bytes stay per record.
            ({"scale_to": 100_000}, ["s/100,000 ↓", r"^json +0\.2[34]\d* ±", "1,675"]),
            (
                {"relative_to": "json", "columns": "codec,dump:x,bytes:x"},
                [r"^json +1\.00× +1\.00×", r"^yaml +39\.\d× ±\S+ +0\.97×"],
            ),
        ],
    )
    def test_says_what_figures_are(self, planted, options, patterns):
        text = render([replace(planted, complete=False, warnings=("cores were busy",))], "text", **options)

        assert [] == [pattern for pattern in patterns if not re.search(pattern, text, re.M)]

    @pytest.mark.parametrize("form", ["text", "md", "json"])
    def test_columns_that_were_not_measured(self, planted, form):
        text = render([planted], form, columns="codec,peak,dump,growth,fidelity,library,fix:x")
        full = render([planted], form, columns="codec,dump,fidelity,rank,cost")

        assert "peak, growth, fix:x: not measured in this run" in text
        assert "not measured" not in full

    def test_columns_and_sort(self, planted):
        text = render([planted], "text", columns="codec,bytes", sort="-bytes")

        assert ["bson", "json", "yaml", "msgpack", "baseline"] == order(text)
        assert "dump" not in text.split("──")[0].split("processes")[1]

    def test_group_by_format(self, result_of):
        planted = {
            "json": {"dump": 3e-6, "load": 3e-6},
            "msgpack": {"dump": 2e-6, "load": 2e-6},
            "orjson": {"dump": 1e-6, "load": 1e-6},
        }
        run = result_of(planted, facts={"orjson": {"format": "json"}}, baseline=False)
        lines = render([run], "text", group_by="format").splitlines()
        names = [
            line.split()[0] for line in lines[lines.index(next(x for x in lines if "──" in x)) :] if line
        ]

        assert ["json", "orjson", "json", "msgpack", "msgpack"] == names[1:6]

    @pytest.mark.slow
    def test_fits_a_hundred_columns(self):
        run = madeup.result(corpora=1)
        columns = list(COLUMNS)[: list(COLUMNS).index("rank") + 1]
        asked = render([run], "text", width=300, columns=",".join(columns))

        for width in (None, 100):
            drawn = render([run], "text", width=width).split("\n\n")[1].splitlines()
            (head,) = (n for n, line in enumerate(drawn) if line.startswith("codec"))
            (last,) = (n for n, line in enumerate(drawn) if line.startswith("baseline"))
            grid = drawn[head : last + 1]
            assert 80 < max(map(len, grid)) <= 100
            assert not any("dump:x" in line for line in grid)
        assert max(map(len, asked.splitlines())) > 100
        assert "left out" not in render([run], "text", width=300)

    def test_fits_the_terminal(self, planted):
        text = render([planted], "text", width=60)

        assert all(len(line) <= 60 for line in text.split("\n\n", 1)[1].splitlines())
        assert "left out to fit the width: ± of times, bytes; see --columns" in text
        assert re.search(r"^codec .* cost × ", text, re.M)

    def test_an_ordinary_terminal_has_fidelity_and_cost_but_no_intervals(self, planted):
        text = render([planted], "text", width=80)
        table = text.split("\n\n")[1]

        assert re.search(r"^codec .* fidelity +cost × +rank$", table, re.M)
        assert "± of times" in table
        assert "fidelity" not in table.split("left out")[1].split("\n")[0]
        assert max(map(len, text.split("\n\n")[0].splitlines())) <= 80

    def test_intervals_of_ratios(self, planted):
        asked = {"columns": "dump,dump:x,load"}
        for form, options in (("text", asked), ("md", {})):
            assert re.search(r"json .* 1\.7\d× ±\d\.\d% ", render([planted], form, **options))
        (section,) = json.loads(render([planted], "json"))["sections"]
        entry = next(row["entries"]["dump:x"] for row in section["rows"] if row["codec"] == "json")
        half = (entry["high"] - entry["low"]) / 2 / entry["value"]
        narrow = render([planted], "text", width=60, **asked)

        assert entry["text"].endswith(f"× ±{half:.1%}")
        assert "left out to fit the width: ± of ratios; see --columns" in narrow
        assert not re.search("× ±", narrow)
        assert re.search(r"json +2\.\d+ ±", narrow)

    def test_bars_are_for_terminals(self, planted):
        bars = re.findall("█+", render([planted], "text", width=100, color=True))

        assert 5 <= len(bars[0]) > len(bars[-1])
        assert "█" not in render([planted], "text")

    def test_the_answer_comes_first_and_the_data_last(self, planted):
        for form in "text", "md":
            lines = [line.strip("- ").replace(":", "") for line in render([planted], form).splitlines()]
            use = next(n for n, line in enumerate(lines) if line.split()[:2] == ["use", "msgpack"])
            head = next(n for n, line in enumerate(lines) if line.lstrip("| ").startswith("codec"))
            data = next(n for n, line in enumerate(lines) if line.startswith("measured on 1,000 of "))
            assert use < head < data
            assert not [line for line in lines[data + 1 :] if line.startswith("rank by")]

    def test_without_times_rough_costs_order_the_rows(self, result_of):
        """What the checks took decides nothing, but it is the best there is; a longer run is advised."""
        run = result_of(
            {
                "json": {"dump": 3e-6, "load": 3e-6, "size": 9},
                "orjson": {"dump": 1e-6, "load": 1e-6, "size": 9},
            },
            baseline=False,
        )
        cells = (
            c if c.cell.operation == "size" else replace(c, samples=(), rough=c.samples[0].value)
            for c in run.cells
        )
        text = render([replace(run, cells=tuple(cells))], "text")

        assert ["orjson", "json"] == order(text)
        assert re.search("^codec .*cost ×", text, re.M)
        assert "\n  sure    no: `--all` or a longer --budget times them\n" in text

    def test_no_more_than_four_footnotes(self, result_of):
        planted = {name: {"dump": 1e-6, "load": 1e-6} for name in "abcdef"}
        run = result_of(planted, losses={name: (f"loss of {name}",) for name in planted})
        text = render([run], "text")

        assert ["a", "b", "c", "d"] == re.findall(r"^\[(\w)\] ", text, re.M)
        assert "[d] 3 further notes: `bakeoff report -f md` has them" in text
        assert 3 == len(re.findall(r" \[d\]", text))
        assert 6 == render([run], "md").count("loss of")

    def test_losses_come_before_other_footnotes(self, result_of):
        planted = {name: {"dump": t * 1e-6, "load": t * 1e-6} for t, name in enumerate("abcdef", 1)}
        facts = {name: {"notes": (f"note of {name}",), "about": (FIGURES,)} for name in "abcd"}
        run = result_of(planted, facts=facts, losses={"f": ("loss of f",)})
        text = render([run], "text")

        assert ["a", "b", "c", "d"] == re.findall(r"^\[(\w)\] ", text, re.M)
        assert re.search(r"^f .* lossy \[c\]", text, re.M)
        assert "\n[c] loss of f\n[d] 2 further notes: " in text

    @pytest.mark.parametrize(
        ("drawback", "words"),
        [
            ({"trusted_only": True}, "is for trusted data only"),
            ({"unguarded": True}, "lacks a guard against untrusted payloads"),
        ],
    )
    def test_no_rank_is_passed_over_silently(self, result_of, drawback, words):
        planted = {
            name: {"dump": t * 1e-6, "load": t * 1e-6, "size": 100}
            for name, t in {"orjson": 1, "marshal": 1.2, "json": 2, "ujson": 2}.items()
        }
        text = render([result_of(planted, facts={"marshal": drawback})], "text")

        assert re.search(r"^  use     orjson: ", text, re.M)
        assert re.search(r"^  next    (ujson and json|json and ujson) \((tie|undecided)\) 2\.0", text, re.M)
        assert f"\n  between marshal, which {words}\n" in text
        assert re.search(r"^marshal \[a\] ", text, re.M)
        assert "[a] for trusted data only\n" in text

    @pytest.mark.parametrize(
        ("profile", "told"),
        [
            ({"type_int": 0.5}, ["on figures", "on the version"]),
            ({"type_int": 0.5, "type_datetime": 0.0}, ["on figures", "on datetimes", "on the version"]),
        ],
    )
    def test_notes_are_on_what_the_records_hold(self, result_of, profile, told):
        notes = ("on figures", "on datetimes", "on strangers", "plain", "on the version")
        about = (FIGURES, "type_datetime", STRANGERS, "", VERSION)
        run = result_of(facts={"bson": {"notes": notes, "about": about}})
        run = replace(run, corpora=tuple(replace(corpus, profile=profile) for corpus in run.corpora))
        text = render([run], "text")

        assert told == [note for note in notes if re.search(rf"^\[\w\] {note}$", text, re.M)]
        assert "`bakeoff codecs NAME`" in text
        assert "`bakeoff codecs NAME`" not in render([result_of()], "text")

    @pytest.mark.parametrize(
        ("count", "words"), [(4, ""), (5, "; and 1 more loss"), (6, "; and 2 more losses")]
    )
    def test_many_losses_are_counted(self, result_of, count, words):
        run = result_of(losses={"bson": tuple(f"loss {number}" for number in range(count))})

        assert re.search(rf"^\[\w\] loss 0; loss 1; loss 2; loss 3{words}$", render([run], "text"), re.M)

    @pytest.mark.parametrize(
        ("options", "pattern"),
        [
            ({}, r"^bson .*lossy \[(\w)\]"),
            ({"columns": "dump,load"}, r"^bson .*\[(\w)\]"),
            ({"width": 52}, r"^bson .*\[(\w)\]"),
            ({"width": 200}, r"^bson .*\[(\w)\]"),
        ],
    )
    def test_no_table_hides_a_loss(self, result_of, options, pattern):
        run = result_of(losses={"bson": ("`datetime` lost microseconds at `$.when`",)})
        text = render([run], "text", **options)
        mark = re.search(r"^\[(\w)\] `datetime` lost microseconds at `\$.when`", text, re.M)[1]

        assert mark == re.search(pattern, text, re.M)[1]

    @pytest.mark.parametrize(
        ("said", "shown"),
        [
            ("one\ntwo\nthree\nfour", ["two", "three", "four"]),
            (CRASH, ["decode", "load", "call"]),
            (CRASH.replace("Current thread", "Thread"), ["wait", "run"]),
            ("dying\nStack (most recent call first):", ["dying", "Stack (most recent call first):"]),
            ("Stack (most recent call first):\n  <no Python frame>\n\nmore\nof it", ["<no Python frame>"]),
        ],
    )
    def test_a_crash_is_told_by_its_innermost_frames(self, result_of, said, shown):
        """Of a dump of the crashed thread the first frames stand in the text, of other words the last."""
        run = result_of(outcomes={"bad": ("crashed", "signal 11")})
        text = render([changed(run, "bad", stderr=said)], "text")

        told = re.findall(r"^    (\S.*| {2}\S.*)$", text, re.M)
        assert shown == [line.rpartition(" in ")[2].strip() for line in told]

    def test_failures_show_no_time(self, result_of):
        run = result_of(
            outcomes={
                "bad": ("crashed", "signal 11 while loading"),
                "liar": ("wrong", "record 7: 1 came back as 2"),
                "orjson": ("missing", "pip install 'bakeoff[orjson]'"),
            }
        )
        text = render([run], "text")

        assert not {"bad", "liar", "orjson"} & set(order(text))
        assert "bad: crashed: signal 11 while loading" in text
        assert "liar: wrong: record 7: 1 came back as 2" in text
        assert "orjson: missing: pip install 'bakeoff[orjson]'" in text

    def test_one_wrong_cell(self, planted):
        broken = changed(planted, "bson", "load", outcome="wrong", reason="record 3 differs", samples=())
        text = render([broken], "text")
        line = next(line for line in text.splitlines() if line.startswith("bson"))

        assert "wrong [" in line
        assert line.endswith("–")
        assert "load: record 3 differs" in text

    def test_missing_accelerator_is_loud(self, result_of):
        """A pure-Python library says so; a variant that is meant to be pure does not."""
        slow = {"accelerated": False}
        planted = {"msgpack": {"dump": 1e-6, "load": 1e-6}, "msgpack/pure": {"dump": 9e-6, "load": 9e-6}}
        text = render([result_of(planted, facts={"msgpack": slow, "msgpack/pure": slow})], "text")

        assert "C ACCELERATOR MISSING: libmsgpack runs as pure Python here" in text
        assert "! C accelerator missing, figures are of pure Python: msgpack\n" in text

    def test_empty_result(self, result_of):
        with pytest.raises(UsageError, match="nothing to show"):
            render([result_of({}, baseline=False)], "text")

    def test_fix_phase(self, result_of):
        run = result_of(
            {"a+schema": {"dump": 1e-6, "load": 1e-6, "fix": 5e-6}, "b": {"dump": 2e-6, "load": 2e-6}}
        )
        text = render([run], "text")

        assert re.search("^codec +dump +load +fix ", text, re.M)
        assert ["b", "a+schema", "baseline"] == order(text)

    def test_nothing_to_fix(self, result_of):
        run = result_of(
            {
                "a+schema": {"dump": 1e-6, "load": 1e-6, "fix": 5e-6},
                "pickle+schema": {"dump": 1e-6, "load": 1e-6},
            }
        )
        idle = added(run, "pickle+schema", "fix", reason="nothing to fix for this codec")
        text = render([idle], "text")

        assert re.search(r"^pickle\+schema .* 0 \[\w\] ", text, re.M)
        assert "the schema has nothing to fix for this codec" in text
        assert ["pickle+schema", "a+schema", "baseline"] == order(text)

    def test_failed_fix(self, result_of):
        run = result_of({"a+schema": {"dump": 1e-6, "load": 1e-6}})
        bad = added(run, "a+schema", "fix", outcome="crashed", reason="signal 11")
        line = next(x for x in render([bad]).splitlines() if x.startswith("a+schema"))

        assert 3 == line.count("crashed [a]")
        assert line.endswith("–")

    def test_growth(self, planted):
        leak = GrowthFacts("growing", where="decoder.c:120")
        run = added(planted, "json", "growth-load", 16, facts=leak)
        run = added(run, "bson", "growth-load", facts=GrowthFacts("no growth"))
        text = render([run], "text", columns="growth")

        assert "load is growing, 16.0 bytes" in render([run], "text")

        assert re.search(r"^json .*growing \(load\) \[\w\]", text, re.M)
        assert "load is growing, 16.0 bytes stay per call: decoder.c:120" in text
        assert re.search(r"^bson +none$", text, re.M)

    @pytest.mark.parametrize(
        ("facts", "words"),
        [
            ({"resolution": 0.002, "calls": 24_000, "counters": "allocated blocks, C heap"}, None),
            (
                {"resolution": 3.2, "calls": 240, "counters": "allocated blocks, C heap"},
                "growth under 3.2 bytes a call would not have been seen in 240 calls",
            ),
            (
                {
                    "resolution": 0.768,
                    "calls": 24_000,
                    "counters": "allocated blocks, resident pages (coarse)",
                },
                "growth under 0.768 bytes a call would not have been seen in 24,000 calls; "
                "allocated blocks, resident pages (coarse)",
            ),
            (
                {
                    "resolution": 0.002,
                    "calls": 24_000,
                    "allocator": "LD_PRELOAD set: counters are less precise",
                },
                "growth under 0.002 bytes a call would not have been seen in 24,000 calls; "
                "LD_PRELOAD set: counters are less precise",
            ),
        ],
    )
    @pytest.mark.parametrize("form", ["text", "md"])
    def test_how_coarse_no_growth_is(self, planted, form, facts, words):
        calm = GrowthFacts("no growth", **facts)
        run = added(added(planted, "bson", "growth-dump", facts=calm), "bson", "growth-load", facts=calm)
        text = render([run], form).replace("\\", "")

        assert bool(words) is bool(re.search(r"none \[\w\]", text))
        assert bool(words) is ("would not have been seen" in text)
        assert f"] dump and load: {words}\n" in text or not words


class TestSmallPeaks:
    """Peaks below what the method can see."""

    @pytest.fixture
    def small(self, planted):
        for name, peak in {"json": 4096.0, "msgpack": 12288.0, "bson": 131_072.0}.items():
            planted = added(planted, name, "peak-load", peak, resolution=65536)
        return planted

    def test_are_shown_as_below_it(self, small):
        text = render([small], "text", columns="peak,peak:x")

        assert re.search(r"^json +<64$", text, re.M)
        assert re.search(r"^msgpack +<64$", text, re.M)
        assert re.search(r"^bson +128 +>2\.00×$", text, re.M)

    def test_in_a_column_of_a_large_unit(self, small):
        for name in ("msgpack", "bson"):
            small = changed(small, name, "peak-load", samples=(Measurement(5e9, 5e9, 5e9),))
        text = render([small], "text", columns="peak")

        assert re.search(r"^json +<64 KiB$", text, re.M)
        assert re.search(r"^bson +4\.7$", text, re.M)

    def test_against_a_figure(self, small):
        text = render([small], "text", columns="peak,peak:x", relative_to="bson")

        assert re.search(r"^json +<64 +<0\.50×$", text, re.M)
        assert re.search(r"^bson +128 +1\.00×$", text, re.M)

    def test_are_not_sorted_among_themselves(self, small):
        up, down = (order(render([small], "text", sort=f"{sign}peak")) for sign in ("", "-"))

        assert ["json", "msgpack", "bson"] == up[:3]
        assert ["bson", "json", "msgpack"] == down[:3]

    def test_have_no_bars(self, small):
        (view,) = View.of([small]).corpora

        assert ["bson"] == [row["codec"] for row in bars(view, "peak-load")]
        assert ["bson"] == [row["codec"] for row in summary([view, view], "peak-load")]
        assert "2 codecs: less than 64.0 KiB, the least that can be measured" == unseen([view], "peak-load")

    def test_keep_raw_values_for_programs(self, small):
        rows = csv.DictReader(io.StringIO(render([small], "csv")))
        found = json.loads(render([small], "json"))["sections"][0]["rows"]
        entries = {row["codec"]: row["entries"]["peak"] for row in found if "peak" in row["entries"]}

        assert {"json": "4096.0", "msgpack": "12288.0"} == {
            row["codec"]: row["peak"] for row in rows if row["codec"] in ("json", "msgpack")
        }
        assert (4096, 65536) == (entries["json"]["value"], entries["json"]["limit"])
        assert (131_072, None) == (entries["bson"]["value"], entries["bson"]["limit"])

    def test_are_sorted_alike_on_the_page(self, small):
        html = page.render([small])
        cells = re.findall(r'data-label="peak" data-value="([^"]+)"><span class="v">([^<]|&lt;)+<', html)

        assert ["65536", "65536", "131072"] == sorted((value for value, _ in cells), key=float)


class TestSeveralFiles:
    def test_one_machine(self, result_of):
        one = {"dump": 1e-6, "load": 1e-6}
        first = result_of({"json": one, "bson": one})
        second = result_of({"json": one}, facts={"json": {"version": "2.0"}})
        text = render([first, second], "text")

        assert {"json", "bson", "baseline"} == set(order(text))
        assert "json @1.2.3" in text
        assert "json @2.0" in text
        assert "bson #" not in text
        assert 1 == text.count("\nbaseline ")

    def test_same_run_twice(self, planted):
        text = render([planted, planted], "text")

        assert {"json #1", "json #2"} <= set(re.findall(r"^json #\d", text, re.M))

    def test_two_sessions_are_told_apart_as_compare_does(self, result_of):
        one = {"msgpack": {"dump": 1.4e-6, "load": 1.6e-6, "size": 1498}}
        later = {"msgpack": {**one["msgpack"], "dump": 1.4e-6 * 1.015, "load": 1.6e-6 * 1.015}}
        sure = {"noise": 0.002, "processes": 20}
        text = render([result_of(one, **sure), result_of(later, **sure, seed=2)], "text")

        assert 2 == len(re.findall(r"^msgpack #\d .* 1 to 2$", text, re.M))
        assert "  use     undecided: msgpack #1 and msgpack #2 are not distinguishable" in text

    def test_runs_that_complete_each_other(self, planted):
        times = replace(planted, cells=tuple(c for c in planted.cells if c.cell.operation_name != "size"))
        sizes = replace(planted, cells=tuple(c for c in planted.cells if c.cell.operation_name == "size"))

        assert rows(render([times, sizes], "text")).keys() == rows(render([planted], "text")).keys()
        assert "1,675" in render([times, sizes], "text")

    def test_other_corpus_of_the_same_name(self, planted):
        other = replace(planted, corpora=(replace(planted.corpora[0], sha256="f" * 64),))
        text = render([planted, other], "text")

        assert text.startswith("messages: ")
        assert "\nmessages (ffffffff): " in text
        assert 2 == text.count("\nbaseline ")

    def test_other_sample_of_a_corpus(self, result_of):
        one = {"dump": 1e-6, "load": 1e-6}
        first = result_of({"json": one}, options={"sample": 1000})
        second = result_of({"json": one, "bson": one}, conditions={"gc": "off"}, options={"sample": 200})
        second = replace(second, corpora=(replace(second.corpora[0], sample=200),))
        text = render([first, second], "text")
        here, there = text.split("\nmessages (sample of 200): ")

        assert "measured on 1,000 of " in here
        assert "measured on 200 of " in there
        assert "\nbson " not in here
        assert "\nbson " in there
        assert "#" not in text
        assert 2 == text.count("\nbaseline ")
        assert "! file 2 was measured otherwise than file 1: option gc: default → off\n" in text

    def test_names_of_many_samples(self, planted):
        facts = planted.corpora[0]
        others = [
            {},
            {"sample": 200},
            {"sha256": "f" * 64},
            {"sha256": "f" * 64, "sample": 200},
            {"sample": 50},
        ]
        runs = [replace(planted, corpora=(replace(facts, **other),)) for other in others]
        text = render(runs, "text")

        names = re.findall(r"^(messages.*): (?:all )?[\d,]+ (?:of [\d,]+ )?records", text, re.M)
        assert [
            "messages",
            "messages (sample of 200)",
            "messages (ffffffff)",
            "messages (ffffffff, sample of 200)",
            "messages (00000000, sample of 50)",
        ] == names

    def test_several_machines(self, result_of):
        here = result_of(columns := {"json": {"dump": 1e-6, "load": 1e-6}})
        there = result_of(
            {"json": {"dump": 2e-6, "load": 2e-6}, "bson": columns["json"]},
            environment={"hostname": "bench-2"},
        )
        found = json.loads(render([here, there], "json"))
        entries = {row["codec"]: row["entries"] for row in found["sections"][0]["rows"]}

        assert entries["json"]["dump@bench-1"]["value"] == pytest.approx(1e-6, rel=0.01)
        assert entries["json"]["dump@bench-2"]["value"] == pytest.approx(2e-6, rel=0.01)
        assert "dump@bench-1" not in entries["bson"]


class TestOtherFormats:
    def test_csv_keeps_full_precision(self, planted):
        found = list(csv.DictReader(io.StringIO(render([planted], "csv"))))
        by_codec = {row["codec"]: row for row in found}

        assert ["msgpack", "bson", "json", "yaml", "baseline"] == [row["codec"] for row in found]
        json_row = by_codec["json"]
        assert float(json_row["dump_low"]) < float(json_row["dump"]) < float(json_row["dump_high"])
        assert 1675 == float(json_row["bytes"])
        assert float(json_row["dump"]) == pytest.approx(2.4e-6, rel=0.01)

    @pytest.mark.parametrize("columns", [None, "dump,rank"])
    def test_csv_and_json_hide_no_loss(self, result_of, columns):
        lost = "`datetime` lost microseconds at `$.when`"
        run = result_of(losses={"bson": (lost,)})
        in_csv = csv.DictReader(io.StringIO(render([run], "csv", columns=columns)))
        in_json = json.loads(render([run], "json", columns=columns))["sections"][0]["rows"]

        for rows in (in_csv, in_json):
            found = {row["codec"]: (row["outcome"], row["reason"]) for row in rows}
            assert ("lossy", lost) == found["bson"]
            assert ("ok", "") == found["json"] == found["baseline"]

    def test_csv_tells_a_failed_cell(self, planted):
        """A codec with figures and a cell that failed is no success, though no column shows the cell."""
        run = added(planted, "json", "peak-load", outcome="out of memory", reason="needed 2 GiB")
        rows = csv.DictReader(io.StringIO(render([run], "csv", columns="dump")))
        row = next(row for row in rows if row["codec"] == "json")

        assert ("out of memory", "peak-load: needed 2 GiB") == (row["outcome"], row["reason"])

    def test_csv_names_the_machine(self, result_of):
        here = result_of(environment={"hostname": "bench-1"}, losses={"bson": ("`tuple`",)})
        there = result_of(
            {"json": {"dump": 1e-6, "load": 1e-6}, "bson": {"dump": 1e-6, "load": 1e-6}},
            environment={"hostname": "bench-2"},
            outcomes={"msgpack": ("crashed", "signal 11")},
        )
        rows = [*csv.DictReader(io.StringIO(render([here, there], "csv", columns="dump")))]
        reasons = [(row["codec"], row["outcome"], row["reason"]) for row in rows if row["reason"]]

        assert [
            ("bson", "lossy", "bench-1: `tuple`"),
            ("msgpack", "crashed", "bench-2: signal 11"),
        ] == reasons

    def test_json_has_the_model(self, planted):
        found = json.loads(render([planted], "json", reads=24, bandwidth="1Gbit"))

        assert {
            "formula": "dump + reads × (load + fix) + crossings × bytes / bandwidth",
            "reads": 24,
            "bandwidth": 1.25e8,
            "crossings": "once",
        } == found["cost"]
        assert found["recommendation"].startswith("bson costs least")

    def test_markdown_escapes(self, result_of):
        run = result_of({EVIL: {"dump": 1e-6, "load": 1e-6}})
        from markdown_it import MarkdownIt

        html = MarkdownIt("commonmark").enable("table").render(render([run], "md"))

        body = html.split("<tbody>")[1]
        assert body.split("</tr>")[0].count("<td") == html.split("</thead>")[0].count("<th") - 1
        assert "<b>" not in html
        assert "<strong>y" not in html

    def test_latex_escapes(self, result_of):
        run = result_of({EVIL: {"dump": 1e-6, "load": 1e-6}})
        text = render([run], "latex")

        assert r"\textbf{" not in text
        assert r"\textbackslash{}textbf\{q\}" in text
        assert all(rule in text for rule in (r"\toprule", r"\midrule", r"\bottomrule"))

    def test_terminal_is_not_steered(self, result_of):
        run = result_of({EVIL: {"dump": 1e-6, "load": 1e-6}}, outcomes={"bad": ("error", EVIL)})
        text = render([run], "text")

        assert "\x1b" not in text
        assert r"[red]z[/red]" in text
        assert r"\x1b[2J" in text

    def test_rst_is_valid(self, result_of):
        docutils = pytest.importorskip("docutils.core")
        run = result_of({EVIL: {"dump": 1e-6, "load": 1e-6}}, outcomes={"bad": ("error", EVIL)})
        warnings = io.StringIO()
        settings = {"warning_stream": warnings, "report_level": 1, "input_encoding": "unicode"}
        html = docutils.publish_string(render([run], "rst"), writer="html5", settings_overrides=settings)

        assert "" == warnings.getvalue()
        assert b"<table" in html

    @pytest.mark.slow
    @given(name=st.text(min_size=1, max_size=30), reason=st.text(max_size=30))
    def test_any_name_in_any_format(self, result_of, name, reason):
        run = result_of(
            {name: {"dump": 1e-6, "load": 1e-6}}, outcomes={name + "2": ("error", reason)}, baseline=False
        )
        for form in OUTPUT_FORMATS:
            assert render([run], form)
        found = list(csv.DictReader(io.StringIO(render([run], "csv"))))
        assert 2 == len(found)
        assert "<script" not in render([run], "html").lower()

    @given(
        columns=st.lists(
            st.sampled_from([*COLUMNS, "dump:x", "cost:x", "peak:x", "bytes:x"]), min_size=1, max_size=6
        ),
        sort=st.sampled_from([f"{sign}{key}" for sign in ("", "-") for key in COLUMNS]),
        form=st.sampled_from(OUTPUT_FORMATS),
        group=st.sampled_from([None, "format", "library"]),
        codec=st.sampled_from([None, "json"]),
    )
    def test_any_choice_of_columns(self, planted, columns, sort, form, group, codec):
        options = {"columns": columns, "sort": sort, "group_by": group, "relative_to": codec}
        text = render([planted], form, **options)

        assert all(name in text for name in ("json", "msgpack", "bson", "yaml"))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_is_shown(result_of, operation):
    value = 0.125
    run = result_of({"json": {"dump": 1e-6, "load": 1e-6, operation: value}}, noise=0)
    row, _ = json.loads(render([run], "json"))["sections"][0]["rows"]
    shown = {key for key, entry in row["entries"].items() if entry["value"] == pytest.approx(value)}

    if OPERATIONS[operation].phase == "time":
        assert operation in shown
        known = OPERATIONS[operation]
        assert operation in COLUMNS or known.parameter or known.place
    else:
        assert shown or (operation.startswith("growth-") and "growth" in row["entries"])


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (
            {"sample_size": 510.0, "size_mean": 500.0, "sample_error": 0.004},
            "000000000000; they are 2.0% larger than all on average\n",
        ),
        ({"sample_size": 502.0, "size_mean": 500.0, "sample_error": 0.004}, "sha256 000000000000\n"),
        (
            {"sample_size": 502.0, "size_mean": 500.0, "sample_error": 0.12},
            "000000000000; standard error 12% of their mean size\n",
        ),
        (
            {"sample_size": 510.0, "size_mean": 500.0, "sample_error": 0.12},
            "; they are 2.0% larger than all on average (standard error 12%)\n",
        ),
        (
            {"sample_size": 510.0, "sample_error": 0.014},
            "000000000000; standard error 1.4% of their mean size\n",
        ),
        ({"sample_size": 510.0, "sample_error": 0.004}, "sha256 000000000000\n"),
    ],
)
def test_what_the_sample_leaves_out_is_said(result_of, profile, said):
    run = result_of({"json": {"dump": 1e-6, "load": 1e-6, "size": 9}})
    corpora = tuple(replace(corpus, profile=profile) for corpus in run.corpora)

    assert said in render([replace(run, corpora=corpora)], "text")


class TestStopped:
    """Runs that were stopped before everything was measured."""

    def test_memory_that_was_not_measured_is_not_fine(self, result_of):
        """The check alone gives memory cells an outcome."""
        run = result_of({"json": {"dump": 1e-6, "load": 1e-6, "size": 9}})
        text = render([added(added(run, "json", "peak-dump"), "json", "growth-dump")], "text")

        assert "growth" not in text
        assert "peak" not in text

    def test_what_was_checked_in_part_is_said(self, result_of):
        run = result_of({"json": {"dump": 1e-6, "load": 1e-6, "size": 9}})
        text = render([changed(run, "json", check=CheckFacts(55, 300))], "text")

        assert "slow codecs are checked on fewer than 1,000 records: json (55)" in text
        assert "their bytes are estimated: json (300)" in text


@pytest.mark.parametrize(
    ("load", "dirty", "reached", "said"),
    [
        (1.8, 0, True, False),
        (1.8, 9, True, True),
        (1.8, 0, False, True),
        (0.4, 9, False, False),
    ],
)
def test_load_is_said_where_figures_suffered(result_of, load, dirty, reached, said):
    run = result_of(options={"reached messages": reached})
    run = changed(run, sample=lambda s: replace(s, rounds=30, dirty=dirty))
    run = replace(run, environment={**run.environment, "load_avg_1min": load, "cores": "0,1"})

    assert said == ("other work kept this machine busy (load 1.8 on 2 cores" in render([run], "text"))


def test_codecs_that_are_absent_for_one_reason_share_a_line(result_of):
    late = ("unfinished", "no time")
    run = result_of(outcomes={"a": late, "b": late, "c": ("unfinished", "no room")})
    text = render([run], "text")

    assert "\na, b: unfinished: no time\nc: unfinished: no room\n" in text
    absent = json.loads(render([run], "json"))["sections"][0]["absent"]
    assert ["a", "b", "c"] == [one["codec"] for one in absent]


@pytest.mark.parametrize(("met", "share", "marked"), [(8, 0.2, True), (3, 0.2, False), (8, 0.01, False)])
def test_rare_calls_that_take_long_are_said(result_of, met, share, marked):
    made = result_of({"json": {"dump": 1e-6, "load": 2e-6}}, baseline=False, processes=8)
    text = render(
        [changed(made, operation="dump", sample=lambda s: replace(s, dear=int(s.pair < met), rare=share))]
    )

    assert marked == ("a few calls are much slower; with them the mean is up to 25% higher" in text)
    assert marked == bool(re.search(r"^json +\S+ ±\S+ \[a\] ", text, re.M))
