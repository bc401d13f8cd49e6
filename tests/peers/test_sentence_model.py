"""The builtin sentence model against the usual library for its tokenizer: what the engine is checked with (`checks.json`) is
what the published tokenizer says today, and the file is whole and read here as the engine reads it."""

import json
import math
import pathlib
import struct
import subprocess
import unittest

import tools

FOLDER = pathlib.Path(__file__).parents[2] / "assets" / "models" / "sentence-en"
CUT = """
import json, sys
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers
vocab = json.load(sys.stdin)
tokenizer = Tokenizer(models.WordPiece({piece: at for at, piece in enumerate(vocab["pieces"])}, unk_token="[UNK]"))
tokenizer.normalizer = normalizers.BertNormalizer()
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
print(json.dumps([tokenizer.encode(text, add_special_tokens=False).ids for text in vocab["texts"]]))
"""


class File:
    """`embedder/src/file.rs` says what is where."""

    def __init__(self):
        data = (FOLDER / "sentence-en.bin").read_bytes()
        assert data[:8] == b"SENTVEC1"
        self.dimensions, count, _, _ = struct.unpack_from("<IIII", data, 8)
        begins = struct.unpack_from("<9I", data, 24)
        assert begins[-1] == len(data)
        offsets = struct.unpack_from(f"<{count + 1}I", data, begins[4])
        letters = data[begins[5] : begins[6]]
        self.pieces = [letters[one:other].decode() for one, other in zip(offsets, offsets[1:])]
        self.scales = struct.unpack_from(f"<{count}f", data, begins[6])
        self.rows = data[begins[7] :]

    def vector(self, ids):
        total = [0.0] * self.dimensions
        for piece in ids:
            row = struct.unpack_from(f"<{self.dimensions}b", self.rows, piece * self.dimensions)
            total = [sum_ + self.scales[piece] * number for sum_, number in zip(total, row)]
        length = math.sqrt(math.fsum(number * number for number in total))
        return [number / length for number in total]


def cosine(one, other):
    length = math.sqrt(math.fsum(x * x for x in one) * math.fsum(y * y for y in other))
    return math.fsum(x * y for x, y in zip(one, other)) / length


class SentenceModel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = File()
        cls.checks = json.loads((FOLDER / "checks.json").read_text(encoding="utf-8"))

    def test_the_published_tokenizer_cuts_every_text_as_it_is_checked(self):
        python = tools.python_with("tokenizers")
        texts = [row["text"] for row in self.checks["pieces"]]
        asked = json.dumps({"pieces": self.file.pieces, "texts": texts})
        said = subprocess.run([*python, "-c", CUT], input=asked, capture_output=True, text=True, timeout=120, check=True)
        for row, ids in zip(self.checks["pieces"], json.loads(said.stdout), strict=True):
            self.assertEqual(ids, row["ids"], row["text"])

    def test_the_vectors_of_the_file_are_those_before_they_were_made_small(self):
        ids = {row["text"]: row["ids"] for row in self.checks["pieces"]}
        for row in self.checks["vectors"]:
            self.assertGreater(cosine(self.file.vector(ids[row["text"]]), row["vector"]), 0.999, row["text"])


if __name__ == "__main__":
    unittest.main()
