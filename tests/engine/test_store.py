import datetime
import json
from decimal import Decimal

import pytest

from paws_components.engine.runs import remove, to_remove
from paws_components.engine.store import Entry, RunFolder, Shard, dumps, loads, read_shard
from paws_components.errors import PawsError
from paws_components.storage import LocalFolder, StoreError

MANIFEST = {"command": "test", "settings": {"beam": 5, "names": ("a", "b")}}
ENTRIES = [Entry("f", 1, [{"a": 1}]), Entry("f", 2), Entry("f", 3, None, "broken", "ra\udcffw")]


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path / "o.run", MANIFEST)
    add(made, Shard(0, 3, 1, 1, "one"), ENTRIES)
    add(made, Shard(3, 1, 1, 0, "two"), ENTRIES[:1])
    made.release()
    return made


def add(folder, shard, entries):
    folder.place.write(shard, entries)
    folder.keep(shard)


def file_of(folder, number):
    return folder.path / folder.shards[number].name


def again(folder, manifest=MANIFEST, **options):
    found = RunFolder(folder.path, manifest, **options)
    found.release()
    return found


def test_goes_on_where_it_was(folder):
    found = again(folder)
    assert found.rows == 4 and [shard.digest for shard in found.shards] == ["one", "two"]
    assert list(found.entries()) == [*ENTRIES, ENTRIES[0]]
    assert (found.shards[0].found, found.shards[0].errors) == (1, 1)


def test_other_settings_are_refused_with_the_difference(folder):
    with pytest.raises(PawsError, match=r"P030(.|\n)*settings.beam: 5 then, 7 now(.|\n)*--fresh") as error:
        again(folder, {"command": "test", "settings": {"beam": 7, "names": ["a", "b"]}})
    assert "names" not in str(error.value)
    assert again(folder, {"command": "other"}, fresh=True).rows == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"notes": 3}', "[" * 100_000])
def test_a_damaged_manifest_is_one_clear_error(folder, text):
    (folder.path / "manifest.json").write_text(text, encoding="utf8")
    with pytest.raises(PawsError, match="P035.*--fresh"):
        again(folder)


@pytest.mark.parametrize("damage", [b"", b"half a li", b"[0, 1, 2, 3]\n", b"\xff\xfe\n"])
def test_a_damaged_shard_is_done_again_and_those_after_it_stay(folder, damage):
    file_of(folder, 0).write_bytes(damage)
    found = again(folder)
    assert [shard.digest for shard in found.shards] == ["two"]
    assert [path.name for path in folder.path.glob("0*.jsonl")] == ["000000000003.jsonl"]


def test_of_two_shards_with_the_same_rows_one_goes(folder):
    folder.place.write(Shard(2, 2, 0, 0, "other"), ENTRIES[:2])
    assert [shard.digest for shard in again(folder).shards] == ["one", "two"]


def test_whoever_worked_for_an_earlier_run_writes_nothing_more(folder):
    assert folder.place.is_seen()
    again(folder)
    assert not folder.place.is_seen()
    with pytest.raises(PawsError, match="P056"):
        folder.place.write(Shard(4, 1, 1, 0, "late"), ENTRIES[:1])
    assert not (folder.path / "000000000004.jsonl").exists()


def test_a_store_that_does_not_answer_is_not_taken_for_a_run_that_is_gone(folder, monkeypatch):
    def read(self, name):
        raise StoreError("the store failed again and again")

    monkeypatch.setattr(LocalFolder, "read", read)
    assert not folder.place.is_seen()
    with pytest.raises(StoreError, match="again and again"):
        folder.place.write(Shard(4, 1, 1, 0, "late"), ENTRIES[:1])


def test_a_shard_that_lost_its_end_is_noticed(folder):
    data = file_of(folder, 1).read_bytes()
    file_of(folder, 1).write_bytes(data[:-5])
    assert read_shard(folder.files, folder.shards[1].name) is None
    assert again(folder).rows == 3


def test_two_runs_at_once(folder):
    first = RunFolder(folder.path, MANIFEST)
    with pytest.raises(PawsError, match="P031"):
        RunFolder(folder.path, MANIFEST)
    first.release()
    assert again(folder).rows == 4


def test_notes_are_kept(folder):
    found = again(folder)
    found.note(full={"right": 3})
    assert again(folder).notes == {"full": {"right": 3}}


def test_what_json_does_not_know_comes_back():
    row = {
        "when": datetime.datetime(2024, 1, 2, 3, 4, 5),
        "day": datetime.date(2024, 1, 2),
        "at": datetime.time(3, 4),
        "long": datetime.timedelta(seconds=90),
        "price": Decimal("1.10"),
        "raw": b"\xff",
        "nested": [{"day": datetime.date(2024, 1, 2)}],
        "plain": 0.1 + 0.2,
    }
    assert loads(dumps(row)) == row
    json.loads(dumps(row))


def test_shards_without_a_manifest_are_nothing_to_go_on_with(folder):
    """A run was killed while it cleaned up; its shards are not those of the next run."""
    (folder.path / "manifest.json").unlink()
    assert again(folder, {"command": "other"}).rows == 0
    assert again(folder, {"command": "other"}).rows == 0 and not list(folder.path.glob("0*.jsonl"))


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    mine = tmp_path / "o.run" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("precious")
    for fresh in (False, True):
        with pytest.raises(PawsError, match="P040"):
            RunFolder(mine.parent, MANIFEST, fresh)
    assert mine.read_text() == "precious"


@pytest.mark.parametrize("after", ["the same again", "fresh", "removed"])
def test_a_folder_that_was_to_be_replaced_is_there_again_after_a_kill(folder, after):
    """Killed between the two steps in which one folder takes the place of another."""
    output, taken = folder.path.with_name("o"), folder.path / "output" / "replaced"
    taken.mkdir(parents=True)
    (taken / "shard-000.jsonl").write_text("earlier\n")
    if after == "removed":
        remove(to_remove(str(output)))
    else:
        again(folder, fresh=after == "fresh")
    assert (output / "shard-000.jsonl").read_text() == "earlier\n"


def test_starting_over_waits_for_whoever_works_there(folder):
    first = RunFolder(folder.path, MANIFEST)
    with pytest.raises(PawsError, match="P031"):
        RunFolder(folder.path, MANIFEST, fresh=True)
    assert first.rows == 4 and list(folder.path.glob("0*.jsonl"))
    first.release()
