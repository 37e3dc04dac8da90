"""Times, hexadecimal, decimal numbers and Base64: one spelling per value."""

from __future__ import annotations

from tests.lies.times import NOT_A_TIME
from tests.recipes import Case, Format, invalid, valid

DIGITS = "0123456789abcdef" * 4

_TIME_BUGS = {
    "the 30th of February": "a pattern in the place of a calendar",
    "the 29th of February of a common year": "a calendar without leap years",
    "the 29th of February 2100": "a calendar in which every fourth year is a leap year",
    "hour 24": "a reader of ISO 8601, which knows the hour 24",
    "second 60": "a reader that knows leap seconds",
    "no zone": "a reader that takes a time without zone for UTC or for local time",
    "an offset for a zone": "a reader that takes every spelling of UTC",
    "two decimals": "a reader that takes any number of decimals; such times do not compare as text",
    "a space before": "a reader that trims",
    "a space after": "a reader that trims",
    "a sign": "a reader that makes numbers of the parts with a lenient function",
    "a space for a digit": "a reader that makes numbers of the parts with a lenient function",
}

TIMES: list[Case] = [
    valid("the example of the specification", {"text": "2026-11-20T22:49:01.123Z"}),
    valid("the first moment", {"text": "2000-01-01T00:00:00.000Z"}),
    valid("the last moment", {"text": "2999-12-31T23:59:59.999Z"}),
    valid("a leap day", {"text": "2028-02-29T12:00:00.000Z"}),
    valid("a leap day of a century", {"text": "2400-02-29T12:00:00.000Z"}),
    *(
        invalid(name, {"text": text}, _TIME_BUGS.get(name, f"a reader that accepts {name}"))
        for name, text in NOT_A_TIME.items()
        if isinstance(text, str)
    ),
    invalid(
        "digits of another script",
        {"text": "\uff12\uff10\uff12\uff16-11-20T22:49:01.123Z"},
        "a pattern whose \\d matches the digits of every script",
    ),
    invalid(
        "a line feed after", {"text": "2026-11-20T22:49:01.123Z\n"}, "a pattern whose $ matches before a line feed"
    ),
]

HEX: list[Case] = [
    valid("32 bytes", {"text": DIGITS, "size": 32}),
    valid("48 bytes", {"text": DIGITS + DIGITS[:32], "size": 48}),
    valid("zeros", {"text": "0" * 64, "size": 32}),
    *(
        invalid(name, {"text": text, "size": 32}, catches)
        for name, text, catches in (
            ("upper case", DIGITS.upper(), "a reader that takes both cases, so that one hash has many spellings"),
            ("one digit in upper case", DIGITS[:-1] + "F", "a reader that takes both cases"),
            ("a space between bytes", DIGITS[:2] + " " + DIGITS[2:], "a reader that skips white space between bytes"),
            ("a space before", " " + DIGITS, "a reader that trims"),
            ("a line feed after", DIGITS + "\n", "a reader that trims, or a pattern whose $ matches before it"),
            ("a digit too few", DIGITS[:-1], "a reader that fills up with zeros"),
            ("a digit too many", DIGITS + "0", "a reader that drops what is over"),
            ("a byte too few", DIGITS[:-2], "a reader that takes any length"),
            ("a byte too many", DIGITS + "00", "a reader that takes any length"),
            ("nothing", "", "a reader that takes any length"),
            ("a prefix 0x", "0x" + DIGITS[2:], "a reader of numbers in the place of a reader of bytes"),
            (
                "an underscore",
                DIGITS[:31] + "_" + DIGITS[32:],
                "a reader of numbers in the place of a reader of bytes",
            ),
            ("a letter that is no digit", DIGITS[:-1] + "g", "a reader that ignores what it does not know"),
            ("a digit of another script", DIGITS[:-1] + "\uff11", "a reader that takes the digits of every script"),
        )
    ),
]

DECIMALS: list[Case] = [
    *(valid(f"the number {text}", {"text": text}) for text in ("0", "7", "10", "1234067", str((1 << 63) - 1))),
    *(
        invalid(name, {"text": text}, catches)
        for name, text, catches in (
            ("2 to the 63rd", str(1 << 63), "a number of 64 bits that wraps around, or one without limit"),
            ("twenty digits", "1" + "0" * 19, "a number of 64 bits that wraps around, or one without limit"),
            ("a leading zero", "012", "a reader that skips leading zeros, or reads octal"),
            ("two zeros", "00", "a reader that skips leading zeros"),
            ("a plus", "+5", "a reader that takes a sign"),
            ("a minus", "-5", "a reader that takes a sign"),
            ("minus zero", "-0", "a reader that takes a sign"),
            ("an underscore", "1_000", "int() of Python, which takes underscores"),
            ("a space before", " 5", "int() of Python, which trims"),
            ("a line feed after", "5\n", "a pattern whose $ matches before a line feed"),
            ("digits of another script", "\uff15", "int() of Python, which takes the digits of every script"),
            ("a point", "5.0", "a reader of floating point numbers"),
            ("an exponent", "1e3", "a reader of floating point numbers"),
            ("hexadecimal", "0x5", "a reader that guesses the base"),
            ("nothing", "", "a reader that takes nothing for 0"),
        )
    ),
]

BASE64: list[Case] = [
    valid("one byte", {"text": "AA=="}, {"hex": "00"}),
    valid("two bytes", {"text": "AAE="}, {"hex": "0001"}),
    valid("three bytes", {"text": "+/+/"}, {"hex": "fbffbf"}),
    *(
        invalid(name, {"text": text}, catches)
        for name, text, catches in (
            ("loose bits, one byte", "AB==", "a decoder that ignores the bits behind the last byte"),
            ("loose bits, two bytes", "AAB=", "a decoder that ignores the bits behind the last byte"),
            ("no padding", "AAE", "a decoder that does without padding"),
            ("too much padding", "AAE==", "a decoder that stops at the first ="),
            ("padding in the middle", "AA==AAEC", "a decoder that goes on behind padding"),
            ("the alphabet for addresses", "-_-_", "a decoder that takes both alphabets"),
            ("a space", "AA ==", "a decoder that skips what it does not know"),
            ("a line feed in it", "AAEC\nAAEC", "a decoder for mail, which skips line feeds"),
            ("a line feed after", "AAE=\n", "a decoder that trims"),
            ("a character of no alphabet", "AA!A=", "a decoder that skips what it does not know"),
            ("nothing", "", "a decoder for which no bytes are bytes"),
        )
    ),
]

FORMATS = [
    Format("time", "parse", "4.1", lambda: TIMES),
    Format("hex", "parse", "4.1", lambda: HEX),
    Format("decimal", "parse", "5.1", lambda: DECIMALS),
    Format("base64", "parse", "5.1", lambda: BASE64),
]
