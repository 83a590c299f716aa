"""Which of a model's language codes is meant by the user's."""

from typing import Iterable, List, Mapping

from paws_components.plugin import Fatal

from ..errors import Errors

# ISO 639-1 to 639-3.
_THREE = dict(
    entry.split(":")
    for entry in (
        "aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul "
        "bi:bis bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu cv:chv cy:cym "
        "da:dan de:deu dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas ff:ful fi:fin fj:fij "
        "fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat "
        "hu:hun hy:hye hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl it:ita iu:iku ja:jpn jv:jav "
        "ka:kat kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir "
        "la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal mn:mon "
        "mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav ny:nya "
        "oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus "
        "rw:kin sa:san sc:srd sd:snd se:sme sg:sag sh:hbs si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp "
        "ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur "
        "ts:tso tt:tat tw:twi ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid "
        "yo:yor za:zha zh:zho zu:zul "
    ).split()
)
# Where a model names one language out of the group that the two letters stand for (NLLB does).
_MEMBER = dict(
    entry.split(":")
    for entry in (
        "ar:arb ay:ayr az:azj fa:pes ku:kmr kr:knc lv:lvs mg:plt mn:khk ms:zsm ne:npi no:nob om:gaz or:ory ps:pbt "
        "qu:quy sq:als sw:swh uz:uzn yi:ydd"
    ).split()
)


def spellings(code: str) -> List[str]:
    """The ways to write a language, the user's own first: de, deu."""
    found = [code, _THREE.get(code), _MEMBER.get(code)]
    found += [short for short, long in _THREE.items() if long == code]
    return list(dict.fromkeys(spelling for spelling in found if spelling))


def model_code(code: str, known: Iterable[str], codes: Mapping[str, str], name: str) -> str:
    """The model's code for a language.

    code (str): The user's code, such as "de".
    known (Iterable[str]): All codes of the model: "de", "deu", "deu_Latn" or "de_DE".
    codes (Mapping[str, str]): The user's word on it, which comes first.
    name (str): The model, for the error.
    RETURNS (str): One of the known codes. There is an error if none fits, or if several do.
    """
    known = list(known)
    if code in codes:
        if codes[code] in known:
            return codes[code]
        raise Fatal(Errors.B003.format(name=name, code=codes[code], known=abbreviated(known)))
    for spelling in spellings(code):
        fitting = [entry for entry in known if entry == spelling]
        fitting = fitting or [entry for entry in known if entry.startswith(f"{spelling}_")]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            # Chinese in two scripts, say: the choice is the user's.
            raise Fatal(Errors.B003.format(name=name, code=code, known=", ".join(fitting)))
    raise Fatal(Errors.B003.format(name=name, code=code, known=abbreviated(known)))


def abbreviated(known: Iterable[str], most: int = 20) -> str:
    """A list for a message: the first few, and how many more."""
    names = sorted(known)
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) + rest) or "none"
