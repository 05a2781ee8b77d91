"""The corpus report for programs."""

import json

from demo_lib import corpus as room
from demo_lib.problems import Problem
from demo_lib.tabs import page
from demo_lib.tabs.corpus_count import Count, of_files
from demo_lib.tabs.corpus_held import arrived


def corpus_report(files: list[dict], models: list[str], column: str | None = None) -> dict:
    """Count what files of text cost with each tokenizer; a document is a line of a .txt, all of a .md, a row of others.

    The files are deleted when the answer is made.

    Args:
        files: uploads, [handle_file(path), ...]: .txt .md .csv .tsv .jsonl .parquet, up to 50 of 100 MB together.
        models: one to four of llama-3.1, qwen2.5, qwen3.5, or ids of models on the Hugging Face Hub (org/name).
        column: the one with the text; null: text, content or the like, else the one with the longest texts.

    Returns:
        {documents, characters, bytes, han, empty, files, models, pairs, groups, bad, ...}: of each model its tokens,
        ratios with 95% intervals, lengths, scripts, most frequent tokens; of each pair the words that cost more in one.
    """
    with arrived(files) as held:
        if not isinstance(models, list) or not all(isinstance(model, str) for model in models):
            raise Problem("The models must be a list of names.", "models 必须是模型名称的列表。")
        if column is not None and not isinstance(column, str):
            raise Problem("The column must be the name of one.", "column 必须是列名。")
        report = Count().run(lambda cancel: of_files(held, models, cancel, column=column))
    return json.loads(room.to_json(report))


def build() -> None:
    page.offer(corpus_report, concurrency_id="corpus_report")
