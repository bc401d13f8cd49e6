"""What the engine is compared with: SQLite FTS5 + sqlite-vec ranked by the formula of contract section 7 (what the original
product uses), plain BM25, and hnswlib where it is installed."""

import re
import struct

import apsw  # the standard library's sqlite3 often cannot load extensions
import sqlite_vec

WORD = re.compile(r"\w+")
MIN_SIMILARITY = 0.35
KEYWORD_WEIGHT = 0.15
# Function words of English; both peers that leave words out use this list.
STOP = set(
    "a about after all also am an and any are as at be because been before being between both but by can could did do does "
    "doing down during each for from had has have having he her here hers him his how i if in into is it its just me more "
    "most my no nor not now of off on once only or other our out over own same she should so some such than that the their "
    "them then there these they this those through to too under until up very was we were what when where which while who "
    "whom why will with would you your".split()
)


def tokens(text):
    return WORD.findall(text.lower())


def counted(question):
    """At most ten different words, longer than two characters, no stop words (`memory.md` section 3)."""
    return [w for w in dict.fromkeys(tokens(question)) if len(w) > 2 and w not in STOP][:10]


class Sqlite:
    """FTS5 and sqlite-vec in one file or in memory. Row ids are places from 0, plus one."""

    def __init__(self, path, dimensions):
        self.db = apsw.Connection(path)
        self.db.enable_load_extension(True)
        self.db.load_extension(sqlite_vec.loadable_path())
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("CREATE VIRTUAL TABLE words USING fts5(content)")
        self.db.execute(f"CREATE VIRTUAL TABLE vectors USING vec0(embedding float[{dimensions}] distance_metric=cosine)")

    def add(self, first, texts, vectors):
        ids = range(first + 1, first + 1 + len(texts))
        rows = ((id, vector.tobytes()) for id, vector in zip(ids, vectors))
        with self.db:
            self.db.executemany("INSERT INTO words(rowid, content) VALUES (?, ?)", zip(ids, texts))
            self.db.executemany("INSERT INTO vectors(rowid, embedding) VALUES (?, ?)", rows)

    def nearest(self, vector, k):
        found = self.db.execute(
            "SELECT rowid, distance FROM vectors WHERE embedding MATCH ? AND k = ? ORDER BY distance", (vector.tobytes(), k)
        )
        return {id: 1.0 - distance for id, distance in found}

    def with_words(self, words, k):
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        found = self.db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (asked, k))
        return [id for (id,) in found]

    def bm25(self, question, k):
        """FTS5's own BM25 over all words of the question."""
        return [id - 1 for id in self.with_words(list(dict.fromkeys(tokens(question))), k)]

    def hybrid(self, question, vector, k=10):
        """Contract section 7: cosine + keyword_weight × share of query words present."""
        words = counted(question)
        pool = max(3 * k, 10)
        known = self.nearest(vector, pool)
        ranked = []
        for id in set(known) | set(self.with_words(words, pool)):
            similarity = known.get(id)
            if similarity is None:
                (stored,) = self.db.execute("SELECT embedding FROM vectors WHERE rowid = ?", (id,)).fetchone()
                similarity = sum(a * b for a, b in zip(struct.unpack(f"{len(vector)}f", stored), vector.tolist()))
            (content,) = self.db.execute("SELECT content FROM words WHERE rowid = ?", (id,)).fetchone()
            there = set(tokens(content))
            share = sum(word in there for word in words) / len(words) if words else 0.0
            if similarity >= MIN_SIMILARITY or (words and share >= 0.5):
                ranked.append((-(similarity + KEYWORD_WEIGHT * share), id - 1))
        return [place for _, place in sorted(ranked)[:k]]
