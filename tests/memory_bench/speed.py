"""Speed of memory search on generated memories, next to SQLite FTS5 + sqlite-vec and hnswlib on the same data.

    pip install -r tests/memory_bench/requirements.txt
    cargo build --release -p tests --bin memory_bench
    python tests/memory_bench/speed.py --engine target/release/memory_bench --memories 100000

The engine makes the data (always the same) and measures itself; then the peers answer the same questions. One after the
other, so that they do not take each other's processor. sqlite-vec scans everything, so it gets fewer questions.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from peers import Sqlite

DIMENSIONS = 384
CHUNK = 10_000
SQLITE_QUESTIONS = 50


def lines(path):
    with open(path) as file:
        return [line.rstrip("\n") for line in file]


def timed(run, questions):
    times = []
    for question in questions:
        began = time.perf_counter()
        run(question)
        times.append((time.perf_counter() - began) * 1000)
    return np.percentile(times, 50), np.percentile(times, 99)


def sqlite(folder, vectors, texts, questions):
    peer = Sqlite(str(folder / "peer.db"), DIMENSIONS)
    for first in range(0, len(texts), CHUNK):
        peer.add(first, texts[first : first + CHUNK], vectors[first : first + CHUNK])
    chosen = questions[:SQLITE_QUESTIONS]
    peer.hybrid(*chosen[0])
    return timed(lambda question: peer.hybrid(*question), chosen)


def hnsw(vectors, questions, exact):
    import hnswlib

    index = hnswlib.Index(space="ip", dim=DIMENSIONS)
    index.init_index(max_elements=len(vectors), M=16, ef_construction=200)
    index.set_num_threads(1)
    began = time.perf_counter()
    for first in range(0, len(vectors), CHUNK):
        part = np.ascontiguousarray(vectors[first : first + CHUNK])
        index.add_items(part, np.arange(first, first + len(part)))
    built = time.perf_counter() - began
    index.set_ef(128)
    times = timed(lambda question: index.knn_query(question[1], k=10), questions)
    found = [set(index.knn_query(question[1], k=10)[0][0].tolist()) for question, _ in zip(questions, exact)]
    recall = np.mean([len(one & set(truth)) / 10 for one, truth in zip(found, exact)])
    return times, recall, built


def exactly(vectors, questions, count=100):
    best = [(np.full(10, -2.0, np.float32), np.full(10, -1)) for _ in range(count)]
    asked = np.array([question[1] for question in questions[:count]])
    for first in range(0, len(vectors), CHUNK):
        scores = asked @ vectors[first : first + CHUNK].T
        for at, row in enumerate(scores):
            top = np.argpartition(-row, 10)[:10]
            all_scores = np.concatenate([best[at][0], row[top]])
            all_ids = np.concatenate([best[at][1], top + first])
            order = np.argsort(-all_scores)[:10]
            best[at] = (all_scores[order], all_ids[order])
    return [ids.tolist() for _, ids in best]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", required=True, help="the program memory_bench")
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--without", nargs="*", default=[], choices=["sqlite", "hnswlib"])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        done = subprocess.run(
            [args.engine, "speed", str(folder), str(args.memories)], check=True, capture_output=True, text=True
        )
        ours = json.loads(done.stdout)
        vectors = np.memmap(folder / "texts.f32", "<f4", "r").reshape(-1, DIMENSIONS)
        asked = np.fromfile(folder / "questions.f32", "<f4").reshape(-1, DIMENSIONS)
        questions = list(zip(lines(folder / "questions.txt"), asked))
        if ours["debug_build"]:
            print("**Of a debug build: these numbers mean nothing.**\n")
        print(f"{args.memories:,} memories; the engine holds {ours['memory_mb']} MB, indexed in {ours['index_seconds']} s\n")
        print("| search | p50 ms | p99 ms | recall@10 |\n|---|---|---|---|")
        for name in ("hybrid", "meaning", "words"):
            recall = f"{ours['recall']:.3f}" if name == "meaning" else "–"
            print(f"| Sentient, {name} | {ours[name]['p50']:.2f} | {ours[name]['p99']:.2f} | {recall} |")
        found = ours["found_after"]
        print(f"| Sentient, from a commit until it is found | {found['p50']:.2f} | {found['p99']:.2f} | – |")
        if "hnswlib" not in args.without:
            times, recall, built = hnsw(vectors, questions, exactly(vectors, questions))
            print(f"| hnswlib, meaning (built in {built:.0f} s, ef 128) | {times[0]:.2f} | {times[1]:.2f} | {recall:.3f} |")
        if "sqlite" not in args.without:
            times = sqlite(folder, vectors, lines(folder / "texts.txt"), questions)
            print(f"| SQLite FTS5 + sqlite-vec, hybrid | {times[0]:.2f} | {times[1]:.2f} | 1.000 |")


if __name__ == "__main__":
    main()
