"""The default rate card. Operators compare it with the network's own list and edit it."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SINCE = "2025-07-01"  # the day from which the network charges by message

# US dollars for one delivered message: marketing, utility, authentication. Service is free.
MARKETS = {
    "AR": ("0.0618", "0.0260", "0.0260"),
    "BR": ("0.0625", "0.0068", "0.0068"),
    "CL": ("0.0889", "0.0200", "0.0200"),
    "CO": ("0.0125", "0.0008", "0.0008"),
    "EG": ("0.1073", "0.0036", "0.0036"),
    "FR": ("0.0859", "0.0300", "0.0300"),
    "DE": ("0.1365", "0.0550", "0.0550"),
    "IN": ("0.0107", "0.0014", "0.0014"),
    "ID": ("0.0411", "0.0250", "0.0250"),
    "IL": ("0.0353", "0.0053", "0.0053"),
    "IT": ("0.0691", "0.0300", "0.0300"),
    "MY": ("0.0860", "0.0140", "0.0140"),
    "MX": ("0.0305", "0.0085", "0.0085"),
    "NL": ("0.1597", "0.0500", "0.0500"),
    "NG": ("0.0516", "0.0067", "0.0067"),
    "PK": ("0.0473", "0.0054", "0.0054"),
    "PE": ("0.0703", "0.0200", "0.0200"),
    "RU": ("0.0802", "0.0400", "0.0400"),
    "SA": ("0.0455", "0.0107", "0.0107"),
    "ZA": ("0.0379", "0.0076", "0.0076"),
    "ES": ("0.0615", "0.0200", "0.0200"),
    "TR": ("0.0109", "0.0053", "0.0053"),
    "AE": ("0.0384", "0.0157", "0.0157"),
    "GB": ("0.0529", "0.0220", "0.0220"),
    "other": ("0.0604", "0.0077", "0.0077"),
}
# Countries for which the network has one price.
REGIONS = {
    "US CA": ("0.0250", "0.0040", "0.0040"),
    "DZ AO CM CI ET GH KE MA SN TZ TN UG": ("0.0225", "0.0040", "0.0040"),
    "AU BD CN HK JP KH LK NP NZ PH SG TH TW VN": ("0.0732", "0.0113", "0.0113"),
    "AL AZ BG BY CZ GE GR HR HU LT LV MD MK PL RO RS SI SK UA": ("0.0860", "0.0212", "0.0212"),
    "BO CR DO EC GT HN JM NI PA PR PY SV UY VE": ("0.0740", "0.0113", "0.0113"),
    "BH IQ JO KW LB OM QA YE": ("0.0341", "0.0091", "0.0091"),
    "AT BE CH DK FI IE NO PT SE": ("0.0592", "0.0171", "0.0171"),
}
CATEGORIES = ("marketing", "utility", "authentication")


def rows() -> list[tuple[str, str, str, str]]:
    prices = dict(MARKETS)
    for countries, price in REGIONS.items():
        prices.update(dict.fromkeys(countries.split(), price))
    card = []
    for country, price in sorted(prices.items()):
        card += [("cloud", country, *pair) for pair in zip(CATEGORIES, price, strict=True)]
    for kind, categories in (("cloud", ("service",)), ("linked", (*CATEGORIES, "service"))):
        card += [(kind, "other", category, "0") for category in categories]
    return card


def upgrade() -> None:
    values = ", ".join(
        f"('{kind}', '{country}', '{category}', DATE '{SINCE}', {usd})"
        for kind, country, category, usd in rows()
    )
    op.execute(f"INSERT INTO rates (line_kind, country, category, since, usd) VALUES {values}")


def downgrade() -> None:
    """Rates that operators added are kept."""
    op.execute(f"DELETE FROM rates WHERE since = DATE '{SINCE}'")
