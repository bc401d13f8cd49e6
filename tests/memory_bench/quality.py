"""Retrieval of the evidence turns of LoCoMo: the engine by words, by meaning and by both, next to SQLite FTS5 + sqlite-vec
and plain BM25, on the same vectors in the same run.

    pip install -r tests/memory_bench/requirements.txt
    cargo build --release -p tests --bin memory_bench
    python tests/memory_bench/quality.py --data FOLDER --engine target/release/memory_bench

Every turn is saved as it is, one memory per turn; the questions are asked one by one; the turns a question names as its
evidence are the truth. Nothing is chosen per conversation. The numbers of the ranking were chosen on the conversations
26, 30 and 41; 42 and 43 are shown apart as what was not looked at.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

from locomo import conversations
from minilm import MiniLM
from peers import Sqlite, counted, tokens

CHOSEN_ON = {"26", "30", "41"}


def engine_ranks(engine, conversation, texts, questions):
    """What the engine answers: places per question, by words, by meaning and by both."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        asked = [question[0] for question in conversation.questions]
        (folder / "texts.json").write_text(json.dumps({"texts": conversation.texts, "questions": asked}))
        texts.astype("<f4").tofile(folder / "texts.f32")
        questions.astype("<f4").tofile(folder / "questions.f32")
        done = subprocess.run([engine, "ranks", str(folder)], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)


def peer_ranks(conversation, texts, questions):
    peer = Sqlite(":memory:", texts.shape[1])
    peer.add(0, conversation.texts, texts)
    okapi = BM25Okapi([tokens(text) for text in conversation.texts])
    answers = {"hybrid": [], "fts5": [], "okapi": [], "okapi_counted": []}
    for (question, _, _), vector in zip(conversation.questions, questions):
        answers["hybrid"].append(peer.hybrid(question, vector))
        answers["fts5"].append(peer.bm25(question, 10))
        for name, words in (("okapi", tokens(question)), ("okapi_counted", counted(question))):
            scores = okapi.get_scores(words)
            best = np.argsort(-scores, kind="stable")[:10]
            answers[name].append([int(place) for place in best if scores[place] > 0])
    return answers


def measured(answers, questions):
    """recall@5, recall@10 and MRR (over ten answers), each a mean over the questions."""
    rows = []
    for found, (_, evidence, _) in zip(answers, questions):
        hits = [place in evidence for place in found]
        first = next((at for at, hit in enumerate(hits) if hit), None)
        recall = [sum(hits[:k]) / len(evidence) for k in (5, 10)]
        rows.append([*recall, 0.0 if first is None else 1.0 / (first + 1)])
    return np.array(rows)


NAMES = {
    ("engine", "hybrid"): "**Sentient, both**",
    ("engine", "words"): "Sentient, words only",
    ("engine", "meaning"): "Sentient, meaning only",
    ("peer", "hybrid"): "SQLite FTS5 + sqlite-vec, formula of section 7",
    ("peer", "fts5"): "BM25 (SQLite FTS5)",
    ("peer", "okapi"): "BM25 (rank-bm25, Okapi)",
    ("peer", "okapi_counted"): "BM25 (rank-bm25, without stop words)",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="folder with LoCoMo's conversations (*.json)")
    parser.add_argument("--engine", required=True, help="the program memory_bench")
    args = parser.parse_args()
    if not Path(args.data).is_dir():
        raise SystemExit(f"skipped: there is no folder {args.data}")
    model = MiniLM()
    gathered = {}
    for conversation in conversations(args.data):
        texts = model.vectors(conversation.texts)
        questions = model.vectors([question[0] for question in conversation.questions])
        answers = {("engine", name): found for name, found in engine_ranks(args.engine, conversation, texts, questions).items()}
        answers |= {("peer", name): found for name, found in peer_ranks(conversation, texts, questions).items()}
        part = "chosen on" if conversation.name in CHOSEN_ON else "held out"
        for name, found in answers.items():
            gathered.setdefault(name, {}).setdefault(part, []).append(measured(found, conversation.questions))
    print("| search | recall@5 | recall@10 | MRR | held out: recall@5 | recall@10 | MRR |\n|---|---|---|---|---|---|---|")
    for name, title in NAMES.items():
        parts = gathered[name]
        everything = np.concatenate([rows for part in parts.values() for rows in part]).mean(0)
        held_out = np.concatenate(parts["held out"]).mean(0) if "held out" in parts else [float("nan")] * 3
        print(f"| {title} | " + " | ".join(f"{number:.3f}" for number in [*everything, *held_out]) + " |")


if __name__ == "__main__":
    main()
