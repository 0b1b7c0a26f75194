"""The machines that other tests reach by ssh."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager


def test_each_is_reached_by_its_name_and_has_its_own_environment(machine, tmp_path):
    """What is set for one holds for its next connections, and not for another's."""
    one, two = machine("one", HOME=str(tmp_path), SEED="1"), machine("two")

    assert f"{tmp_path} 1" == _run(one, "echo $HOME $SEED")
    assert "" == _run(two, "echo $SEED")
    one.set(SEED="2")
    assert "2" == _run(one, "echo $SEED")


def test_a_cut_connection_ends_for_the_client_and_a_crash_ends_all(machine):
    """After a cut it can be reached again, after a crash no more."""
    there = machine("one")
    with _begun(there) as (client, left):
        there.cut()
        assert 255 == client.wait()
        assert left.is_running()
        left.kill()

    with _begun(there) as (client, left):
        there.crash()
        assert 255 == client.wait()
        left.wait()


@contextmanager
def _begun(there):
    """Yield a client, and the process that it has started there: a shell that becomes `sleep`."""
    command = ["ssh", there.name, "echo; exec sleep 1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as client:
        try:
            client.stdout.readline()
            (left,) = [each for each in there.running() if not each.name().startswith("sshd")]
            yield client, left
        finally:
            client.kill()


def _run(there, command):
    return subprocess.check_output(["ssh", there.name, command], text=True).strip()
