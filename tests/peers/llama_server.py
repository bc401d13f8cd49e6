"""Serves the small model over HTTP with llama.cpp: `llama_server.py MODEL`, run with the Python that has xllamacpp.

The first line of its output is the address. It ends when its input does, so it never outlives the test that started it.
"""

import os
import sys

import xllamacpp

CONTEXT_TOKENS = 4096
# A weak model may go on and on; the wire is what is tested.
ANSWER_TOKENS_MAX = 24


def main():
    # llama.cpp writes to the output as it likes: the address gets a way of its own.
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.n_ctx = CONTEXT_TOKENS
    params.n_predict = ANSWER_TOKENS_MAX
    # Threads that wait for each other spin: more of them than free cores is far slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_parallel = 1
    params.port = 0
    params.sampling.temp = 0.0
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, file=told, flush=True)
    sys.stdin.read()
    os._exit(0)


main()
