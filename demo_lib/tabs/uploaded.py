"""Files that visitors send: only what Gradio has just put into its folder of uploads is one."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder
from gradio_client.utils import is_file_obj_with_meta, traverse

from demo_lib.problems import Problem


def uploaded(path: Any) -> Path:
    """Where an upload lies. Any other path of the server, an address, or whatever is no path raises Problem."""
    with suppress(OSError, ValueError, TypeError, RuntimeError):
        found, folder = Path(path).resolve(), Path(get_upload_folder()).resolve()
        if found.is_relative_to(folder) and found.is_file():
            return found
    raise Problem("A file did not arrive: upload it once more.", "有文件没有上传成功：请重新上传。")


def check(values: Any) -> None:
    """Raises Problem where a file among the values of an event is no upload: Gradio would even fetch an address."""
    traverse(values, lambda file: uploaded(file["path"]), is_file_obj_with_meta)
