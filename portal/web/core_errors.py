"""Translates core's errors for people; core itself writes English clauses for programs."""

from string import Formatter

from flask_babel import gettext

from core.i18n.catalogs import N_

# A clause of core/ with its variable parts in braces, and the sentence shown instead.
MESSAGES = (
    (
        "phone must be digits only, country code first: {number}",
        N_("Enter the phone number with its country code, such as {number}."),
    ),
    (
        "phone must be digits only, country code first, such as {number}",
        N_("This is not a phone number. Enter it with its country code, such as {number}."),
    ),
    (
        "phone must have 8 to 15 digits, country code first, such as {number}",
        N_("A phone number must have 8 to 15 digits including its country code, such as {number}."),
    ),
    (
        "phone is too long for country code {code}",
        N_("This phone number is too long for country code {code}."),
    ),
    (
        "phone is too short for country code {code}",
        N_("This phone number is too short for country code {code}."),
    ),
    (
        "phone is not a possible number for country code {code}",
        N_("This phone number does not exist in country code {code}."),
    ),
    (
        "{host} is this machine, not a public address",
        N_("{host} is not on the public internet. Enter a publicly reachable address."),
    ),
    (
        "{address} is not a public address ({reason})",
        N_("{address} is not on the public internet. Enter a publicly reachable address."),
    ),
    (
        "the URL's host must be a full name with a dot, such as example.com",
        N_("Enter the full host name, such as example.com."),
    ),
    (
        "port {port} may not be called; allowed: {allowed}",
        N_("Port {port} cannot be used. Allowed ports: {allowed}."),
    ),
    (
        "the URL is longer than {most} characters",
        N_("The address can have at most {most} characters."),
    ),
    (
        "the URL contains a space, a backslash or a character that is not printed",
        N_("The address contains a space or another character that is not allowed."),
    ),
    (
        "the URL must begin with http:// or https:// and a host",
        N_("The address must start with http:// or https:// and include a host name."),
    ),
    (
        "the URL must not carry a user name or password",
        N_("The address must not contain a user name or password."),
    ),
    (
        "the URL's port must be 1 to 65535",
        N_("The port in the address must be between 1 and 65535."),
    ),
    (
        "the URL's {part}",
        N_("The host name in this address is not valid. Enter it like example.com."),
    ),
    (
        "the text contains a NUL character",
        N_("The text contains a character that cannot be stored."),
    ),
    (
        "the text contains half of a character (a lone surrogate)",
        N_("The text contains a character that cannot be stored."),
    ),
    (
        "{currency} is not the code of a currency, such as TRY",
        N_("Enter a currency code, such as TRY."),
    ),
    (
        "an amount is digits with a dot before the decimals, such as 12.50",
        N_("Enter the amount in digits, such as 12.50."),
    ),
    (
        "an amount in {currency} has at most {allowed} decimals",
        N_("An amount in {currency} can have at most {allowed} decimals."),
    ),
    (
        "the amount is too large to be written exactly as a JSON number",
        N_("The amount is too large."),
    ),
    ("the amount is not a number", N_("The amount is not a number.")),
    ("the amount is too large", N_("The amount is too large.")),
)


def core_error_message(clause: str) -> str:
    """The sentence in the reader's language; empty if the clause is not one of core's."""
    for known, sentence in MESSAGES:
        values = _values(known, clause)
        if values is not None:
            return str(gettext(sentence)).format(**values)
    return ""


def _values(known: str, clause: str) -> dict[str, str] | None:
    """The values at the `{name}` places of the known clause; None if it is another clause."""
    found: dict[str, str] = {}
    rest, name = clause, ""
    for literal, placeholder, _, _ in Formatter().parse(known):
        if name:
            value, separator, rest = rest.partition(literal) if literal else (rest, "x", "")
            if not separator or not value:
                return None
            found[name] = value
        elif not rest.startswith(literal):
            return None
        else:
            rest = rest[len(literal) :]
        name = placeholder or ""
    if name:
        found[name], rest = rest, ""
    return None if rest or not all(found.values()) else found
