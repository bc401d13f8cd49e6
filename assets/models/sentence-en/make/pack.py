"""Writes the model's file as the engine reads it (`embedder/src/file.rs` says what is where)."""

import struct

import numpy as np

MAGIC = b"SENTVEC1"
PARTS = 9
CODE_POINTS = 0x110000


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def ranges(codes):
    """Ascending code points as pairs of first and last."""
    out = []
    for code in codes:
        if out and out[-1][1] == code - 1:
            out[-1][1] = code
        else:
            out.append([code, code])
    return b"".join(struct.pack("<II", first, last) for first, last in out)


def classes(tokenizer):
    """What the tokenizer itself does with every code point: drops it, takes it for space, lets it stand alone."""
    vanishing, spacing, alone = [], [], []
    for code in range(CODE_POINTS):
        if 0xD800 <= code < 0xE000:
            continue
        letter = chr(code)
        plain = tokenizer.normalizer.normalize_str(letter)
        if plain == "":
            vanishing.append(code)
        elif plain == " ":
            spacing.append(code)
        else:
            cut = tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(f"a{letter}a"))
            if len(cut) > 1:
                alone.append(code)
    return [ranges(part) for part in (vanishing, spacing, alone)]


def slots(pieces):
    size = 1 << (2 * len(pieces) - 1).bit_length()
    table = [0] * size
    for number, piece in enumerate(pieces):
        slot = (fnv1a(piece) & 0xFFFFFFFF) & (size - 1)
        while table[slot]:
            slot = (slot + 1) & (size - 1)
        table[slot] = number + 1
    return struct.pack(f"<{size}H", *table), size


def quantised(vectors):
    """One scale per row, and whole numbers from -127 to 127."""
    largest = np.abs(vectors).max(axis=1)
    scales = (largest / 127).astype("<f4")
    safe = np.where(scales == 0, 1, scales)[:, None]
    return scales, np.clip(np.round(vectors / safe), -127, 127).astype(np.int8)


def pack(tokenizer, vectors):
    """The bytes of the file, and the vectors as they are in it."""
    pieces = [tokenizer.id_to_token(number).encode() for number in range(len(vectors))]
    scales, rows = quantised(vectors)
    table, size = slots(pieces)
    offsets = np.cumsum([0] + [len(piece) for piece in pieces]).astype("<u4")
    parts = [*classes(tokenizer), table, offsets.tobytes(), b"".join(pieces), scales.tobytes(), rows.tobytes()]
    head = 24 + 4 * PARTS
    begins = [head]
    for part in parts:
        begins.append(begins[-1] + len(part))
    unknown = tokenizer.token_to_id("[UNK]")
    first = MAGIC + struct.pack("<IIII", vectors.shape[1], len(vectors), size, unknown)
    return first + struct.pack(f"<{PARTS}I", *begins) + b"".join(parts), scales[:, None] * rows
