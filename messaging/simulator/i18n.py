"""Translations of the simulator's pages: the portal's language, else the browser's."""

from collections.abc import Callable

from aiohttp import web

COOKIE = "phones_language"
LANGUAGES = ("en", "tr")
Translate = Callable[..., str]

TURKISH_TEXTS = {
    "Actions for {name}": "{name} için işlemler",
    "Add": "Ekle",
    "Add a phone number on the left. Its chat opens with the message filled in.": (
        "Soldan bir telefon numarası ekleyin. Sohbet, mesaj yazılmış olarak açılır."
    ),
    "Add phone": "Telefon ekle",
    "All phones": "Tüm telefonlar",
    "Attach": "Ekle",
    "Block {name}": "{name} adlı işletmeyi engelle",
    "Buttons": "Düğmeler",
    "Chats": "Sohbetler",
    "Choose a phone": "Bir telefon seçin",
    "Choose a phone on the left, or add a number. Then message a simulated line as a"
    " customer. Simulated lines: {count}.": (
        "Soldan bir telefon seçin ya da numara ekleyin. Ardından simüle bir hatta müşteri"
        " olarak yazın. Simüle hat sayısı: {count}."
    ),
    "Codes to scan": "Okutulacak kodlar",
    "Contact": "Kişi",
    "Customer {digits}": "Müşteri {digits}",
    "Devices linked to this phone": "Bu telefona bağlı cihazlar",
    "Disconnect": "Bağlantıyı kes",
    "Document": "Belge",
    "Enter the number with its country code, such as 905321112233.": (
        "Numarayı ülke koduyla girin, örneğin 905321112233."
    ),
    "Latitude": "Enlem",
    "Link": "Bağla",
    "Link a device": "Cihaz bağla",
    "Link with a code": "Kodla bağla",
    "Linked devices": "Bağlı cihazlar",
    "Location": "Konum",
    "Longitude": "Boylam",
    "Mark as read": "Okundu olarak işaretle",
    "Message": "Mesaj",
    "Messages": "Mesajlar",
    "More": "Diğer",
    "Name": "Ad",
    "No messages yet.": "Henüz mesaj yok.",
    "No phones yet. Add one above, or send a message from the portal.": (
        "Henüz telefon yok. Yukarıdan ekleyin ya da panelden mesaj gönderin."
    ),
    "No simulated lines yet.": "Henüz simüle hat yok.",
    "No simulated lines yet. Add one in the portal, and it appears here.": (
        "Henüz simüle hat yok. Panelde ekleyin, burada görünür."
    ),
    "Paste or enter the code": "Kodu yapıştırın ya da yazın",
    "Phone of {name}": "{name}: telefon",
    "Phones": "Telefonlar",
    "Phones in use": "Kullanılan telefonlar",
    "Photo": "Fotoğraf",
    "Place name": "Yer adı",
    "Poll": "Anket",
    "Reaction": "Tepki",
    "Read messages automatically": "Mesajları otomatik oku",
    "Remove restriction": "Kısıtlamayı kaldır",
    "Restrict this number": "Bu numarayı kısıtla",
    "Scan": "Okut",
    "Scan the code for {name}": "{name} kodunu okut",
    "Send": "Gönder",
    "Share location": "Konum paylaş",
    "Sticker": "Çıkartma",
    "Stop reading messages automatically": "Otomatik okumayı durdur",
    "Template {name}": "Şablon {name}",
    "Test numbers": "Test numaraları",
    "There are no codes to scan. Start linking a phone in the portal, and its QR code appears"
    " here.": ("Okutulacak kod yok. Panelde telefon bağlamayı başlatın, karekod burada görünür."),
    "This code is not valid or has expired. Use the code that the page shows now.": (
        "Bu kod geçersiz ya da süresi dolmuş. Sayfada şu anda görünen kodu kullanın."
    ),
    "This link does not exist.": "Böyle bir bağlantı yok.",
    "This message cannot be sent.": "Bu mesaj gönderilemez.",
    "This network is simulated. Messages do not reach real phones.": (
        "Bu ağ simüledir. Mesajlar gerçek telefonlara ulaşmaz."
    ),
    "Unblock": "Engeli kaldır",
    "Unblock {name}": "{name} engelini kaldır",
    "Unlink": "Bağlantıyı kaldır",
    "Video": "Video",
    "Voice message": "Sesli mesaj",
    "You blocked this business. You do not receive its messages.": (
        "Bu işletmeyi engellediniz. Mesajlarını almıyorsunuz."
    ),
    "You: {said}": "Siz: {said}",
    "Your access has expired. Open the simulated phones from the portal again.": (
        "Erişim süreniz doldu. Simüle telefonları panelden tekrar açın."
    ),
    "connected": "bağlı",
    "delivered": "iletildi",
    "expires in {seconds} s": "süresi {seconds} sn sonra dolacak",
    "not connected": "bağlı değil",
    "not delivered": "iletilmedi",
    "read": "okundu",
    "restricted by the network": "ağ tarafından kısıtlandı",
    "sent": "gönderildi",
    "unread: {count}": "okunmamış: {count}",
    # Magic numbers
    "24-hour window closed": "24 saatlik süre kapalı",
    "accepted, but the response is lost": "kabul edilir ama yanıt kaybolur",
    "accepted, then rejected because the 24-hour window is closed": (
        "kabul edilir, sonra 24 saatlik süre kapalı olduğu için reddedilir"
    ),
    "every receipt arrives twice": "her bildirim iki kez gelir",
    "fails after it is sent": "gönderildikten sonra başarısız olur",
    "never delivered": "hiç iletilmez",
    "opted out": "mesaj almak istemiyor",
    "rate limit for this recipient reached, once": "bu alıcı için hız sınırı bir kez aşılır",
    "rate limit of the line reached, twice": "hattın hız sınırı iki kez aşılır",
    "receipts arrive in the wrong order": "bildirimler yanlış sırada gelir",
    "receipts arrive late": "bildirimler geç gelir",
    "the line's access token has expired": "hattın erişim anahtarının süresi dolmuş",
    "undeliverable": "iletilemez",
}


def language_of(request: web.Request) -> str:
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    header = request.headers.get("Accept-Language", "")
    wanted = (part.strip()[:2].lower() for part in header.split(","))
    return next((one for one in wanted if one in LANGUAGES), "en")


def translator(language: str) -> Translate:
    def say(text: str, **values: object) -> str:
        words = TURKISH_TEXTS.get(text, text) if language == "tr" else text
        return words.format(**values) if values else words

    return say


def translate_for(request: web.Request, text: str) -> str:
    return translator(language_of(request))(text)
