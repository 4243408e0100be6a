"""The rate card of 1 October 2026, free allowances and volume tiers, each with its source."""

from alembic import op
from sqlalchemy import text

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

SINCE = "2026-10-01"
CHECKED = "2026-11-16"
# What is known about the rows of 0004 and 0009 before October, by their first day.
OLDER = {
    "2025-07-01": "WhatsApp rate card of 1 July 2025",
    "2026-01-01": "WhatsApp rate card of 1 January 2026, reported by two providers",
}
CARD = "WhatsApp USD rate card of 1 October 2026, public copy of 9 October 2026"
# US dollars for one delivered message: marketing, and utility = authentication = service.
MARKETS = {
    "AR": ("0.0618", "0.0260"),
    "BD": ("0.0732", "0.0037"),
    "BR": ("0.0625", "0.0068"),
    "CL": ("0.0889", "0.0200"),
    "CO": ("0.0125", "0.0008"),
    "EG": ("0.0644", "0.0036"),
    "FR": ("0.0859", "0.0300"),
    "DE": ("0.1365", "0.0550"),
    "HK": ("0.0732", "0.0260"),
    "HU": ("0.0860", "0.0350"),
    "IN": ("0.0118", "0.0014"),
    "ID": ("0.0411", "0.0250"),
    "IQ": ("0.0341", "0.0079"),
    "IL": ("0.0353", "0.0053"),
    "IT": ("0.0795", "0.0300"),
    "KZ": ("0.0604", "0.0180"),
    "KW": ("0.0792", "0.0440"),
    "MY": ("0.0860", "0.0140"),
    "MX": ("0.0397", "0.0085"),
    "MA": ("0.0414", "0.0230"),
    "NL": ("0.1597", "0.0500"),
    "NP": ("0.0732", "0.0034"),
    "NG": ("0.0516", "0.0067"),
    "OM": ("0.0341", "0.0247"),
    "PK": ("0.0473", "0.0150"),
    "PE": ("0.0703", "0.0300"),
    "PL": ("0.0366", "0.0122"),
    "QA": ("0.0341", "0.0120"),
    "RO": ("0.0860", "0.0290"),
    "RU": ("0.0802", "0.0400"),
    "SA": ("0.0576", "0.0107"),
    "SG": ("0.0732", "0.0160"),
    "ZA": ("0.0379", "0.0095"),
    "ES": ("0.0707", "0.0200"),
    "LK": ("0.0732", "0.0020"),
    "TR": ("0.0109", "0.0009"),
    "UA": ("0.0860", "0.0298"),
    "AE": ("0.0576", "0.0157"),
    "GB": ("0.0635", "0.0220"),
    "other": ("0.0604", "0.0077"),
}
REGIONS = {
    "US CA": ("0.0250", "0.0034"),
    "DZ AO BJ BW BF BI CM TD CG ER ET GA GM GH GW CI KE LS LR LY MG MW ML MR MZ NA NE RW SN SL SO"
    " SS SD SZ TZ TG TN UG ZM ZW": ("0.0225", "0.0040"),
    "AF AU KH CN JP LA MN NZ PG PH TW TJ TH TM UZ VN": ("0.0842", "0.0113"),
    "AL AM AZ BY BG HR CZ GE GR LV LT MD MK RS SK SI": ("0.0860", "0.0212"),
    "AT BE DK FI IE NO PT SE CH": ("0.0592", "0.0171"),
    "BO CR DO EC SV GT HT HN JM NI PA PY PR UY VE": ("0.0740", "0.0113"),
    "BH JO LB YE": ("0.0392", "0.0091"),
}
# Name, first day, amount, source. The names are explained in messaging/costs/rates.py.
ALLOWANCES = (
    ("utility_in_window", "2025-07-01", 1, "WhatsApp pricing page of 30 March 2026"),
    ("entry_point_hours", "2025-07-01", 72, "WhatsApp pricing page of 30 March 2026"),
    (
        "utility_in_window",
        SINCE,
        0,
        "YCloud, 2 July 2026, and other providers; a public copy of the card says it is still free",
    ),
    (
        "service_messages",
        SINCE,
        1000,
        "Public copy of the WhatsApp rate card, 9 October 2026; TheChatFlow, 11 September 2026",
    ),
)
# Pakistan is the only market whose tier prices are known, and only until 30 September 2026.
PAKISTAN = "TheChatFlow, 11 September 2026, about the WhatsApp rate card of 1 July 2026"
PAKISTAN_SINCE = "2026-07-01"
PAKISTAN_PRICE = "0.0100"
PAKISTAN_TIERS = {
    150_001: "0.0095",
    1_000_001: "0.0090",
    4_000_001: "0.0085",
    25_000_001: "0.0080",
    50_000_001: "0.0075",
}
TIERED = ("utility", "authentication")
# A price that an operator has entered is kept; its source is set only if it is the same price.
PRICE = text("""
INSERT INTO rates (line_kind, country, category, since, usd, source, checked_on)
VALUES ('cloud', :country, :category, CAST(:since AS date), CAST(:usd AS numeric), :source,
        CAST(:checked AS date))
    ON CONFLICT (line_kind, country, category, since) DO UPDATE
   SET source = EXCLUDED.source, checked_on = EXCLUDED.checked_on
 WHERE rates.usd = EXCLUDED.usd AND rates.source = ''
""")
SET_SOURCE = text("""
UPDATE rates SET source = :source, checked_on = CAST(:checked AS date)
 WHERE line_kind = 'cloud' AND since = CAST(:since AS date) AND source = '' AND usd > 0
""")
ALLOWANCE = text("""
INSERT INTO rate_allowances (line_kind, name, since, amount, source, checked_on)
VALUES ('cloud', :name, CAST(:since AS date), :amount, :source, CAST(:checked AS date))
""")
TIER = text("""
INSERT INTO rate_tiers
       (line_kind, country, category, since, from_messages, usd, source, checked_on)
VALUES ('cloud', 'PK', :category, CAST(:since AS date), :from_messages, CAST(:usd AS numeric),
        :source, CAST(:checked AS date))
""")
REMOVE = text("""
DELETE FROM rates WHERE source = :source AND since = CAST(:since AS date)
   AND NOT (country, category) IN (('EG', 'marketing'), ('BD', 'marketing'), ('BD', 'utility'),
                                   ('BD', 'authentication'))
""")


def prices() -> dict[str, tuple[str, str]]:
    card = dict(MARKETS)
    for countries, price in REGIONS.items():
        card.update(dict.fromkeys(countries.split(), price))
    return card


def upgrade() -> None:
    known = {"since": SINCE, "checked": CHECKED}
    for since, source in OLDER.items():
        op.execute(SET_SOURCE.bindparams(since=since, source=source, checked=CHECKED))
    for country, (marketing, other) in sorted(prices().items()):
        card = {"marketing": marketing, "utility": other, "authentication": other, "service": other}
        for category, usd in card.items():
            op.execute(
                PRICE.bindparams(country=country, category=category, usd=usd, source=CARD, **known)
            )
    _add_pakistan()
    for name, since, amount, source in ALLOWANCES:
        op.execute(
            ALLOWANCE.bindparams(
                name=name, since=since, amount=amount, source=source, checked=CHECKED
            )
        )


def _add_pakistan() -> None:
    known = {"since": PAKISTAN_SINCE, "source": PAKISTAN, "checked": CHECKED}
    for category in TIERED:
        op.execute(PRICE.bindparams(country="PK", category=category, usd=PAKISTAN_PRICE, **known))
        for from_messages, usd in PAKISTAN_TIERS.items():
            op.execute(
                TIER.bindparams(category=category, from_messages=from_messages, usd=usd, **known)
            )


def downgrade() -> None:
    op.execute("DELETE FROM rate_allowances")
    op.execute("DELETE FROM rate_tiers")
    op.execute(REMOVE.bindparams(source=PAKISTAN, since=PAKISTAN_SINCE))
    op.execute(REMOVE.bindparams(source=CARD, since=SINCE))
