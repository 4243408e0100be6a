"""Ready texts in Portuguese: the text, then a header or the titles of two quick replies."""

TEXTS: dict[str, tuple[str, ...]] = {
    "order_received": (
        (
            "Olá {{1}}, recebemos seu pedido {{2}} no valor de {{3}}. Avisaremos quando "
            "estiver pronto."
        ),
    ),
    "order_ready": ("Olá {{1}}, seu pedido {{2}} está pronto. Você já pode retirá-lo.",),
    "order_on_its_way": (
        "Olá {{1}}, seu pedido {{2}} está a caminho e deve chegar até as {{3}}. Bom apetite!",
    ),
    "order_delayed": (
        (
            "Olá {{1}}, seu pedido {{2}} vai demorar um pouco mais. Deve ficar pronto às "
            "{{3}}. Desculpe a espera."
        ),
    ),
    "reservation_reminder": (
        "Olá {{1}}, lembramos da sua mesa no dia {{2}} às {{3}} para {{4}} pessoas. Vocês vêm?",
        "Sim, vamos",
        "Cancelar",
    ),
    "payment_reminder": (
        (
            "Olá {{1}}, o pedido {{2}} no valor de {{3}} ainda não foi pago. Pague para que "
            "possamos começar a preparar."
        ),
    ),
    "feedback_request": (
        "Olá {{1}}, obrigado pelo seu pedido {{2}}. O que você achou?",
        "Muito bom",
        "Pode melhorar",
    ),
    "cart_reminder": (
        (
            "Olá {{1}}, seu carrinho ainda está esperando. Abra nosso cardápio quando quiser "
            "terminar o pedido."
        ),
        "Seu carrinho",
    ),
    "win_back": (
        (
            "Olá {{1}}, faz tempo que não nos vemos. Venha nesta semana, teremos prazer em "
            "cozinhar para você de novo."
        ),
        "Sentimos sua falta",
    ),
    "birthday": (
        (
            "Feliz aniversário, {{1}}! Comemore com a gente nesta semana: a sobremesa da mesa"
            " toda é por nossa conta."
        ),
        "Feliz aniversário",
    ),
    "back_in_stock": (
        "Olá {{1}}, boa notícia: {{2}} está disponível de novo. Peça antes que acabe.",
        "Disponível de novo",
    ),
    "new_menu": (
        "Olá {{1}}, nosso novo cardápio chegou. Dê uma olhada e reserve sua mesa hoje.",
        "Novo cardápio",
    ),
    "footer": ("Responda SAIR para não receber mais",),
}
