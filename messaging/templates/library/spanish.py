"""Ready texts in Spanish: the text, then a header or the titles of two quick replies."""

TEXTS: dict[str, tuple[str, ...]] = {
    "order_received": (
        "Hola {{1}}, hemos recibido su pedido {{2}} por {{3}}. Le avisaremos cuando esté listo.",
    ),
    "order_ready": ("Hola {{1}}, su pedido {{2}} está listo. Ya puede recogerlo.",),
    "order_on_its_way": (
        "Hola {{1}}, su pedido {{2}} está en camino y llegará antes de las {{3}}. ¡Buen provecho!",
    ),
    "order_delayed": (
        (
            "Hola {{1}}, su pedido {{2}} tardará un poco más. Estará listo hacia las {{3}}. "
            "Disculpe la espera."
        ),
    ),
    "reservation_reminder": (
        "Hola {{1}}, le recordamos su mesa del {{2}} a las {{3}} para {{4}} personas. ¿Vendrán?",
        "Sí, iremos",
        "Cancelar",
    ),
    "payment_reminder": (
        (
            "Hola {{1}}, el pedido {{2}} por {{3}} aún no está pagado. Páguelo para que "
            "podamos empezar a prepararlo."
        ),
    ),
    "feedback_request": (
        "Hola {{1}}, gracias por su pedido {{2}}. ¿Qué le ha parecido?",
        "Muy bien",
        "Podría mejorar",
    ),
    "cart_reminder": (
        (
            "Hola {{1}}, su carrito sigue esperándole. Abra nuestra carta cuando quiera "
            "terminar el pedido."
        ),
        "Su carrito",
    ),
    "win_back": (
        (
            "Hola {{1}}, hace tiempo que no le vemos. Venga esta semana, nos encantará volver"
            " a cocinar para usted."
        ),
        "Le echamos de menos",
    ),
    "birthday": (
        (
            "¡Feliz cumpleaños, {{1}}! Celébrelo con nosotros esta semana: el postre de toda "
            "la mesa corre por nuestra cuenta."
        ),
        "Feliz cumpleaños",
    ),
    "back_in_stock": (
        (
            "Hola {{1}}, buenas noticias: {{2}} vuelve a estar disponible. Pídalo antes de "
            "que se agote."
        ),
        "Disponible de nuevo",
    ),
    "new_menu": (
        "Hola {{1}}, ya está aquí nuestra nueva carta. Échele un vistazo y reserve su mesa hoy.",
        "Nueva carta",
    ),
    "footer": ("Responda STOP para darse de baja",),
}
