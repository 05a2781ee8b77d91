"""A QR code as squares, made here: a link to a class is drawn without asking anybody."""

from .problems import Problem

MOST = 1_732  # characters: what the densest code holds (version 30, 137 squares wide) that phones read from a screen


def squares(text: str) -> list[str]:
    """The rows of the QR code of a text, each a string of 1 (dark) and 0, without the quiet zone.

    Raises Problem where the text is too long. ISO/IEC 18004, by the package segno; error correction as high as fits.

    >>> rows = squares("https://example.org/?tab=tokens")
    >>> len(rows), rows[0][:8]
    (25, '11111110')
    """
    import segno

    try:
        code = segno.make_qr(text, error="l") if len(text) <= MOST else None
    except (segno.DataOverflowError, ValueError):  # not of characters that are one byte each
        code = None
    if code is None or int(code.version) > 30:
        raise Problem(
            "This link is too long for a QR code that phones can read from a screen.",
            "这个链接太长，做成二维码后手机难以从屏幕上扫出来。",
        )
    return ["".join("1" if dark else "0" for dark in row) for row in code.matrix]
