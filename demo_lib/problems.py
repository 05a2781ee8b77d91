"""Problem: what is wrong and what to do, in one sentence, in the two languages of the page."""


class Problem(ValueError):
    """A mistake that the person at the page can mend.

    The sentence stands where the mistake is found, in both languages, so that the page, the API and the
    command line say the same. `str(problem)` is the English.

    >>> Problem("The text is empty.", "文本是空的。").say("zh-CN")
    '文本是空的。'
    """

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.zh = zh

    def __reduce__(self):
        return type(self), (str(self), self.zh)

    def say(self, lang: str) -> str:
        """The sentence in `lang`: Chinese for any zh, English for everything else."""
        return self.zh if lang.lower().startswith("zh") else str(self)


class Waiting(Problem):
    """What is asked for is still being opened or fetched, and whoever asks does not want to wait."""

    def __init__(self, *_: str) -> None:
        super().__init__("This is still loading: try again in a moment.", "还在加载：请稍后再试。")
