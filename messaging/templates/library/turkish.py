"""Ready texts in Turkish: the text, then a header or the titles of two quick replies."""

TEXTS: dict[str, tuple[str, ...]] = {
    "order_received": (
        (
            "Merhaba {{1}}, {{2}} numaralı {{3}} tutarındaki siparişinizi aldık. Hazır olunca"
            " haber vereceğiz."
        ),
    ),
    "order_ready": ("Merhaba {{1}}, {{2}} numaralı siparişiniz hazır. Şimdi gelip alabilirsiniz.",),
    "order_on_its_way": (
        (
            "Merhaba {{1}}, {{2}} numaralı siparişiniz yola çıktı, en geç {{3}} gibi sizde "
            "olur. Afiyet olsun!"
        ),
    ),
    "order_delayed": (
        (
            "Merhaba {{1}}, {{2}} numaralı siparişiniz biraz gecikecek, en geç {{3}} gibi "
            "hazır olur. Beklettiğimiz için özür dileriz."
        ),
    ),
    "reservation_reminder": (
        (
            "Merhaba {{1}}, {{2}} günü saat {{3}} için {{4}} kişilik rezervasyonunuzu "
            "hatırlatmak isteriz. Geliyor musunuz?"
        ),
        "Evet, geliyoruz",
        "İptal edin",
    ),
    "payment_reminder": (
        (
            "Merhaba {{1}}, {{2}} numaralı {{3}} tutarındaki siparişinizin ödemesi henüz "
            "yapılmadı. Hazırlamaya başlamamız için ödemenizi bekliyoruz."
        ),
    ),
    "feedback_request": (
        "Merhaba {{1}}, {{2}} numaralı siparişiniz için teşekkür ederiz. Her şey nasıldı?",
        "Çok iyiydi",
        "Daha iyi olabilirdi",
    ),
    "cart_reminder": (
        (
            "Merhaba {{1}}, sepetiniz hâlâ sizi bekliyor. Hazır olduğunuzda menümüzü açıp "
            "siparişi tamamlayabilirsiniz."
        ),
        "Sepetiniz",
    ),
    "win_back": (
        (
            "Merhaba {{1}}, bir süredir görüşemedik. Bu hafta uğrayın, sizin için yeniden "
            "yemek pişirmekten mutlu oluruz."
        ),
        "Sizi özledik",
    ),
    "birthday": (
        "İyi ki doğdunuz {{1}}! Bu hafta birlikte kutlayalım: bütün masaya tatlılar bizden.",
        "İyi ki doğdunuz",
    ),
    "back_in_stock": (
        "Merhaba {{1}}, güzel haber: {{2}} yeniden stokta. Tükenmeden sipariş verin.",
        "Yeniden stokta",
    ),
    "new_menu": (
        "Merhaba {{1}}, yeni menümüz hazır. Göz atın ve masanızı bugünden ayırtın.",
        "Yeni menü",
    ),
    "footer": ("Almak istemiyorsanız DUR yazın",),
}
