"""Makes `sentence-en.bin` and what it is checked against: run `make.sh`.

1. Every piece of the vocabulary goes through MiniLM alone; the mean of the last layer is its vector.
2. The directions that all pieces share are taken out (Mu and Viswanath 2018, "All-but-the-Top").
3. The 256 directions in which they differ most stay (principal components).
4. Frequent pieces count less: a / (a + p) (Arora, Liang and Ma 2017, "smooth inverse frequency"), with p from `corpus.py`.
5. Pieces of other scripts (MiniLM knows English), punctuation and the tokenizer's own marks say nothing.

SIF_A is the paper's own value; SHARED and DIMENSIONS were chosen with `choose.py`, on the corpus itself.
"""

import json
import sys
from pathlib import Path

import numpy as np

import corpus
from minilm import BEGIN, END, MiniLM
from pack import pack

SHARED = 5
SIF_A = 1e-3
DIMENSIONS = 256

# Texts of many scripts and oddities: the engine's pieces are compared with those of the published tokenizer.
ODD = [
    "", " ", "Hello, world!", "I've got 3.14 apples -- and a half…", "naïve café Ångström façade",
    "माया पुणे में रहती है", "Maya पुणे में रहती है and likes tea", "我住在北京。", "私は東京に住んでいます。", "한국어 문장입니다",
    "أنا أسكن في القاهرة", "אני גר בתל אביב", "Я живу в Москве", "Ζω στην Αθήνα", "ฉันอยู่กรุงเทพ", "ভালো আছি", "தமிழ்", "🙂👍🏽 family 👨‍👩‍👧",
    "İstanbul ẞ ß ﬁ Ǆ ①②", "a\u0301e\u0308 e\u0301", "tab\tand\nnew line\r\n\u00a0nbsp\u2003em\u3000wide", "zero\u200bwidth\u200djoin\ufeffbom\u00adshy",
    "control\x00\x01\x7f\x85chars", "\ufffd replaced", "x" * 99, "x" * 100, "x" * 101, "word" * 40, "##ing [x] ##[y z]",
    "e-mail: a.b@c.de, https://example.org/?q=1&r=2#x", "C++ vs. C# & R$5 = 50% ^_^ `code` ~tilde~", "«quotes» “curly” ‘single’ „low‟ 「角」",
    "½ ² ₂ ⅷ Ⅷ ℃ № ™ ©", "\U0001d4d7\U0001d4ee\U0001d4f5\U0001d4f5\U0001d4f8", "ǆ ŉ ķ ł đ ø æ œ", "Ấn Độ Việt Nam", "ﷺ ﻻ", "\U00020000\U0002f800 豈", "क्षि त्र ज्ञ",
    "Don't can't won't y'all", "2026-11-30T21:00:00Z", "UPPER lower MiXeD", "a_b__c", "…", "—", "'", "\u0345\u0301", "i\u0307", "Σας ΣΑΣ",
]

# Own sentence pairs, from the same to unrelated: the order of their likeness is compared with MiniLM's.
PAIRS = [
    ("Maya lives in Pune.", "Pune is where Maya has her home."), ("I am allergic to peanuts.", "Peanuts make me sick."),
    ("The meeting was moved to Friday.", "We will meet on Friday instead."), ("He adopted a puppy.", "He has a new dog."),
    ("She works as a nurse.", "Her job is at the hospital."), ("My car broke down.", "The vehicle stopped working."),
    ("I love hiking in the mountains.", "Walking up hills is my favourite hobby."), ("The rent is due on Monday.", "Pay the landlord at the start of the week."),
    ("He is learning to play the guitar.", "He takes music lessons."), ("We cooked pasta for dinner.", "There was Italian food in the evening."),
    ("Her birthday is in June.", "She was born in summer."), ("The doctor prescribed antibiotics.", "He got medicine for the infection."),
    ("I sold my old laptop.", "I bought a new computer."), ("The flight leaves at six.", "The plane departs early."),
    ("They got married in Rome.", "Their wedding was in Italy."), ("The server crashed last night.", "There was an outage."),
    ("I read a novel about the sea.", "The book is a story of sailors."), ("My son plays football.", "My daughter likes chess."),
    ("The coffee is too hot.", "I prefer tea in the morning."), ("He ran a marathon.", "She swims every day."),
    ("The garden needs water.", "Plants grow in spring."), ("I have a job interview.", "The company is hiring."),
    ("The cat sleeps on the sofa.", "Stock prices fell sharply."), ("Python is a programming language.", "The snake bit the farmer."),
    ("My password is stored in the safe.", "The bank closes at five."), ("She painted a sunrise.", "He fixed the sink."),
    ("The train was late.", "A good recipe needs salt."), ("I dislike spicy food.", "Quantum physics is hard."),
    ("Grandmother knits sweaters.", "The election is next week."), ("We visited the museum.", "The battery is empty."),
    ("The baby started walking.", "Interest rates were raised."), ("He broke his leg skiing.", "The printer is out of paper."),
]


def is_silent(piece):
    """The tokenizer's own marks, letters beyond the Latin ones with their extensions, and what is no letter or digit."""
    if piece.startswith("[") and piece.endswith("]"):
        return True
    letters = piece.removeprefix("##")
    foreign = any(ord(letter) > 0x24F and letter.isalpha() for letter in letters)
    return foreign or not any(letter.isalnum() for letter in letters)


def frequencies(model, texts):
    counts = np.zeros(model.tokenizer.get_vocab_size())
    for ids in model.pieces(texts):
        np.add.at(counts, ids, 1)
    # One that was never seen is as rare as one seen half a time.
    return np.maximum(counts, 0.5) / counts.sum()


def vectors(single, frequency, silent, shared=SHARED, sif_a=SIF_A, dimensions=DIMENSIONS):
    spoken = single[~silent].astype(np.float64)
    values, directions = np.linalg.eigh(spoken.T @ spoken)
    directions = directions[:, np.argsort(-values)]
    # A direction may point either way: the larger part of it is positive, so that the file is the same every time.
    signs = np.sign(directions[np.abs(directions).argmax(0), np.arange(directions.shape[1])])
    kept = (directions * signs)[:, shared : shared + dimensions]
    out = single @ kept * (sif_a / (sif_a + frequency))[:, None]
    out[silent] = 0
    return out.astype(np.float32)


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def checks(model, exact):
    """What the tests compare the engine with: pieces, float vectors, and how alike MiniLM finds the pairs."""
    flat = [text for pair in PAIRS for text in pair]
    ids = model.pieces(flat)
    reference = unit(np.stack([exact[i].sum(0) for i in ids]))
    whole = model.encode(flat)
    likeness = (whole[0::2] * whole[1::2]).sum(1)
    return {
        "pieces": [{"text": text, "ids": ids} for text, ids in zip(ODD + flat, model.pieces(ODD + flat))],
        "vectors": [{"text": t, "vector": [round(float(x), 5) for x in v]} for t, v in zip(flat, reference)][:16],
        "pairs": [{"one": a, "other": b, "minilm": round(float(x), 4)} for (a, b), x in zip(PAIRS, likeness)],
    }


def main(model_folder, wordnet, chatterbot, out):
    model = MiniLM(model_folder)
    pieces = [model.tokenizer.id_to_token(number) for number in range(model.tokenizer.get_vocab_size())]
    silent = np.array([is_silent(piece) for piece in pieces])
    single = model.of_ids([[BEGIN, number, END] for number in range(len(pieces))])
    exact = vectors(single, frequencies(model, corpus.texts(wordnet, chatterbot)), silent)
    data, _ = pack(model.tokenizer, exact)
    out = Path(out)
    (out / "sentence-en.bin").write_bytes(data)
    text = json.dumps(checks(model, exact), ensure_ascii=True, indent=0)
    (out / "checks.json").write_text(text + "\n", encoding="utf-8")
    print(f"{len(data)} bytes, {int(silent.sum())} of {len(pieces)} pieces say nothing")


if __name__ == "__main__":
    main(*sys.argv[1:])
