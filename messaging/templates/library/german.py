"""Ready texts in German: the text, then a header or the titles of two quick replies."""

TEXTS: dict[str, tuple[str, ...]] = {
    "order_received": (
        (
            "Hallo {{1}}, wir haben Ihre Bestellung {{2}} über {{3}} erhalten. Wir melden "
            "uns, sobald sie fertig ist."
        ),
    ),
    "order_ready": (
        "Hallo {{1}}, Ihre Bestellung {{2}} ist fertig. Sie können sie jetzt abholen.",
    ),
    "order_on_its_way": (
        (
            "Hallo {{1}}, Ihre Bestellung {{2}} ist unterwegs und sollte bis {{3}} bei Ihnen "
            "sein. Guten Appetit!"
        ),
    ),
    "order_delayed": (
        (
            "Hallo {{1}}, Ihre Bestellung {{2}} dauert etwas länger. Sie ist voraussichtlich "
            "um {{3}} fertig. Bitte entschuldigen Sie die Wartezeit."
        ),
    ),
    "reservation_reminder": (
        (
            "Hallo {{1}}, wir erinnern an Ihren Tisch am {{2}} um {{3}} für {{4}} Personen. "
            "Kommen Sie?"
        ),
        "Ja, wir kommen",
        "Bitte stornieren",
    ),
    "payment_reminder": (
        (
            "Hallo {{1}}, die Bestellung {{2}} über {{3}} ist noch nicht bezahlt. Bitte "
            "bezahlen Sie, damit wir beginnen können."
        ),
    ),
    "feedback_request": (
        "Hallo {{1}}, vielen Dank für Ihre Bestellung {{2}}. Wie hat es Ihnen gefallen?",
        "Sehr gut",
        "Nicht so gut",
    ),
    "cart_reminder": (
        (
            "Hallo {{1}}, Ihr Warenkorb wartet noch auf Sie. Öffnen Sie einfach unsere Karte,"
            " wenn Sie bestellen möchten."
        ),
        "Ihr Warenkorb",
    ),
    "win_back": (
        (
            "Hallo {{1}}, wir haben Sie länger nicht gesehen. Kommen Sie diese Woche vorbei, "
            "wir kochen gern wieder für Sie."
        ),
        "Wir vermissen Sie",
    ),
    "birthday": (
        (
            "Alles Gute zum Geburtstag, {{1}}! Feiern Sie diese Woche bei uns: Das Dessert "
            "für den ganzen Tisch geht auf uns."
        ),
        "Alles Gute",
    ),
    "back_in_stock": (
        (
            "Hallo {{1}}, gute Nachricht: {{2}} ist wieder da. Bestellen Sie, solange der "
            "Vorrat reicht."
        ),
        "Wieder da",
    ),
    "new_menu": (
        (
            "Hallo {{1}}, unsere neue Karte ist da. Werfen Sie einen Blick hinein und "
            "reservieren Sie noch heute."
        ),
        "Neue Karte",
    ),
    "footer": ("Zum Abmelden mit STOP antworten",),
}
