"""Translations of the simulator's pages: the portal's language, else the browser's."""

from collections.abc import Callable

from aiohttp import web

COOKIE = "phones_language"
LANGUAGES = ("en", "tr")
Translate = Callable[..., str]

TURKISH_TEXTS = {
    "A simulated network: nothing here reaches a real phone.": (
        "Simüle bir ağ: buradan gerçek bir telefona hiçbir şey gitmez."
    ),
    "Add": "Ekle",
    "Add a number on the left: its chat opens with the message typed in.": (
        "Soldan bir numara ekleyin: sohbeti, mesaj yazılmış olarak açılır."
    ),
    "Add a phone": "Telefon ekle",
    "All phones": "Tüm telefonlar",
    "Attach": "Ekle",
    "Block {name}": "{name} engellensin",
    "Buttons": "Düğmeler",
    "Chats": "Sohbetler",
    "Choose a phone on the left, or add a number: then write to a simulated line as a customer"
    " would. Lines here: {count}.": (
        "Soldan bir telefon seçin ya da bir numara ekleyin: sonra simüle bir hatta müşteri"
        " gibi yazın. Buradaki hatlar: {count}."
    ),
    "Codes in front of the camera": "Kameranın önündeki kodlar",
    "Contact": "Kişi",
    "Customer {digits}": "Müşteri {digits}",
    "Cut its connection": "Bağlantısını kes",
    "Devices of this phone": "Bu telefonun cihazları",
    "Document": "Belge",
    "Latitude": "Enlem",
    "Lift the restriction": "Kısıtlamayı kaldır",
    "Link": "Bağla",
    "Link a device": "Cihaz bağla",
    "Link with a code": "Kodla bağla",
    "Linked devices": "Bağlı cihazlar",
    "Location": "Konum",
    "Longitude": "Boylam",
    "Mark as read": "Okundu say",
    "Message": "Mesaj",
    "Messages": "Mesajlar",
    "More": "Diğer",
    "Name": "Ad",
    "No code is shown anywhere now. Start a linked line in the portal, and its QR code appears here"
    " for this phone to scan.": (
        "Şu anda hiçbir yerde kod gösterilmiyor. Panelde bağlı bir hat başlatın; karekodu bu"
        " telefonun okutması için burada görünür."
    ),
    "No line has joined this network yet.": "Bu ağa henüz bir hat katılmadı.",
    "No line has joined this network yet. Add a simulated line in the portal and it appears"
    " here.": ("Bu ağa henüz bir hat katılmadı. Panelde simüle bir hat ekleyin, burada görünsün."),
    "No messages yet. Say hello.": "Henüz mesaj yok. Bir merhaba deyin.",
    "Nobody yet. Whoever is written to appears here.": (
        "Henüz kimse yok. Kime yazılırsa burada görünür."
    ),
    "Numbers that make things happen": "Sihirli numaralar",
    "On this phone": "Bu telefonda",
    "Open the phones from the portal: the way in has run out.": (
        "Telefonları panelden açın: bu giriş bağlantısının süresi doldu."
    ),
    "Paste or type the code": "Kodu yapıştırın ya da yazın",
    "Phone of {name}": "{name} telefonu",
    "Phones": "Telefonlar",
    "Phones in use": "Kullanılan telefonlar",
    "Photo": "Fotoğraf",
    "Pick up a phone": "Bir telefon alın",
    "Place": "Yer",
    "Poll": "Anket",
    "Reaction": "Tepki",
    "Read automatically": "Kendiliğinden okusun",
    "Scan": "Okut",
    "Scan the code of {name}": "{name} kodunu okut",
    "Send": "Gönder",
    "Share location": "Konum paylaş",
    "Sticker": "Çıkartma",
    "Stop reading automatically": "Kendiliğinden okumasın",
    "Template {name}": "Şablon {name}",
    "The network restricts it": "Ağ onu kısıtlasın",
    "There is no such link.": "Böyle bir bağlantı yok.",
    "This cannot be sent.": "Bu gönderilemez.",
    "This code is not good, or has run out. Take the one that is on the page now.": (
        "Bu kod geçerli değil ya da süresi dolmuş. Sayfada şu anda görüneni alın."
    ),
    "Unblock": "Engeli kaldır",
    "Unblock {name}": "{name} engelini kaldır",
    "Unlink": "Bağlantıyı kaldır",
    "Video": "Video",
    "Voice message": "Sesli mesaj",
    "What happens to {name}": "{name} için ne olsun",
    "Write the number with its country code, such as 905321112233.": (
        "Numarayı ülke koduyla yazın, örneğin 905321112233."
    ),
    "You blocked this business. Its messages do not reach you.": (
        "Bu işletmeyi engellediniz. Mesajları size ulaşmaz."
    ),
    "You: {said}": "Siz: {said}",
    "active now": "şu anda etkin",
    "delivered": "iletildi",
    "good for {seconds} s": "{seconds} sn geçerli",
    "never arrived": "hiç ulaşmadı",
    "not connected": "bağlı değil",
    "read": "okundu",
    "restricted by the network": "ağ tarafından kısıtlandı",
    "sent": "gönderildi",
    "unread: {count}": "okunmamış: {count}",
    # Magic numbers
    "every receipt comes twice": "her alındı bilgisi iki kez gelir",
    "fails after it was sent": "gönderildikten sonra başarısız olur",
    "never delivered": "hiç iletilmez",
    "opted out": "mesaj almak istemiyor",
    "receipts come in the wrong order": "alındı bilgileri yanlış sırada gelir",
    "receipts come late": "alındı bilgileri geç gelir",
    "taken, then refused for the window": "alınır, sonra 24 saat kuralı yüzünden geri çevrilir",
    "the answer is lost after acceptance": "kabulden sonra yanıt kaybolur",
    "the line is too fast, twice": "hat çok hızlı, iki kez",
    "the line's token has expired": "hattın erişim anahtarının süresi dolmuş",
    "too fast for this recipient, once": "bu alıcı için çok hızlı, bir kez",
    "undeliverable": "iletilemez",
    "window closed": "24 saatlik süre kapalı",
}


def language_of(request: web.Request) -> str:
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    asked = request.headers.get("Accept-Language", "")
    wanted = (part.strip()[:2].lower() for part in asked.split(","))
    return next((one for one in wanted if one in LANGUAGES), "en")


def translator(language: str) -> Translate:
    def say(text: str, **values: object) -> str:
        words = TURKISH_TEXTS.get(text, text) if language == "tr" else text
        return words.format(**values) if values else words

    return say


def translate_for(request: web.Request, text: str) -> str:
    return translator(language_of(request))(text)
