"""Measure the data sets of ``docs/results/data.toml``, and write a page on each from its result file.

Run it as ``python3 tasks.py gallery [NAME...]``. It fetches the archives into ``build/gallery``, with npm and
pip; a data set whose records, libraries and options have not changed since its result is not measured again.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib.util
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

import bakeoff
from bakeoff.bench.results import Ranking, ResultData, read, write
from bakeoff.codecs.installed import version
from bakeoff.errors import BakeoffError
from bakeoff.reports import recommendation, render
from bakeoff.reports.decide.compare import other_work
from bakeoff.reports.model import expected
from bakeoff.reports.model.environment import head, versions
from bakeoff.reports.model.files import load
from bakeoff.reports.model.profiled import profile_lines
from bakeoff.reports.model.publishable import lacking
from bakeoff.reports.page import charts

EFFORT = ("--budget", "70s")
"""Arguments of the measurement; readers repeat it with `QUICK`."""
QUICK = ("--quick",)
STANDARD = "Python"
"""The registry's name for the standard library."""
REGISTRIES = {"npm": "npm", "pypi": "PyPI"}
_PURL = re.compile(r"pkg:(npm|pypi)/(.+)@([^@/]+)")
_HIDDEN = ("boot_time", "python_executable")
"""Facts of the environment that say whose machine it was, and nothing about the figures."""
_LIST = re.compile(r"(<!-- made by tasks.py gallery -->\n).*?(<!-- end -->)", re.DOTALL)


class GalleryError(Exception):
    """A data set that cannot be fetched, read or measured, in a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """A table of data.toml, which describes the fields.

    Attributes:
        name: Name of the table, of the page and of the result file.
    """

    name: str
    title: str
    about: str
    package: str
    sha256: str
    members: Sequence[str]
    license: str
    licensed: str
    file: str
    maker: str = ""
    source: str = ""
    options: Sequence[str] = ()

    @property
    def arguments(self) -> dict[str, str]:
        """The options of `bakeoff run` with their values."""
        return dict(zip(self.options[::2], self.options[1::2], strict=True))

    @property
    def origin(self) -> str:
        """The package, its version and its registry, for people."""
        found = _PURL.fullmatch(self.package)
        if found is None:
            return PurePath(urlsplit(self.package).path).name
        return f"`{unquote(found[2])}` {found[3]} on {REGISTRIES[found[1]]}"


@dataclass(frozen=True)
class Gallery:
    """The data sets, and where their files are.

    Attributes:
        root: Folder of the project, in which `bakeoff run` is started.
        run: The command `bakeoff`.
        effort: Arguments of the measurement.
    """

    root: Path
    run: Sequence[str] = (str(Path(sys.executable).with_name("bakeoff")),)
    effort: Sequence[str] = EFFORT
    results: Path = field(init=False)
    cache: Path = field(init=False)
    expected: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", self.root / "docs/results")
        object.__setattr__(self, "cache", self.root / "build/gallery")
        object.__setattr__(self, "expected", self.root / "reports/model/expected.json")

    def sets(self, names: Sequence[str] = ()) -> list[DataSet]:
        """Return the data sets of these names, or all.

        Raises:
            GalleryError: There is none of that name.
        """
        known = tomllib.loads((self.results / "data.toml").read_text(encoding="utf-8"))
        if unknown := [name for name in names if name not in known]:
            raise GalleryError(f"no data set {', '.join(unknown)}; there are {', '.join(known)}")
        return [DataSet(name, **known[name]) for name in names or known]

    def kept(self, each: DataSet) -> Path:
        """Return the result file of a data set."""
        return self.results / f"{each.name}.json.gz"

    def submitted(self, each: DataSet) -> list[Path]:
        """Return the accepted results of other machines."""
        return sorted(self.results.glob(f"{each.name}@*.json.gz"))

    def command(self, each: DataSet, effort: Sequence[str]) -> list[str]:
        """Return the arguments of bakeoff that measure a data set."""
        return ["run", self.source(each), *each.options, *effort]

    def source(self, each: DataSet) -> str:
        """Return what bakeoff reads, from the folder of the project."""
        return each.source or f"build/gallery/{each.file}"

    # From the registry to the file of records

    def fetch(self, each: DataSet) -> Path:
        """Return the archive of a data set, which is fetched if it is not there.

        Raises:
            GalleryError: It cannot be fetched, or its hash is another.
        """
        folder = self.cache / "archives"
        folder.mkdir(parents=True, exist_ok=True)
        there = folder / f"{each.sha256[:16]}-{PurePath(urlsplit(each.package).path).name}"
        if there.exists() and _sha256(there) == each.sha256:
            return there
        # In the same folder, so that an interrupted download leaves no archive.
        with tempfile.TemporaryDirectory(dir=folder) as away:
            fetched = _fetched(each, Path(away))
            if (found := _sha256(fetched)) != each.sha256:
                raise GalleryError(
                    f"{each.name}: {each.package} has the sha256 {found}, not {each.sha256} as in data.toml: "
                    "it is another archive, and was not read"
                )
            fetched.replace(there)
        return there

    def prepare(self, each: DataSet) -> None:
        """Write the file of records of a data set, and what else its maker writes.

        Raises:
            GalleryError: The archive cannot be fetched, or lacks a member.
        """
        members = _members(each, self.fetch(each))
        if each.maker:
            written = _maker(self.results / "makers.py", each.maker)(members)
        else:
            (content,) = members.values()
            written = {each.file: content}
        for name, content in written.items():
            path = self.cache / name
            if not path.exists() or path.read_bytes() != content:
                whole = path.with_name(f".{name}")
                whole.write_bytes(content)
                whole.replace(path)

    # From records to the result file

    def outdated(self, each: DataSet) -> str:
        """Return why a data set has to be measured; empty if its result is of today's records and libraries.

        Raises:
            BakeoffError: The records cannot be read.
        """
        if not self.kept(each).exists():
            return "it was not measured yet"
        result = read(self.kept(each))
        wanted = ["bakeoff", *self.command(each, self.effort[:1])]
        if shlex.split(result.command)[: len(wanted)] != wanted:
            return "its options have changed"
        changed = [
            f"{library} {was}, now {now or 'missing'}"
            for library, was in versions(result).items()
            if (now := platform.python_version() if library == STANDARD else version(library)) != was
        ]
        if changed:
            return ", ".join(changed)
        return "" if self._sha256(each) == result.corpora[0].sha256 else "its records have changed"

    def _measured(self, each: DataSet) -> list[str]:
        return [*self.command(each, self.effort), "-o", f"build/gallery/{each.name}-result.json"]

    def _sha256(self, each: DataSet) -> str:
        """Return the hash of the records as a result of `bakeoff run` has it."""
        chosen = each.arguments
        source = self.root / self.source(each)
        return bakeoff.corpus(source, chosen.get("--records"), at=chosen.get("--at")).sha256

    def measure(self, each: DataSet) -> None:
        """Measure a data set in a process of its own, and keep the result.

        Raises:
            GalleryError: The run found no codec, or its result cannot be published.
            KeyboardInterrupt: The run was interrupted; its result is not kept.
        """
        made = self.cache / f"{each.name}-result.json"
        for old in (made, made.with_name(f"{made.name}.journal")):
            old.unlink(missing_ok=True)
        command = [*self.run, *self._measured(each)]
        with subprocess.Popen(command, cwd=self.root, stdout=subprocess.DEVNULL) as run:
            try:
                code = run.wait()
            except KeyboardInterrupt:
                run.wait()  # it finishes its process
                raise
        if code == 130:
            raise KeyboardInterrupt
        if code:
            raise GalleryError(f"{each.name}: `bakeoff run` ended with exit code {code}")
        self.keep(read(made), self.kept(each))

    def keep(self, result: ResultData, path: Path) -> None:
        """Write a result without what says whose machine it was; its host is named as the file.

        Raises:
            GalleryError: It lacks what published figures have to state.
        """
        shown = {key: value for key, value in result.environment.items() if key not in _HIDDEN}
        host = path.name.partition("@")[2].removesuffix(".json.gz") or "gallery"
        result = replace(result, environment=shown | {"hostname": host})
        if lines := lacking([result], [path], path):
            more = "; a longer --budget adds processes" if any(map(_of_intervals, lines)) else ""
            raise GalleryError("\n- ".join([f"{path.name}: cannot be published{more}; it lacks:", *lines]))
        self.cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.cache) as away:
            plain = Path(away, "result.json")
            write(result, plain)
            packed = Path(away, path.name)
            packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
            packed.replace(path)

    # From result files to pages

    def measured(self) -> dict[DataSet, ResultData]:
        """Return the kept results."""
        return {each: read(self.kept(each)) for each in self.sets() if self.kept(each).exists()}

    def write_pages(self) -> None:
        """Write pages, charts and the list of all kept results, and what `run --quick` expects of them."""
        results = self.measured()
        for each, result in results.items():
            (self.results / f"{each.name}.md").write_text(self.page(each, result), encoding="utf-8")
            for name, drawn in self.charts(each, result).items():
                (self.results / name).write_bytes(drawn)
        index = self.results / "index.md"
        index.write_text(listed(index.read_text(encoding="utf-8"), results), encoding="utf-8")
        self.expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write([self.kept(each) for each in results], self.expected)

    def charts(self, each: DataSet, result: ResultData) -> dict[str, bytes]:
        """Return the charts on a data set, for a light and a dark page, by file name."""
        names = {f"{each.name}.svg": False, f"{each.name}-dark.svg": True}
        return {name: charts.render([result], dark=dark) for name, dark in names.items()}

    def page(self, each: DataSet, result: ResultData) -> str:
        """Return the page on a data set."""
        corpus = result.corpora[0]
        members = ", ".join(f"`{member}`" for member in each.members)
        chart = [
            f"```{{image}} {each.name}{ending}.svg\n:class: only-{theme}\n:alt: {recommendation(result)}\n```"
            for ending, theme in (("", "light"), ("-dark", "dark"))
        ]
        quick = shlex.join(["bakeoff", *self.command(each, QUICK)])
        kept = self.kept(each).relative_to(self.root).as_posix()
        # A result file may not say which Python code is run.
        code = [*(("--corpus", each.source) if each.source else ()), *self._schema(each)]
        verify = shlex.join(["bakeoff", "verify", kept, *code])
        parts = [
            f"<!-- made by tasks.py gallery from {each.name}.json.gz -->",
            f"# {each.title}",
            each.about,
            f"From {each.origin}: {members}. License: {each.license} (`{each.licensed}` there). "
            f"Measured on {result.started[:10]}, on {head(result)}. "
            f"[The result file]({self.kept(each).name}) has every figure.",
            f"**{recommendation(result)}**",
            *chart,
            "## Records",
            f"{corpus.sample:,} of {corpus.records:,} records were checked and measured."
            if corpus.sample < corpus.records
            else f"All {corpus.records:,} records were checked and measured.",
            "\n".join(f"- {label}: {words}" for label, words in profile_lines(corpus.profile)),
            "## Repeat it",
            "In a checkout of bakeoff. The first command fetches the records, the second measures them in "
            "ten seconds, and the third checks three figures of the result file:",
            "<!-- not run: fetches from a registry, and measures -->\n```sh\n"
            f"python3 tasks.py gallery --fetch {each.name}\n.venv/bin/{quick}\n.venv/bin/{verify}\n```",
            render([result], "md").strip(),
        ]
        if others := [read(path) for path in self.submitted(each)]:
            parts += ["## Other machines", render([result, *others], "md").strip().replace("## ", "### ")]
        return "\n\n".join(parts) + "\n"

    def _schema(self, each: DataSet) -> list[str]:
        chosen = each.arguments.get("--schema", "")
        return ["--schema", chosen] if ".py:" in chosen else []

    # Results of other machines

    def add(self, file: Path) -> Path:
        """Keep a result of another machine, if it is comparable with the kept ones; return where.

        Raises:
            GalleryError: It is not; the message lists the reasons.
            BakeoffError: It is not a result file.
        """
        result = load(file)
        each, reasons = self.judged(result, file)
        if each is None or reasons:
            raise GalleryError("\n- ".join([f"{file}: not accepted:", *reasons]))
        words = re.sub(r"[^a-z0-9]+", "-", f"{_machine(result)}-{result.started[:10]}".lower()).strip("-")
        path = self.results / f"{each.name}@{words}.json.gz"
        self.keep(result, path)
        return path

    def judged(self, result: ResultData, file: Path) -> tuple[DataSet | None, list[str]]:
        """Return the data set of a result, and why its rows are not comparable with the kept ones.

        Args:
            result: The result.
            file: Its file.
        """
        reasons = [] if result.complete else ["the run was interrupted: `bakeoff run --resume` finishes it"]
        reasons += lacking([result], [file], file)
        known = {
            read(path).corpora[0].sha256: each for each in self.sets() if (path := self.kept(each)).exists()
        }
        each = next((known[corpus.sha256] for corpus in result.corpora if corpus.sha256 in known), None)
        if each is None or len(result.corpora) != 1:
            named = ", ".join(f"{corpus.name} ({corpus.sha256[:12]})" for corpus in result.corpora)
            return None, [*reasons, f"records of no data set, or of several: {named or 'none named'}"]
        ours = read(self.kept(each))
        # The name of a corpus is that of its file.
        same = replace(result, corpora=(replace(result.corpora[0], name=ours.corpora[0].name),))
        reasons += other_work(ours, same)
        wanted = {cell.cell.codec for cell in ours.cells if cell.samples}
        if absent := sorted(wanted - {cell.cell.codec for cell in result.cells}):
            reasons.append(f"codecs that were left out: {', '.join(absent)}")
        return each, reasons


def _of_intervals(line: str) -> bool:
    return line.startswith("intervals: ")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetched(each: DataSet, folder: Path) -> Path:
    """Fetch an archive into an empty folder, with the registry's own client.

    Raises:
        GalleryError: The client is missing, or fails.
    """
    if each.package.startswith("file:"):
        try:
            return Path(shutil.copy(unquote(urlsplit(each.package).path), folder))
        except OSError as error:
            raise GalleryError(f"{each.name}: {each.package} cannot be read: {error.strerror}") from error
    found = _PURL.fullmatch(each.package)
    if found is None:
        raise GalleryError(f"{each.name}: {each.package} is not a package of npm or PyPI")
    registry, name, release = found[1], unquote(found[2]), found[3]
    command = {
        "npm": ["npm", "pack", "--silent", "--pack-destination", str(folder), f"{name}@{release}"],
        "pypi": [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"),
            *("--dest", str(folder), f"{name}=={release}"),
        ],
    }[registry]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError as error:
        raise GalleryError(f"{each.name}: cannot run {command[0]}, which fetches {name}: {error}") from error
    files = list(folder.iterdir())
    if done.returncode or len(files) != 1:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise GalleryError(
            f"{each.name}: {name} {release} could not be fetched from {REGISTRIES[registry]}: "
            f"{said[-1] if said else 'no answer'}; is this machine offline?"
        )
    return files[0]


def _members(each: DataSet, archive: Path) -> dict[str, bytes]:
    """Return the files of a data set in its archive, by name; a name that ends in / is a folder.

    Raises:
        GalleryError: One is not there.
    """
    files = dict(_unpacked(archive, tuple(each.members)))
    if absent := [name for name in each.members if not any(there.startswith(name) for there in files)]:
        raise GalleryError(f"{each.name}: {each.package} has no {', '.join(absent)}")
    return files


def _unpacked(archive: Path, wanted: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    def is_wanted(name: str) -> bool:
        return name in wanted or name.startswith(tuple(part for part in wanted if part.endswith("/")))

    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zipped:
            yield from ((name, zipped.read(name)) for name in zipped.namelist() if is_wanted(name))
        return
    with tarfile.open(archive) as tar:
        for info in tar:
            if is_wanted(info.name) and (file := tar.extractfile(info)) is not None:
                yield info.name, file.read()


def _maker(file: Path, name: str) -> Callable[[Mapping[str, bytes]], Mapping[str, bytes]]:
    """Return a function of makers.py."""
    spec = importlib.util.spec_from_file_location("makers", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[Mapping[str, bytes]], Mapping[str, bytes]] = getattr(module, name)
    return found


def _machine(result: ResultData) -> str:
    """Name the processor and the Python of a result."""
    env = result.environment
    return f"{env.get('cpu_model_name')}, Python {str(env.get('python_version')).partition(' ')[0]}"


def listed(page: str, results: Mapping[DataSet, ResultData]) -> str:
    """Return the page with its list and its tree of pages made again."""
    rows = []
    for each, result in results.items():
        corpus = result.corpora[0]
        mean = corpus.profile.get("bytes_mean")
        size = f"{corpus.sample:,} × {round(mean):,} B" if isinstance(mean, int | float) else ""
        rows.append(f"| [{each.title}]({each.name}.md) | {size} | {_leaders(result.rankings)} |\n")
    tree = "".join(f"{each.name}\n" for each in results)
    made = (
        "| data set | records measured | leads |\n| --- | --- | --- |\n"
        + "".join(rows)
        + f"\n```{{toctree}}\n:hidden:\n\n{tree}submit\n```\n"
    )
    return _LIST.sub(lambda found: found[1] + made + found[2], page)


def _leaders(rankings: Sequence[Ranking]) -> str:
    """Name the codec that costs least, and those that may cost as little."""
    ranking = next((each for each in rankings if each.winner), None)
    if ranking is None:
        return "no safe codec preserves every record"
    words = [f"`{ranking.winner}`"]
    for names, word in ((ranking.same, "the same cost"), (ranking.unresolved, "not distinguishable")):
        if names:
            words.append(f"{word}: {', '.join(f'`{name}`' for name in names)}")
    return "; ".join(words)


def main(arguments: Sequence[str], gallery: Gallery) -> int:
    """Do what the command line says; return the exit code."""
    parser = argparse.ArgumentParser("tasks.py gallery", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="data sets of data.toml; all by default")
    what = parser.add_mutually_exclusive_group()
    parser.add_argument("--budget", metavar="TIME", help="time for each, on a busy machine [default: 70s]")
    what.add_argument("--again", action="store_true", help="measure also what has not changed")
    what.add_argument("--fetch", action="store_true", help="only fetch and write the files of records")
    what.add_argument("--pages", action="store_true", help="only write the pages of the kept results")
    what.add_argument("--add", type=Path, metavar="FILE", help="keep a result of another machine")
    chosen = parser.parse_args(arguments)
    if chosen.budget:
        gallery = replace(gallery, effort=("--budget", chosen.budget))
    try:
        if chosen.add:
            print(f"accepted: {gallery.add(chosen.add).relative_to(gallery.root)}")
        elif chosen.fetch:
            for each in gallery.sets(chosen.names):
                gallery.prepare(each)
                print(shlex.join(["bakeoff", *gallery.command(each, QUICK)]))
            return 0
        failed = (
            not chosen.add and not chosen.pages and _measure_all(gallery, chosen.names, again=chosen.again)
        )
        gallery.write_pages()
    except (GalleryError, BakeoffError) as error:
        print(f"gallery: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("gallery: stopped; what was measured is kept, and the same command continues", file=sys.stderr)
        return 130
    return int(failed)


def _measure_all(gallery: Gallery, names: Sequence[str], *, again: bool) -> bool:
    """Measure what has changed of some data sets; return whether one failed."""
    failed = False
    sets = gallery.sets(names)
    for number, each in enumerate(sets, 1):
        try:
            gallery.prepare(each)
            why = "--again" if again else gallery.outdated(each)
            print(f"{each.name} ({number} of {len(sets)}): {why or 'has not changed'}", file=sys.stderr)
            if why:
                gallery.measure(each)
        except (GalleryError, BakeoffError) as error:
            print(f"gallery: {error}", file=sys.stderr)
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Gallery(Path(__file__).parents[1])))
