"""all-MiniLM-L6-v2 in numpy, full precision: hidden states, mean over the text's pieces, length one.

Only numpy, scipy, safetensors and tokenizers are needed; texts of one length go together, so nothing is padded.
"""

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer

BEGIN, END = 101, 102
PIECES_MAX = 256
HEADS, WIDTH, LAYERS = 12, 384, 6


class MiniLM:
    def __init__(self, folder):
        raw = load_file(f"{folder}/model.safetensors")
        self.weights = {
            name.removeprefix("bert."): np.ascontiguousarray(value.astype(np.float32).T if self._turns(name, value) else value.astype(np.float32))
            for name, value in raw.items()
            if value.dtype.kind == "f"
        }
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(PIECES_MAX)

    @staticmethod
    def _turns(name, value):
        return name.endswith("weight") and value.ndim == 2 and "embeddings" not in name

    def _norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _linear(self, x, name):
        return x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def hidden(self, ids):
        """`ids`: texts × pieces, all of one length."""
        texts, length = ids.shape
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
        x = self._norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        x = x.reshape(texts * length, WIDTH)
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self._linear(x, f"{at}attention.self.{part}").reshape(texts, length, HEADS, -1).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            scores = query @ key.transpose(0, 1, 3, 2) / np.float32((WIDTH // HEADS) ** 0.5)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(texts * length, WIDTH)
            x = self._norm(self._linear(mixed, f"{at}attention.output.dense") + x, f"{at}attention.output.LayerNorm")
            inner = self._linear(x, f"{at}intermediate.dense")
            inner = inner * 0.5 * (1 + erf(inner / np.float32(2**0.5))).astype(np.float32)
            x = self._norm(self._linear(inner, f"{at}output.dense") + x, f"{at}output.LayerNorm")
        return x.reshape(texts, length, WIDTH)

    def of_ids(self, lists, pieces_at_once=2048):
        out = np.zeros((len(lists), WIDTH), np.float32)
        by_length = {}
        for number, ids in enumerate(lists):
            by_length.setdefault(len(ids), []).append(number)
        for length, numbers in sorted(by_length.items()):
            step = max(1, pieces_at_once // length)
            for at in range(0, len(numbers), step):
                some = numbers[at : at + step]
                mean = self.hidden(np.array([lists[number] for number in some])).mean(1)
                out[some] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return out

    def encode(self, texts):
        return self.of_ids([encoding.ids for encoding in self.tokenizer.encode_batch(texts)])

    def pieces(self, texts):
        """Without the marks for beginning and end."""
        whole = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [encoding.ids for encoding in whole]
