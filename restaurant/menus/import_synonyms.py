"""Synonyms for allergens, diets and stations in the files that restaurants import.

They cover the languages that menus are written in. Comparison ignores case, accents and the
Turkish dotless i.
"""

import re
import unicodedata

ALLERGENS = {
    "gluten": "gluten|glutenli|buğday|wheat|weizen|trigo|blé|glutine|غلوتين|جلوتين",
    "crustaceans": "crustaceans|shellfish|kabuklular|kabuklu|kabuklu deniz ürünleri|karides"
    "|krebstiere|crustáceos|crustacés|crostacei|قشريات",
    "eggs": "eggs|egg|yumurta|eier|ei|huevo|huevos|œuf|œufs|ovo|ovos|uova|بيض",
    "fish": "fish|balık|fisch|pescado|poisson|peixe|pesce|سمك",
    "peanuts": "peanuts|peanut|yer fıstığı|yerfıstığı|erdnüsse|erdnuss|cacahuete|cacahuetes"
    "|arachide|arachides|arachidi|amendoim|فول سوداني",
    "soy": "soy|soya|soja|soia|صويا",
    "milk": "milk|dairy|lactose|süt|süt ürünleri|laktoz|milch|leche|lait|leite|latte|حليب|لبن",
    "nuts": "nuts|nut|tree nuts|sert kabuklu yemişler|sert kabuklular|kuruyemiş|fındık|ceviz|badem"
    "|schalenfrüchte|nüsse|frutos secos|frutos de cáscara|fruits à coque|frutos de casca rija"
    "|frutta a guscio|مكسرات",
    "celery": "celery|kereviz|sellerie|apio|céleri|aipo|sedano|كرفس",
    "mustard": "mustard|hardal|senf|mostaza|moutarde|mostarda|senape|خردل",
    "sesame": "sesame|susam|sesam|sésamo|sésame|sesamo|سمسم",
    "sulphites": "sulphites|sulfites|sülfit|sülfitler|sulfite|sulfit|sulfitos|solfiti|كبريتيت",
    "lupin": "lupin|acı bakla|lupinen|lupine|altramuces|altramuz|tremoço|lupini|ترمس",
    "molluscs": "molluscs|mollusks|yumuşakçalar|yumuşakça|midye|weichtiere|moluscos|mollusques"
    "|molluschi|رخويات",
}
DIETS = {
    "vegetarian": "vegetarian|vejetaryen|vegetarisch|vegetariano|végétarien|نباتي",
    "vegan": "vegan|vegano|végétalien|نباتي صرف",
    "halal": "halal|helal|حلال",
    "kosher": "kosher|koşer|koscher|كوشر",
    "gluten_free": "gluten_free|gluten free|glutensiz|glutenfrei|sin gluten|sans gluten|sem glúten"
    "|senza glutine|خال من الغلوتين",
    "spicy": "spicy|hot|acı|acılı|scharf|picante|épicé|piccante|حار",
    "alcohol": "alcohol|alkol|alkollü|alkohol|alcool|álcool|كحول",
    "pork": "pork|domuz|domuz eti|schwein|schweinefleisch|cerdo|porc|porco|maiale|لحم خنزير",
}
STATIONS = {
    "kitchen": "kitchen|mutfak|küche|cocina|cuisine|cozinha|cucina|مطبخ",
    "bar": "bar|theke|بار",
}


def normalize(word: str) -> str:
    """The form used for comparison: lower case, without accents, ı as i."""
    parts = unicodedata.normalize("NFKD", word.strip().casefold().replace("ı", "i"))
    bare = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return " ".join(bare.replace("œ", "oe").replace("_", " ").split())


def station_code(word: str) -> str:
    """A code for a station that only has a name: `Izgara Köşesi` becomes `izgara_kosesi`."""
    return re.sub("[^a-z0-9]+", "_", normalize(word)).strip("_")[:24]


def build_lookup(words: dict[str, str]) -> dict[str, str]:
    return {
        normalize(word): code
        for code, synonyms in words.items()
        for word in (code, *synonyms.split("|"))
    }
