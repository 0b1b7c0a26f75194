"""The machines that other tests reach by ssh."""

from __future__ import annotations

import subprocess


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
    with _begun(there, "echo; exec sleep 1000") as client:
        client.stdout.readline()
        (left,) = [process for process in there.running() if process.name() == "sleep"]
        there.cut()
        assert 255 == client.wait()
        assert left.is_running()
        left.kill()

    with _begun(there, "echo; exec sleep 1000") as client:
        client.stdout.readline()
        (left,) = [process for process in there.running() if process.name() == "sleep"]
        there.crash()
        assert 255 == client.wait()
        left.wait()


def _begun(there, command):
    return subprocess.Popen(["ssh", there.name, command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _run(there, command):
    return subprocess.check_output(["ssh", there.name, command], text=True).strip()
