"""Runs the tests beside this file and ends with one line that says how they went: `every.py [part of a file name]`."""

import os
import pathlib
import sys
import unittest
import warnings

SKIPPED = 77


class Result(unittest.TextTestResult):
    """Counts what passed: unittest only counts what ran."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main():
    here = pathlib.Path(__file__).parent
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    names = sorted(path.stem for path in here.glob("test_*.py") if wanted in path.stem)
    if not names:
        print(f'peers: no test file has "{wanted}" in its name')
        return 1
    sys.path.insert(0, str(here))
    warnings.simplefilter("default", ResourceWarning)
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)
    for test, reason in result.skipped:
        print(f"peers: SKIPPED {test}: {reason}")
    failed = len({str(test).split(" [")[0] for test, _ in [*result.failures, *result.errors]})
    engine = os.environ.get("SENTIENT_BINARY", "no program")
    counts = f"{result.passed} passed, {failed} failed, {len(result.skipped)} skipped"
    print(f"peers: {counts}, against {engine}", flush=True)
    if failed or not result.wasSuccessful():
        return 1
    return 0 if result.passed else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
