"""Releases of codec libraries, each installed into a folder of its own in the user's cache.

A codec such as ``orjson==3.12.0`` is measured in processes of this interpreter that find the folder of that
release first. pip finds and installs releases, so that the user's index and its settings apply. Only wheels
are installed, without dependencies: those come from the environment of bakeoff.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...codecs import describe, missing
from ...codecs.naming import split_release
from ...errors import RunError, UsageError
from ...escape import without_passwords
from ...files import cache_folder

if TYPE_CHECKING:
    from packaging.version import Version

_ABREAST = 4
"""Releases that are fetched at the same time."""
_NEAR = 4
"""Releases that are named if one does not exist."""


class Release(NamedTuple):
    """A release of a library.

    Attributes:
        library: Name of the distribution.
        version: As the user wrote it.
    """

    library: str
    version: str

    def __str__(self) -> str:
        return f"{self.library} {self.version}"


def release_of(codec: str) -> Release | None:
    """Return the release that a codec's name asks for; None if it is the installed one."""
    version = split_release(codec)[1]
    return Release(describe(codec).library, version) if version else None


def releases_of(library: str, *, wheels: bool = True) -> list[str]:
    """Return the releases that the index has for this interpreter, the oldest first, without pre-releases.

    Args:
        library: Name of the distribution.
        wheels: Only those with a wheel.

    Raises:
        RunError: The index has none, or cannot be reached.
    """
    only = ["--only-binary", ":all:"] if wheels else []
    done = _pip("index", "versions", library, "--json", *only)
    if done.returncode:
        raise RunError(f"{library}: pip finds no release: {_reason(done.stderr)}")
    found: list[str] = json.loads(done.stdout)["versions"]
    return found[::-1]


class Releases:
    """The releases in the user's cache.

    Attributes:
        failed: Why a release could not be fetched.
    """

    def __init__(self) -> None:
        interpreter = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
        self._place = cache_folder("releases") / interpreter
        self.failed: dict[Release, str] = {}

    def cached(self, library: str) -> list[str]:
        """Return the releases of a library that are in the cache, the oldest first."""
        found = {}
        for path in self._place.glob(f"{library}-[0-9]*"):
            name = path.name.removeprefix(f"{library}-")
            if (version := _version(name)) is not None:  # others are not of `_install`
                found[name] = version
        return sorted(found, key=found.__getitem__)

    def missing(self, codec: str) -> str | None:
        """Return why a codec cannot be measured: its release was not fetched, or it is not installed."""
        release = release_of(codec)
        if release is None:
            return missing(codec)
        if self._folder(release).exists():
            return None
        return self.failed.get(release) or f"{release} was not fetched; `bakeoff run -c {codec}` does that"

    def folder(self, codecs: Iterable[str]) -> str:
        """Return the folder that a process for these codecs must find first; empty if it needs none.

        Raises:
            UsageError: They need more than one release, which one process cannot hold.
        """
        found = {release_of(codec) for codec in codecs} - {None}
        if len(found) > 1:
            listed = " and ".join(sorted(map(str, found)))
            raise UsageError(
                f"{listed} cannot be measured in one process; only `bakeoff run` compares releases"
            )
        return "".join(str(self._folder(release)) for release in found if release is not None)

    def fetch(
        self, codecs: Iterable[str], show: Callable[[str, float, float], object], *, offline: bool
    ) -> list[str]:
        """Install the releases of codecs that are not in the cache yet.

        A release that cannot be installed is left out; `missing` then returns the reason.

        Args:
            codecs: Names of codecs; those without a release need nothing.
            show: Receives progress.
            offline: Fetch nothing.

        Returns:
            A note about what was fetched, if anything was.
        """
        wanted = self.not_cached(codecs)
        if offline:
            self.failed |= dict.fromkeys(wanted, "not in the cache, and --offline fetches nothing")
            return []
        if not wanted:
            return []
        listed = ", ".join(map(str, wanted))
        show(f"fetching {listed}", -1, 0)
        with ThreadPoolExecutor(_ABREAST) as pool:
            reasons = dict(zip(wanted, pool.map(self._install, wanted), strict=True))
        offered = cache(releases_of)
        self.failed |= {release: _why_not(release, offered) or why for release, why in reasons.items() if why}
        fetched = ", ".join(str(release) for release, reason in reasons.items() if not reason)
        return [f"fetched {fetched} into {self._place}"] if fetched else []

    def not_cached(self, codecs: Iterable[str]) -> list[Release]:
        """Return the releases of codecs that are not in the cache."""
        asked = dict.fromkeys(filter(None, map(release_of, codecs)))
        return [release for release in asked if not self._folder(release).exists()]

    def _folder(self, release: Release) -> Path:
        return self._place / f"{release.library}-{release.version}"

    def _install(self, release: Release) -> str:
        """Install a release; return why that failed, or nothing."""
        try:
            self._place.mkdir(parents=True, exist_ok=True)
            part = tempfile.mkdtemp(prefix=".part-", dir=self._place)
        except OSError as error:
            raise RunError(f"{self._place}: cannot write here: {error.strerror}") from error
        try:
            done = _pip(
                "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", part,
                f"{release.library}=={release.version}",
            )  # fmt: skip
            if done.returncode:
                return f"pip could not install it: {_reason(done.stderr)}"
            try:
                Path(part).rename(self._folder(release))
            except OSError:  # another run may have fetched it meanwhile
                if not self._folder(release).exists():
                    raise
            return ""
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _why_not(release: Release, offered: Callable[..., list[str]]) -> str:
    """Return why the index does not offer a release; empty if it does. `offered` is `releases_of`."""
    try:
        wheels = offered(release.library)
        if release.version in wheels:
            return ""
        everything = offered(release.library, wheels=False)
    except RunError as error:
        return str(error)
    if release.version in everything:
        python = ".".join(map(str, sys.version_info[:2]))
        return (
            f"has no wheel for Python {python} on {sysconfig.get_platform()}, and nothing is built from "
            f"source; near releases with one: {_near(release.version, wheels)}"
        )
    return f"no such release; near ones: {_near(release.version, wheels)}"


def _near(version: str, known: Sequence[str]) -> str:
    """Return the releases around a version, or the newest ones without the extra that compares versions."""
    if find_spec("packaging") is None:
        return ", ".join(known[-_NEAR:]) or "none"
    from packaging.version import Version

    found = _version(version)
    place = len(known) if found is None else bisect_left(known, found, key=Version)
    start = max(0, min(place - _NEAR // 2, len(known) - _NEAR))
    return ", ".join(known[start : start + _NEAR]) or "none"


def _version(text: str) -> Version | None:
    """Return a version for comparisons, or None if the text is not one."""
    from packaging.version import InvalidVersion, Version

    try:
        return Version(text)
    except InvalidVersion:
        return None


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip for this interpreter; uv provides one for environments that have none.

    Raises:
        UsageError: There is neither.
    """
    if find_spec("pip") is not None:
        command = [sys.executable, "-P", "-m", "pip"]
    elif (uv := shutil.which("uv")) is not None:
        command = [uv, "tool", "run", "--python", sys.executable, "pip"]
    else:
        raise UsageError(
            "releases are fetched with pip or uv, and neither is here; run `python -m ensurepip`"
        )
    return subprocess.run(
        [*command, "--disable-pip-version-check", "--no-input", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )


def _reason(said: str) -> str:
    """Return the last error in pip's output, without the passwords of indexes."""
    errors = [line.removeprefix("ERROR: ") for line in said.splitlines() if line.startswith("ERROR: ")]
    return without_passwords((errors or said.splitlines() or ["no message"])[-1])
