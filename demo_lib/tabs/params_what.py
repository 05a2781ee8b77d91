"""What the ledger tab draws of a changed model, and of a text's cost."""

from collections.abc import Callable, Sequence

from demo_lib import params
from demo_lib.problems import Problem, Waiting
from demo_lib.tabs.params_draw import Cell, Column, line, refusal, table, w
from demo_lib.tabs.params_numbers import exact, flops, money, percent, signed, size


def _more(write: Callable[[float], str]) -> Callable[[float], str]:
    """How much more or less: the sign, then the number as it is written otherwise."""
    return lambda by: ("−" if by < 0 else "+") + write(abs(by))


def _points(by: float) -> str:
    return f"{100 * by:+.1f}".replace("-", "−")


_COUNT, _SIZE, _FLOPS = ((write, _more(write)) for write in ("{:,}".format, size, flops))
_SHARE = (percent, _points)
NAMED = 12  # words of a list that are shown
# What is compared before and after: how it is read, how it is written, and how the difference is
_SAME = {
    "rows": (lambda one: one.figures.rows, *_COUNT),
    "hidden": (lambda one: one.model.shape.hidden_size, *_COUNT),
    "input": (lambda one: one.model.parts.input_table, *_COUNT),
    "output": (lambda one: one.model.parts.output_table, *_COUNT),
    "both": (lambda one: one.figures.tables, *_COUNT),
    "total": (lambda one: one.figures.total, *_COUNT),
    "share": (lambda one: one.figures.share, *_SHARE),
    "tables_bf16": (lambda one: one.figures.tables_bytes("bf16"), *_SIZE),
    "forward": (lambda one: one.figures.forward_flops, *_FLOPS),
    "logits": (lambda one: one.figures.logits_flops, *_FLOPS),
    "logits_share": (lambda one: one.figures.logits_share, *_SHARE),
}


def what_if(one: Column, tied: str, rows, hidden) -> str:
    """A model as it is, and changed."""
    if one.problem:
        return table([one], {}, about=one.name)
    try:
        model = params.changed(one.model, rows=rows, hidden=hidden, tied={"tied": True, "untied": False}.get(tied))
    except Problem as problem:
        return refusal(problem, one.name)
    before, after = Column("is", w.both("as_it_is"), one.model), Column("if", w.both("what_if"), model)
    change = Column("by", w.both("change"), model)

    def cell(read: Callable, write: Callable, more: Callable) -> Callable[[Column], Cell]:
        def written(column: Column) -> Cell:
            if column is not change:
                return write(read(column))
            by = read(after) - read(before)
            return more(by) if by else "="

        return written

    rows_of = {name: cell(*how) for name, how in _SAME.items()}
    old, new = before.figures, after.figures
    key = "what_same" if model.parts == one.model.parts else "what_line"
    said = line(key, label=one.label, a=percent(old.share), b=percent(new.share), n=signed(new.total - old.total))
    return table([before, after, change], {"change": rows_of}, line=said, about=one.name)


def words(one: Column, count, typed: str, end: str) -> str:
    """Words of one's own, typed or only counted: rows, parameters, what is trained anew."""
    if one.problem:
        return table([one], {}, about=one.name)
    try:
        listed = params.look(typed, params.open_tokenizer(one.model, wait=False)) if typed.strip() else None
        made = params.add_words(one.model, len(listed.new) if listed else count, end)
    except Waiting as waiting:
        return table([Column(one.name, one.label, problem=waiting)], {}, about=one.name)
    except Problem as problem:
        return refusal(problem, one.name)
    tied, none = one.model.shape.tie_word_embeddings, not one.figures.output_rows
    rows = _typed(listed) | {
        "words_free": f"{made.free:,}",
        "words_rows": f"{made.rows:,}",
        "words_padded": f"{made.padded:,}",
        "words_input": f"{made.input_parameters:,}",
        "words_output": w.both("the_same" if tied else "no_output") if tied or none else f"{made.output_parameters:,}",
        "words_trained": f"{made.trained:,}",
    }
    key = "words_tied" if tied else "words_none" if none else f"words_{end}"
    cells = {name: lambda _, value=value: value for name, value in rows.items()}
    return table([one], {"words": cells}, foot=[w.both(key), w.both("words_note")], about=one.name)


def _typed(listed: params.Listed | None) -> dict[str, Cell]:
    """The words of a list: how many of them are new, and the first of the others."""
    if listed is None:
        return {}

    def some(words: Sequence[str]) -> Cell:
        shown = [word if len(word) <= 24 else word[:23] + "…" for word in words[:NAMED]]
        return {"t": f"{len(words):,}", "s": ", ".join([*shown, *(["…"] if len(words) > NAMED else [])])}

    single = [f"{word} ({id})" for word, id in listed.single]
    lists = {"words_single": single, "words_repeated": listed.repeated, "words_new": listed.new}
    return {"words_typed": f"{listed.typed:,}"} | {name: some(words) for name, words in lists.items()}


def costs(made: Sequence[Column], text: str, context, prices: str) -> str:
    """What a text costs each of the models, and which is cheaper."""
    try:
        params.check(text)
        paid = params.read_prices(prices, len(made))
        found = [_cost(one, text, context, price) for one, price in zip(made, paid, strict=True)]
    except Problem as problem:
        return refusal(problem, [one.name for one in made])
    counted = {one.name: cost for one, cost in found if cost}
    of = lambda one: counted[one.name]  # noqa: E731
    rows: dict[str, Callable[[Column], Cell]] = {
        "text_tokens": lambda one: f"{of(one).tokens:,}",
        "per_token": lambda one: f"{len(text) / of(one).tokens:.2f}",
        "token_flops": lambda one: flops(of(one).per_token),
        "logits_share": lambda one: percent(of(one).figures.logits_share),
        "text_flops": lambda one: exact(of(one).flops, flops),
        "char_flops": lambda one: flops(of(one).flops / len(text)),
        "text_kv": lambda one: exact(of(one).kv_bytes, size),
        "context_kv": lambda one: size(of(one).figures.kv_cache(int(context))),
        "fits": lambda one: w.both("characters", n=f"{of(one).fits:,}"),
        "price": lambda one: None if of(one).price is None else money(of(one).price),
    }
    said = [_cheaper(list(counted.values())), _prices(list(counted.values()))]
    said = [one for one in said if one]
    sentence = {lang: " ".join(one[lang] for one in said) for lang in ("en", "zh")} if said else None
    about = str([one.name for one in made])
    return table([one for one, _ in found], {"text": rows}, line=sentence, foot=[w.both("note_costs")], about=about)


def _cost(one: Column, text: str, context, price) -> tuple[Column, params.Cost | None]:
    """The column and its cost; a column whose tokens cannot be counted says why."""
    if one.problem:
        return one, None
    try:
        return one, params.cost(text, one.model, one.label, context, price, wait=False)
    except params.FieldProblem:
        raise
    except Problem as problem:
        return Column(one.name, one.label, problem=problem), None


def _cheaper(found: list[params.Cost]) -> dict | None:
    pair = params.ends(found, "flops")
    if pair is None:
        return None
    a, b = pair
    if a.flops == b.flops:
        return line("cost_same", n=flops(a.flops))
    given = {"less": percent(1 - a.flops / b.flops), "a": a.label, "b": b.label}
    each = {"n": f"{a.tokens:,}", "m": f"{b.tokens:,}", "x": flops(a.per_token), "y": flops(b.per_token)}
    return line("cost_line", **given, **each, p=flops(a.flops), q=flops(b.flops))


def _prices(found: list[params.Cost]) -> dict | None:
    pair = params.ends(found, "price") if found and found[0].price is not None else None
    if pair is None or not pair[1].price:
        return None
    a, b = pair
    if a.price == b.price:
        return line("price_same", p=money(a.price))
    return line(
        "price_line", a=a.label, b=b.label, less=percent(1 - a.price / b.price), p=money(a.price), q=money(b.price)
    )
