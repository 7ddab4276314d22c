"""The texts of `golden.json`, written out here so that the table holds names and counts only."""

from __future__ import annotations

ENGLISH = (
    "Refunds over 100 EUR need a manager's approval; smaller ones you may grant yourself, once per order. "
    "Don't quote the policy word for word, and never promise a date you can't keep.\n"
)
CODE = (
    "def total(items: list[Item], *, tax: float = 0.19) -> Decimal:\n"
    '    """Sum of `items`, with tax."""\n'
    "    return sum((i.price * i.n for i in items), Decimal(0)) * (1 + tax)  # rounding: HALF_EVEN\n\n\n"
)
JSON = (
    '{"id":"ord_8842","items":[{"sku":"A-17","qty":3,"price":12.50},{"sku":"B-2","qty":1,"price":0.99}],'
    '"paid":true,"note":null,"at":"2026-11-30T09:15:00Z"}\n'
)
CJK = (
    "请先核实客户的订单号，再决定是否退款。金额超过一百元时须由主管批准。"
    "配送が遅れた場合は、まずお詫びを述べてください。환불은 영업일 기준 3일 안에 처리됩니다.\n"
)
EMOJI = "Shipped 📦✅ — thanks! 👩‍💻👨‍👩‍👧‍👦 🇩🇪🇯🇵 ❤️‍🔥 naïve café déjà-vu 🤷🏽‍♀️ ½ ≠ ∑\n"
SCRIPTS = (
    "Проверьте номер заказа. Ελέγξτε την παραγγελία. تحقق من رقم الطلب. בדוק את ההזמנה. "
    "कृपया ऑर्डर संख्या जाँचें। โปรดตรวจสอบคำสั่งซื้อ\n"
)
BLANKS = "a  b   c\t\td\n\n\n   indented\n\t\ttabs \n \n" + " " * 37 + "x" + "\n" * 9 + "\r\n\r\n end  "
MARKUP = (
    '<h1>Title</h1>\n<table><tr><td>1</td></tr></table>\n<p class="x">A &amp; B</p>\n'
    "[link](https://example.org/a?b=c&d=%20#e)\n| a | b |\n|---|---|\n"
)
NUMBERS = (
    "550e8400-e29b-41d4-a716-446655440000 order_51Hx9 0xDEADBEEF 1234567890123 3.14159265358979 v2.10.3-rc.1 "
    "AAAAB3NzaC1yc2E\n"
)
ODD = "\u00a0non\u200bbreaking\ufeff \u202eRTL\u202c e\u0301 \u1e69 \x00\x01\x7f \ufffd\U0010ffff\n"
PROMPT = (
    "You are support. Answers questions about orders.\n\nYou can hand this conversation to another agent by calling "
    "the transfer_to_agent tool with its name:\n- billing: Refunds and invoices.\n- tech: Errors.\n"
)

MIXED = ENGLISH + CODE + JSON + CJK + EMOJI + SCRIPTS + MARKUP + NUMBERS


def samples() -> dict[str, str]:
    """The texts by their names."""
    return {
        "nothing": "",
        "one letter": "a",
        "one blank": " ",
        "English": ENGLISH,
        "a prompt": PROMPT,
        "code": CODE,
        "JSON": JSON,
        "Chinese, Japanese, Korean": CJK,
        "emoji and accents": EMOJI,
        "other scripts": SCRIPTS,
        "runs of blanks": BLANKS,
        "markup": MARKUP,
        "identifiers and numbers": NUMBERS,
        "odd characters": ODD,
        "a lone surrogate": "a\ud800b",
        "32 KB of all": MIXED * 20,
        "1 MB of English": ENGLISH * 5900,
        "1 MB of code": CODE * 4900,
    }
