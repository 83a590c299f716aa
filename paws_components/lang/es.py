"""Spanish."""

from . import Rules, same_form_and_place


def fits_word(word: str, following: str) -> bool:
    """Whether a word may stand before another: "e Italia", "u otro", "y hielo", "un gran hombre".

    word (str): The word before.
    following (str): The word.
    RETURNS (bool): Whether they fit.
    """
    before, after = word.lower(), following.lower()
    if before in ("y", "e"):
        sound = after.startswith(("i", "hi", "í", "hí")) and not after.startswith(("hie", "hia", "io", "ia"))
        return sound == (before == "e")
    if before in ("o", "u"):
        return after.startswith(("o", "ho", "ó", "hó")) == (before == "u")
    return True


RULES = Rules(
    conjunctions=frozenset("y e o u ni pero sino & y/o".split()),
    auxiliaries=frozenset(
        "ser soy eres es somos sois son era eras éramos eran fui fue fueron será serán sería serían sea sean "
        "siendo sido estar estoy está están estaba estaban estuvo estuvieron estado estando haber he has ha "
        "hemos han hay había habían hubo hubieron habrá habría haya hayan habido habiendo tener tiene tienen "
        "tenía tenían tuvo".split()
    ),
    particles=frozenset(
        # The short forms stand before nouns alone: "gran", "buen".
        "no ni nunca jamás nada más menos muy tan tanto también tampoco casi ya aún todavía siempre sólo solo "
        "así entonces luego después antes aquí allí donde bien mal poco mucho gran buen mal primer tercer algún "
        "ningún san".split()
    ),
    quantifiers=frozenset(
        "otro otra otros otras mismo misma mismos mismas primero primera primeros primeras último última "
        "últimos últimas segundo segunda tercero tercera varios varias algunos algunas muchos muchas pocos "
        "pocas cada cierto cierta ciertos ciertas propio propia propios propias único única todo toda todos "
        "todas tal tales ambos ambas próximo próxima".split()
    ),
    articles=("el", "la", "los", "las"),
    determiners={
        **dict.fromkeys("el del al un este ese aquel".split(), "masculine"),
        **dict.fromkeys("la una esta esa aquella".split(), "feminine"),
        **dict.fromkeys("los unos estos".split(), "masculine plural"),
        **dict.fromkeys("las unas estas".split(), "feminine plural"),
    },
    fits_word=fits_word,
    agrees=same_form_and_place,
)
