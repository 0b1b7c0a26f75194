"""`text`: posts in many scripts, which depend on UTF-8, escapes and string widths."""

# ruff: noqa: SIM905 - quotes make a list of words no clearer

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict

from .families import CorpusFamily

if TYPE_CHECKING:
    from ._generate import Random


class Post(TypedDict):
    """One post with its replies."""

    id: int
    language: str
    author: str
    text: str
    quote: str
    reactions: dict[str, int]
    replies: list[str]


LATIN = """
fenêtre garçon élève être forêt déjà naïve cœur œuvre leçon français Straße Mädchen über schön größer
Vögel Äpfel fünf möchte señor mañana niño corazón canción está también años coração irmão não ações
żółty łódź źródło święto ręka gęś dziękuję příliš žluťoučký kůň řeka děti smörgås hjälp räksmörgås
blåbær århus børn ğüzel çiçek şehir ısırık ağaç őszi tűz ördög árvíz țară învăța ştiinţă það íslenska
""".split()
CYRILLIC = """
привет мир сегодня завтра человек город дорога письмо книга хорошо спасибо друзья время жизнь работа
погода музыка вечер история большой Київ їжак ґанок щастя
""".split()
GREEK = "καλημέρα κόσμε θάλασσα ουρανός άνθρωπος σήμερα αύριο φίλος βιβλίο δρόμος μουσική ζωή".split()
HAN = (
    "天地人日月山水火木金土上下左右大小中国東西南北春夏秋冬年時分今明来行見聞言語文字学校先生友家門車道電話気"
)
KANA = (
    "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれをんアイスクリーム"
)
HANGUL = "가나다라마바사아자차카타파하한국어사람오늘내일시간친구학교음악바다하늘"
# The last ones are sequences of several code points: skin tone, flags, a family joined by ZWJ.
EMOJI = ["😀", "😂", "😍", "🤔", "😭", "🎉", "🔥", "🚀", "🍕", "🐙", "👍🏽", "🇯🇵", "🇧🇷", "👩‍👩‍👧‍👦"]


def _words(random: Random, words: list[str], count: int) -> str:
    return " ".join([random.pick(words) for _ in range(count)])


def _latin(random: Random, count: int) -> str:
    return " ".join([random.pick(LATIN) if random.chance(40) else random.word() for _ in range(count)])


def _han(random: Random, count: int) -> str:
    return "".join([random.pick(KANA if random.chance(50) else HAN) for _ in range(count * 3)]) + "。"


def _hangul(random: Random, count: int) -> str:
    return " ".join(["".join([random.pick(HANGUL) for _ in range(3)]) for _ in range(count)])


LANGUAGES: dict[str, Callable[[Random, int], str]] = {
    "fr-de-pl": _latin,
    "ja-zh": _han,
    "ru-uk": lambda random, count: _words(random, CYRILLIC, count),
    "ko-KR": _hangul,
    "el-GR": lambda random, count: _words(random, GREEK, count),
}
# Latin and East Asian scripts appear twice, because most text is written in them.
TURNS = ["fr-de-pl", "ja-zh", "fr-de-pl", "ja-zh", "ru-uk", "ko-KR", "el-GR"]


def record(random: Random, index: int) -> dict[str, Any]:
    """Return one record, about 520 bytes of JSON in UTF-8."""
    language = random.pick(TURNS)
    write = LANGUAGES[language]
    text = write(random, random.between(12, 28))
    if random.chance(50):
        text = f"{text} {random.pick(EMOJI)}{random.pick(EMOJI)}"
    return {
        "id": 10_000_000 + index,
        "language": language,
        "author": write(random, 2),
        "text": text,
        # Quotes, backslashes and line breaks have to be escaped.
        "quote": f'"{write(random, 3)}"\n\t\\ {random.word()}/{random.word()}',
        "reactions": {random.pick(EMOJI): random.below(1_000) for _ in range(3)},
        "replies": [write(random, random.between(3, 8)) for _ in range(random.between(1, 3))],
    }


FAMILY = CorpusFamily(
    name="text",
    description="Posts in Latin with accents, Cyrillic, Greek, Chinese, Japanese, Korean, and emoji.",
    schema=Post,
    make=record,
)
