"""GGUF files made by hand, as the format's specification has them."""

import struct

NUMBERS = {"B": 0, "b": 1, "H": 2, "h": 3, "I": 4, "i": 5, "f": 6, "?": 7, "Q": 10, "q": 11, "d": 12}


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def fact(name: str, value: object, kind: str = "I") -> bytes:
    """A fact whose value is a string, a list of strings, or a number or a list of numbers of that struct kind."""
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    if isinstance(value, list) and value and isinstance(value[0], str):
        return text(name) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    if isinstance(value, list):
        return text(name) + struct.pack(f"<IIQ{len(value)}{kind}", 9, NUMBERS[kind], len(value), *value)
    return text(name) + struct.pack(f"<I{kind}", NUMBERS[kind], value)


def tensor(name: str, shape: tuple[int, ...], kind: int, offset: int) -> bytes:
    """`shape` with the number of rows first, as numpy has it; the file has it the other way round."""
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, offset)


def gguf(
    facts: list[bytes], tensors: list[bytes], data: bytes = b"", version: int = 3, magic: bytes = b"GGUF"
) -> bytes:
    head = magic + struct.pack("<IQQ", version, len(tensors), len(facts)) + b"".join(facts) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + data


def q8_0(blocks: list[tuple[float, list[int]]]) -> bytes:
    """Blocks of a scale and 32 signed bytes."""
    return b"".join(struct.pack("<e32b", scale, *numbers) for scale, numbers in blocks)


TOKENS = ["<unk>", "<bos>", "<pad>", *(f"<0x{byte:02X}>" for byte in range(256)), "\n\n", "  "]
TOKENS += ["▁a", "ab", "▁ab", "aba", "\n", "▁", "a", "b", "今", "天", "今天"]


def sentencepiece_facts() -> list[bytes]:
    """A small vocabulary of Gemma's kind: ids by the order of merging, then single characters."""
    types = [3] * 3 + [6] * 256 + [4, 4] + [1] * (len(TOKENS) - 261)
    return [
        fact("tokenizer.ggml.model", "llama"),
        fact("tokenizer.ggml.pre", "default"),
        fact("tokenizer.ggml.tokens", TOKENS),
        fact("tokenizer.ggml.token_type", types, "i"),
        fact("tokenizer.ggml.bos_token_id", 1),
        fact("tokenizer.ggml.unknown_token_id", 0),
        fact("tokenizer.ggml.add_bos_token", True, "?"),
    ]
