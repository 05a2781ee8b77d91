"""Files that a visitor has uploaded, in a folder of their own until they are counted or the page is closed."""

import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demo_lib import corpus as room
from demo_lib.problems import Problem
from demo_lib.tabs.uploaded import uploaded
from demo_lib.tabs.widgets import say

LIMIT = 100 * 10**6  # bytes of all files together
MANY = 50  # files


@dataclass(frozen=True)
class File:
    """`key` is the page's own number for it; `name` is what the visitor calls it."""

    key: int
    name: str
    path: Path


@dataclass(frozen=True)
class Held:
    """Files, and the folder that goes with them. `lent`: they are being counted, and go when that is over."""

    folder: room.Passing = field(default_factory=room.Passing)
    files: tuple[File, ...] = ()
    lent: threading.Event = field(default_factory=threading.Event)

    def close(self) -> None:
        self.folder.cleanup()

    @property
    def there(self) -> bool:
        return all(one.path.exists() for one in self.files)


def name_of(said: Any) -> str:
    """A file's name without a path; its end stays, where its kind stands."""
    return Path(str(said or "").replace("\\", "/")).name[-80:] or "file"


def _take(found: Path, place: Path) -> None:
    """Out of Gradio's folder, where somebody who uploads the same file at this moment would find it or lose it."""
    shutil.move(found, place)
    with suppress(OSError):
        found.parent.rmdir()


def check_size(sizes: Sequence[int]) -> None:
    if len(sizes) > MANY:
        raise Problem(
            f"{len(sizes)} files are chosen and the most is {MANY}: count them with python -m demo_lib.corpus.",
            f"选择了 {len(sizes)} 个文件，最多 {MANY} 个：请使用 python -m demo_lib.corpus。",
        )
    if sum(sizes) > LIMIT:
        raise Problem(
            f"The files have {sum(sizes) / 1e6:,.1f} MB together and this page takes {LIMIT // 10**6}: "
            "count them with python -m demo_lib.corpus.",
            f"这些文件共 {sum(sizes) / 1e6:,.1f} MB，本页最多 {LIMIT // 10**6} MB：请使用 python -m demo_lib.corpus。",
        )


def hold(before: Held | None, wanted: Sequence[dict]) -> Held | None:
    """The files that are on the page now: {key, name, path}, without a path where it is held already.

    Those that are on the page no more are deleted. Uploads that cannot be taken are deleted too, and raise Problem.
    """
    kept = {one.key: one for one in before.files} if before and not before.lent.is_set() else {}
    same = before if any(one["key"] in kept for one in wanted) else None
    if kept and not same:
        before.close()
    if not wanted:
        return None
    paths = {one["key"]: uploaded(one["path"]) for one in wanted if one.get("path")}
    if any(one["key"] not in paths and one["key"] not in kept for one in wanted):
        _drop(paths.values())
        raise Problem("A file is no longer here: choose it once more.", "有文件已不在这里：请重新选择。")
    try:
        check_size([(paths.get(one["key"]) or kept[one["key"]].path).stat().st_size for one in wanted])
    except Problem:
        _drop(paths.values())
        raise
    held, files = same or Held(), []
    for one in wanted:
        if one["key"] in paths:
            place = Path(held.folder.name, f"{int(one['key'])}")
            _take(paths[one["key"]], place)
            files.append(File(one["key"], name_of(one["name"]), place))
        else:
            files.append(kept[one["key"]])
    for gone in set(kept.values()) - set(files):
        gone.path.unlink(missing_ok=True)
    return Held(held.folder, tuple(files), held.lent)


def _drop(paths) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
        with suppress(OSError):
            path.parent.rmdir()


@contextmanager
def arrived(files: Any) -> Iterator[Held]:
    """Files of a call from a program, as gradio_client's handle_file sends them; deleted at the end, whatever comes."""
    files = [files] if isinstance(files, dict) else files
    if not isinstance(files, list) or not files or not all(isinstance(one, dict) and "path" in one for one in files):
        raise Problem(
            "The files must be a list of uploads: [handle_file(path), ...] with gradio_client.",
            "files 必须是上传文件的列表：在 gradio_client 中写作 [handle_file(路径), ...]。",
        )
    paths = [uploaded(one["path"]) for one in files]
    wanted = [
        {"key": i, "name": one.get("orig_name") or path.name, "path": str(path)}
        for i, (one, path) in enumerate(zip(files, paths, strict=True))
    ]
    held = hold(None, wanted)
    try:
        yield held
    finally:
        held.close()


def options(split: str, column: str, by: str, encoding: str) -> dict[str, str | None]:
    """What the fields say, as the room takes it."""
    return {"split": split or None, "column": column or None, "by": by or None, "encoding": encoding or None}


def looks(held: Held | None, **chosen: str | None) -> list[dict]:
    """Each file as the page shows it: what it is, or in a sentence why it cannot be counted."""
    return [_look(one, chosen) for one in (held.files if held else ())]


def _look(one: File, chosen: dict) -> dict:
    row = {"key": one.key, "name": one.name}
    try:
        (look,) = room.look([str(one.path)], [one.name], **chosen)
    except Problem as problem:
        return row | {"problem": say(problem)}
    facts = {name: getattr(look, name) for name in ("kind", "size", "encoding", "columns", "column", "split", "sample")}
    return row | facts | {"guess": bool(look.encoding) and not chosen["encoding"] and look.encoding[:3] != "utf"}


def forget(root, components: Sequence, session: str) -> None:
    """What Gradio keeps of a visitor's corpus, files and values, goes when the page is closed, not an hour later."""
    found = root.state_holder.session_data.get(session)
    for component in components if found else ():
        kept = found.state_data.pop(component._id, None)
        if isinstance(kept, Held):
            kept.close()
        found.config_values.pop(component._id, None)
