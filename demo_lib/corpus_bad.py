"""Lines that are no document: what is wrong with one, in a sentence that names file and line."""

from .corpus_read import Bad
from .problems import Problem

KINDS = ("json", "missing", "type", "surrogate", "ragged", "quote", "encoding", "long")


def sentence(bad: Bad, name: str, line: int) -> Problem:
    """What an editor's line `line` of the file `name` has; the same in both languages."""
    en, zh = _what(bad.kind, *bad.detail)
    return Problem(f"{name}, line {line:,}: {en}.", f"{name} 第 {line:,} 行：{zh}。")


def _what(kind: str, *detail) -> tuple[str, str]:
    match kind, detail:
        case "json", (column,):
            return f"not JSON, from character {column:,} on", f"从第 {column:,} 个字符起不是 JSON"
        case "missing", (None,):
            return "an object, where the first lines are texts", "这里是对象，而开头各行是文本"
        case "missing", (column,):
            return f"no field {column[:40]}", f"没有字段 {column[:40]}"
        case "type", (name,):
            kinds = {"list": ("a list", "列表"), "dict": ("an object", "对象"), "bool": ("true or false", "真假值")}
            en, zh = kinds.get(name, ("a number", "数字"))
            return f"{en} where a text should be", f"应为文本，却是{zh}"
        case "surrogate", ():
            return "half of a surrogate pair, which is no character", "含有半个代理对，它不是字符"
        case "ragged", (found, wanted):
            fields = "1 field" if found == 1 else f"{found:,} fields"
            return f"{fields} where the first row has {wanted:,}", f"有 {found} 个字段，而首行有 {wanted} 个"
        case "quote", ():
            return "a quotation mark that is never closed", "引号没有闭合"
        case "encoding", (codec, place):
            return f"byte {place:,} is not {codec}", f"第 {place:,} 个字节不是 {codec} 编码"
        case "long", (most,):
            return f"longer than {most:,} MB, the most for one document", f"超过了单个文档 {most:,} MB 的上限"
    raise ValueError(kind)
