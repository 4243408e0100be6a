"""Ready texts in French: the text, then a header or the titles of two quick replies."""

TEXTS: dict[str, tuple[str, ...]] = {
    "order_received": (
        (
            "Bonjour {{1}}, nous avons bien reçu votre commande {{2}} de {{3}}. Nous vous "
            "préviendrons dès qu’elle sera prête."
        ),
    ),
    "order_ready": (
        "Bonjour {{1}}, votre commande {{2}} est prête. Vous pouvez venir la chercher.",
    ),
    "order_on_its_way": (
        (
            "Bonjour {{1}}, votre commande {{2}} est en route et devrait arriver avant {{3}}."
            " Bon appétit !"
        ),
    ),
    "order_delayed": (
        (
            "Bonjour {{1}}, votre commande {{2}} prend un peu de retard. Elle sera prête vers"
            " {{3}}. Merci de votre patience."
        ),
    ),
    "reservation_reminder": (
        (
            "Bonjour {{1}}, nous vous rappelons votre table du {{2}} à {{3}} pour {{4}} "
            "personnes. Serez-vous là ?"
        ),
        "Oui, nous venons",
        "Annuler",
    ),
    "payment_reminder": (
        (
            "Bonjour {{1}}, la commande {{2}} de {{3}} n’est pas encore payée. Merci de la "
            "régler pour que nous puissions commencer."
        ),
    ),
    "feedback_request": (
        "Bonjour {{1}}, merci pour votre commande {{2}}. Tout s’est-il bien passé ?",
        "Très bien",
        "Peut mieux faire",
    ),
    "cart_reminder": (
        (
            "Bonjour {{1}}, votre panier vous attend toujours. Ouvrez notre carte quand vous "
            "souhaitez terminer la commande."
        ),
        "Votre panier",
    ),
    "win_back": (
        (
            "Bonjour {{1}}, cela fait un moment que nous ne vous avons pas vu. Passez cette "
            "semaine, nous serons ravis de cuisiner pour vous."
        ),
        "Vous nous manquez",
    ),
    "birthday": (
        (
            "Joyeux anniversaire, {{1}} ! Fêtez-le chez nous cette semaine : le dessert de "
            "toute la table est pour nous."
        ),
        "Joyeux anniversaire",
    ),
    "back_in_stock": (
        (
            "Bonjour {{1}}, bonne nouvelle : {{2}} est de nouveau disponible. Commandez tant "
            "qu’il en reste."
        ),
        "De nouveau disponible",
    ),
    "new_menu": (
        (
            "Bonjour {{1}}, notre nouvelle carte est arrivée. Découvrez-la et réservez votre "
            "table dès aujourd’hui."
        ),
        "Nouvelle carte",
    ),
    "footer": ("Répondez STOP pour vous désabonner",),
}
