"""Whether a kernel of the bench is slower on x86-64-v4 than on x86-64-v3, on a machine that has both.

levels.py KILN_BENCH

Both are measured in turn, by processor time on one thread; the best of all runs counts, since other work on the machine
only adds to it. A kernel fails where v4 takes more than 1/0.95 of the time, after three more rounds of that kernel alone.
"""
import json
import re
import subprocess
import sys

ARCHS = ("x86-64-v3", "x86-64-v4")
ROUNDS = 3
LIMIT = 1 / 0.95
SKIPPED = 77


def has_both():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        flags = set(re.search(r"^flags\s*:(.*)$", info.read(), re.M).group(1).split())
    return {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags


def measure(bench, arch, kernel, best):
    command = [bench, "-b", "cpu", "-a", arch, "-k", kernel, "-t", "1", "-n", "11", "--cpu-time", "--alone", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    for row in json.loads(result.stdout)["kernels"]:
        assert row["ok"], f"{row['name']}: wrong on {arch}"
        times = best.setdefault(row["name"], {})
        times[arch] = min(times.get(arch, row["best"]), row["best"])


def slower(best):
    return [name for name, times in best.items() if times[ARCHS[1]] > LIMIT * times[ARCHS[0]]]


def main():
    if not has_both():
        print("skipped: this processor has no AVX-512")
        return SKIPPED
    best = {}
    for _ in range(ROUNDS):
        for arch in ARCHS:
            measure(sys.argv[1], arch, "", best)
    for name in slower(best):
        for _ in range(ROUNDS):
            for arch in ARCHS:
                measure(sys.argv[1], arch, name, best)
    for name, times in best.items():
        print(f"{name:15} {times[ARCHS[0]]:8.3f} {times[ARCHS[1]]:8.3f} ms  {times[ARCHS[1]] / times[ARCHS[0]]:.2f}")
    assert best, "no kernel was measured"
    failed = slower(best)
    if failed:
        print("slower with AVX-512 than with AVX2:", ", ".join(failed))
    return bool(failed)


sys.exit(main())
