"""Numbers as the ledger tab writes them, with their units."""

import math
from collections.abc import Callable


def _scaled(number: float, units: str, name: str) -> str:
    power = 0
    while number >= 999.5 and power < len(units) - 1:
        number, power = number / 1000, power + 1
    digits = 0 if power == 0 and number == int(number) else max(0, 3 - len(str(int(number))))
    return f"{number:,.{digits}f} {units[power].strip()}{name}"


def size(count: float) -> str:
    """
    >>> size(1_050_673_152), size(999)
    ('1.05 GB', '999 B')
    """
    return _scaled(count, " KMGTP", "B")


def flops(count: float) -> str:
    return _scaled(count, " KMGTPE", "FLOPs")


def percent(share: float) -> str:
    """
    >>> percent(0.1308), percent(0.00276)
    ('13.1%', '0.28%')
    """
    return f"{100 * share:.{1 if share >= 0.00995 else 2}f}%"


def exact(count: int, read: Callable[[float], str]) -> dict[str, str]:
    return {"t": read(count), "s": f"{count:,}"}


def signed(number: int) -> str:
    """
    >>> signed(-1000)
    '−1,000'
    """
    return f"{number:+,}".replace("-", "−")


def money(price: float) -> str:
    """A price in plain decimals, with three digits that count.

    >>> money(7.5e-06), money(1234567.891), money(0.25), money(0)
    ('0.0000075', '1,234,567.89', '0.25', '0')
    """
    digits = 2 if price >= 1 or not price else 2 - math.floor(math.log10(price))
    whole, _, rest = f"{price:,.{digits}f}".partition(".")
    rest = rest.rstrip("0")
    return f"{whole}.{rest.ljust(2, '0') if price >= 1 else rest}" if rest else whole
