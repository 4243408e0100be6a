"""The words around an order in Turkish and English, folded: what they do, and which are ignored."""

SET, DROP, INSTEAD, NOT, ADD, CORRECT, WITHOUT, AND, ALL = (
    "set", "drop", "instead", "not", "add", "correct", "without", "and", "all"
)  # fmt: skip

_TURKISH = {
    SET: "olsun|yap|yapin|yapalim|yapar|yapabilir|yapiniz|olacak|olsunlar|cikar misin",
    DROP: "olmasin|olmasinlar|cikar|cikarin|cikartin|cikaralim|cikart|iptal|istemiyorum|istemem"
    "|istemiyoruz|koyma|koymayin|koymasin|koymayiniz|kaldir|kaldirin|sil|silin|vazgectim|alma"
    "|almayalim|eklemeyin|ekleme|bulunmasin",
    INSTEAD: "yerine",
    NOT: "degil",
    ADD: "bir de|birde|ekle|ekleyin|ekler|eklersen|eklerseniz|ayrica|ilave|ustune|arti|yanina"
    "|yaninda|ekleyelim|daha",
    CORRECT: "hayir|yok|pardon|aslinda|duzeltiyorum|duzeltme|yanlis|dur|degistir|degistirelim|yo"
    "|ozur dilerim|yani",
    AND: "ve|ile|sonra",
    ALL: "hepsi|hepsini|hepsinden|siparisi|tamamini|tumunu",
}
_ENGLISH = {
    SET: "make|makes|change|set|should be",
    DROP: "remove|cancel|drop|delete|skip|take off|take out|take away the|forget|scratch"
    "|dont want|do not want|dont need|leave out|leave off",
    INSTEAD: "instead of|rather than|in place of|instead",
    NOT: "not",
    ADD: "also|add|plus|as well|additionally|another|more|on top",
    CORRECT: "sorry|actually|wait|i mean|correction|oops|nope|rather|no wait|no sorry|no actually",
    WITHOUT: "without|hold the|minus|w o",
    AND: "and|then",
    ALL: "everything|all of it|the order|whole order|the whole thing",
}
_FILLERS_TR = (
    "lutfen|rica|ediyorum|ederim|etsem|ediyoruz|istiyorum|istiyoruz|isterim|isteriz|istiyom"
    "|istiyoz|alabilir|alayim|alalim|alacagim|alacagiz|alirim|aliriz|alabilirmiyim|alsam"
    "|miyim|miyiz|misiniz|misin|mi|mu|tane|tanesi|adet|porsiyon|bardak|kase|tabak|sise|kutu"
    "|fincan|duble|dilim|merhaba|selam|selamlar|gunaydin|iyi|aksamlar|gunler|kolay|gelsin|bana"
    "|bize|benim|bizim|icin|siparis|vermek|verebilir|verir|versem|verecektim|verecegim|hemen"
    "|tesekkurler|tesekkur|tesekkurederim|sagol|sagolun|tamam|olur|peki|evet|bu|su|o|da|de|ki|ya"
    "|hani|sey|bi|su anda|gonderin|gonderir|getirin|getirir|getirirmisiniz|hazirlar|hazirlayin"
    "|seklinde|arada|acaba|simdilik|hocam|abi|abla|kardes|usta|ustam|efendim|bey|hanim|uzere"
    "|teyiz|deyiz|teyim|deyim|dayiz|dayim|tayiz|oturuyoruz|oturuyorum|edebilir|edin|et|fazla|bol"
    "|az|varsa|alabiliriz|olarak|gerek"
)
_FILLERS_EN = (
    "please|pls|plz|i|id|ill|im|we|wed|well|would|like|want|wanna|need|get|got|have|having|can"
    "|could|may|order|ordering|to|of|the|some|for|me|us|my|our|give|gimme|let|lets|hi|hello|hey"
    "|good|evening|morning|afternoon|thanks|thank|you|thx|cheers|portion|portions|piece|pieces"
    "|glass|glasses|cup|cups|bottle|bottles|bowl|bowls|plate|plates|x|times|with|it|is|be|that"
    "|this|them|one|ones|each|just|only|in|at|send|bring|take|will|go|ok|okay|yes|yeah|yep|so"
    "|too|there|here|now|today|tonight|by|as|do|am|are|those|these|side|extra|on|all|right"
)
_MORE_TR = "masa|masaya|numara|bir|iki|uc|dort|bes|alti|yedi|sekiz|dokuz|biri"
TURKISH, ENGLISH = "tr", "en"
STARTS_A_CLAUSE = frozenset({"bir de", "birde", "ayrica", "arti", "also", "plus"})
"""What follows these words is added, and has nothing to do with what was before them."""


def words_of(listed: str) -> frozenset[str]:
    return frozenset(listed.split("|"))


def _phrases() -> dict[tuple[str, ...], str]:
    return {
        tuple(phrase.split()): kind
        for words in (_TURKISH, _ENGLISH)
        for kind, listed in words.items()
        for phrase in listed.split("|")
    }


ACTIONS = _phrases()
"""What each word or phrase does."""
LONGEST_ACTION = max(len(one) for one in ACTIONS)
FILLERS = frozenset({*_FILLERS_TR.split("|"), *_FILLERS_EN.split("|")})
LANGUAGE_OF_WORD = {
    **{one: ENGLISH for listed in (*_ENGLISH.values(), _FILLERS_EN) for one in listed.split("|")},
    **{one: TURKISH for listed in (*_TURKISH.values(), _FILLERS_TR) for one in listed.split("|")},
    **dict.fromkeys(words_of(_MORE_TR), TURKISH),
    **dict.fromkeys(words_of("table|number|two|three|four|five|six|no|without"), ENGLISH),
}
for _both in ("o", "on", "a", "bu", "su", "de", "da", "x", "i", "ya"):
    LANGUAGE_OF_WORD.pop(_both, None)

TABLE_WORDS = words_of(
    "masa|masam|masamiz|masaya|masadan|masadayiz|masadayim|masada|masasi|table|tables"
)
NUMBER_MARKS = words_of("numara|numarali|numaradayiz|numarada|numaraya|no|nolu|number|nr|num")
MENU_WORDS = words_of("menu|menusu|menuden")
ORDER_TYPES: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): kind
    for kind, listed in {
        "takeaway": "gel al|gelal|gelip alacagim|gelip alacagiz|gelip alirim|gelip alicam"
        "|kendim alacagim|al gotur|elden alacagim|takeaway|take away|to go|pickup|pick up"
        "|pick it up|collect|collection|picking up|paket yapin|paket olsun",
        "delivery": "paket servis|eve servis|adrese|adresime|eve|kurye|evime|delivery|deliver"
        "|delivered|to my address|to my place|adrese teslim|eve teslim",
        "dine_in": "burada yiyecegiz|burada yiyecegim|eat in|dine in|eat here|for here",
    }.items()
    for phrase in listed.split("|")
}
PAYMENTS: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): kind
    for kind, listed in {
        "cash": "nakit|nakit odeyecegim|nakit odeme|cash|pay cash|pay in cash",
        "card": "kartla|kart ile|kredi karti|kartla odeyecegim|by card|credit card|pay by card"
        "|with card|online odeme",
    }.items()
    for phrase in listed.split("|")
}
KNOWN_WORDS = frozenset(
    {word for phrase in (*ACTIONS, *ORDER_TYPES, *PAYMENTS) for word in phrase}
    | FILLERS | TABLE_WORDS | NUMBER_MARKS
)  # fmt: skip
"""Never taken for a misspelt dish."""
