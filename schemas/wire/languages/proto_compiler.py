"""Compile the text of a ``.proto`` file with any available compiler, and find its imports."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ....errors import UsageError
from ...tree.declare import SchemaError
from .folders import above
from .proto_words import descriptors

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

_PATIENCE = 60.0
"""Most seconds for a compiler."""
_IMPORT = re.compile(rb'^\s*import\s+(?:public\s+|weak\s+)?"([^"\n]+)"\s*;', re.MULTILINE)
_MISSING = re.compile(r"^(\S+): File not found\.", re.MULTILINE)


def compiled(data: bytes, name: str, include: Sequence[str | os.PathLike[str]] = ()) -> FileDescriptorSet:
    """Compile ``.proto`` text.

    Imports are searched for in the folders of `include`, next to the file, in the working folder, and in each
    folder above the file that contains one of its imports, such as the root of its repository. Files that are
    part of protobuf (``google/protobuf/timestamp.proto``) are always found.

    Args:
        data: The text.
        name: Name of its file.
        include: Folders, as given by ``-I``.

    Raises:
        SchemaError: The text does not compile, or an import is not found.
        UsageError: There is no compiler, or no such folder.
    """
    path = Path(name)
    if find_spec("grpc_tools") is not None:
        compiler = [sys.executable, "-P", "-m", "grpc_tools.protoc"]
        own = [Path(str(resources.files("grpc_tools").joinpath("_proto")))]
    elif (found := shutil.which("protoc")) is not None:
        compiler, own = [found], []
    else:
        out = path.with_suffix(".desc").name
        raise UsageError(
            f"no compiler for {name}; pip install grpcio-tools, or compile it with protoc "
            f"--include_imports --include_source_info -o {out} {path.name}"
        )
    imports = [os.fsdecode(each) for each in _IMPORT.findall(data)]
    searched = list(above(imports, path.parent, include))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "in", path.name if path.suffix == ".proto" else "record.proto")
        source.parent.mkdir()
        source.write_bytes(data)
        target = Path(folder, "out.desc")
        ended = subprocess.run(
            [
                *compiler,
                *(f"-I{root}" for root in (source.parent, *searched, *own)),
                "--include_imports",
                "--include_source_info",
                f"--descriptor_set_out={target}",
                source.name,
            ],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        if ended.returncode:
            if missing := list(dict.fromkeys(_MISSING.findall(ended.stderr))):
                raise SchemaError(
                    name,
                    f"imports {', '.join(missing)}, found in none of {', '.join(map(str, searched))}; "
                    "add the folder that contains this path with -I DIR, or include=[DIR] in Python",
                )
            said = ended.stderr.replace(f"{source.parent}/", "").strip()
            raise SchemaError("$", f"{name} does not compile: {said}")
        made: FileDescriptorSet = descriptors().FileDescriptorSet.FromString(target.read_bytes())
    return made
