"""Reads LoCoMo: the turns of each conversation and the questions with the turns that answer them.

The data (CC BY-NC 4.0, snap-research/locomo) is never part of this repository; its folder is an argument.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Conversation:
    name: str
    ids: list  # of turns, e.g. D1:3
    texts: list
    questions: list  # (text, set of positions of evidence turns, category)


def conversations(folder):
    """All conversations, in the order of their names."""
    return [read(path) for path in sorted(Path(folder).glob("*.json"))]


def read(path):
    data = json.loads(path.read_text())
    ids, texts = [], []
    sessions = [key for key in data if re.fullmatch(r"session_\d+", key)]
    for key in sorted(sessions, key=lambda key: int(key.split("_")[1])):
        for turn in data[key]:
            ids.append(turn["dia_id"])
            texts.append(f"{turn['speaker']}: {turn['text']}")
    place = {name: at for at, name in enumerate(ids)}
    questions = []
    for question in data["qa"]:
        # Some evidence names several turns in one text, or turns that are not there.
        named = re.findall(r"D\d+:\d+", " ".join(question.get("evidence", [])))
        evidence = {place[name] for name in named if name in place}
        if evidence:
            questions.append((question["question"], evidence, question["category"]))
    return Conversation(path.stem, ids, texts, questions)
