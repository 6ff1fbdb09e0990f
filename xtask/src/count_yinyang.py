"""Runs a program of yinyang as it is, and prints what it counted as a line of JSON at its end.

The program itself prints rates every two seconds, and nothing of a run that ends earlier. Arguments: the program, then
its own.
"""

import atexit
import json
import runpy
import sys

from yinyang.src.core import Fuzzer as fuzzing

counts = {"tests": 0, "calls": 0, "answers": 0, "triggers": 0}
statistics = []


class KeptStatistic(fuzzing.Statistic):
    def __init__(self):
        super().__init__()
        statistics.append(self)


def counted_tests(create_testbook):
    def create(self, script):
        counts["tests"] += 1
        return create_testbook(self, script)

    return create


def counted_answers(grep_result):
    def grep(output):
        result = grep_result(output)
        words = str(result).split()
        counts["answers"] += "sat" in words or "unsat" in words
        return result

    return grep


def tell():
    for kept in statistics:
        counts["calls"] += kept.solver_calls
        counts["triggers"] += kept.crashes + kept.soundness
    print("\ncounted " + json.dumps(counts), flush=True)


fuzzing.Statistic = KeptStatistic
fuzzing.Fuzzer.create_testbook = counted_tests(fuzzing.Fuzzer.create_testbook)
fuzzing.grep_result = counted_answers(fuzzing.grep_result)
atexit.register(tell)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
