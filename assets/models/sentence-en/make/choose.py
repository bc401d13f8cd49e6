"""How SHARED, SIF_A and DIMENSIONS of `distil.py` do on two tasks made from the corpus: a definition of WordNet is to find an
example of the same meaning among 4,000, and a line of a ChatterBot dialogue the line that answers it. Prints recall@10.

    python choose.py MODEL_FOLDER WORDNET_DICT CHATTERBOT_ENGLISH
"""

import random
import re
import sys
from pathlib import Path

import numpy as np

import corpus
from distil import frequencies, is_silent, unit, vectors
from minilm import BEGIN, END, MiniLM

GLOSSES_MAX = 4_000


def glosses(folder):
    pairs = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (Path(folder) / f"data.{part}").read_text(encoding="utf-8").splitlines():
            gloss = "" if line.startswith("  ") else line.split("| ", 1)[-1]
            examples = re.findall(r'"([^"]+)"', gloss)
            definition = re.sub(r';?\s*"[^"]*"', "", gloss).strip(" ;")
            if examples and len(examples[0]) > 15 and len(definition) > 15:
                pairs.append((definition, examples[0]))
    random.Random(5).shuffle(pairs)
    return pairs[:GLOSSES_MAX]


def dialogues(folder):
    answers = {}
    for file in sorted(Path(folder).glob("*.yml")):
        before = None
        for line in file.read_text(encoding="utf-8").splitlines():
            first, later = re.match(r"\s*-\s+-\s+(.*)", line), re.match(r"\s+-\s+(.*)", line)
            said = (first or later or [None, None])[1]
            if said and not first and before and min(len(before), len(said)) > 12:
                answers.setdefault(before, said)
            before = said
    return list(answers.items())


def recall(one, other):
    likeness = one @ other.T
    return float(((likeness > likeness.diagonal()[:, None]).sum(1) < 10).mean())


def main(model_folder, wordnet, chatterbot):
    model = MiniLM(model_folder)
    pieces = [model.tokenizer.id_to_token(number) for number in range(model.tokenizer.get_vocab_size())]
    silent = np.array([is_silent(piece) for piece in pieces])
    single = model.of_ids([[BEGIN, number, END] for number in range(len(pieces))])
    frequency = frequencies(model, corpus.texts(wordnet, chatterbot))
    tasks = {"definitions": glosses(wordnet), "dialogues": dialogues(chatterbot)}
    sides = {name: [model.pieces([pair[side] for pair in pairs]) for side in (0, 1)] for name, pairs in tasks.items()}
    for shared in (0, 1, 3, 5, 10):
        for sif_a in (3e-3, 1e-3, 3e-4):
            for dimensions in (256, 320):
                exact = vectors(single, frequency, silent, shared, sif_a, dimensions)
                found = {
                    name: recall(*(unit(np.stack([exact[ids].sum(0) for ids in side])) for side in both))
                    for name, both in sides.items()
                }
                print(shared, sif_a, dimensions, {name: round(value, 4) for name, value in found.items()}, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
