#!/usr/bin/env python3
"""Several runs of the fidelity experiment on one GPU, merged into the table that the repository keeps.

    merge.py RUN.csv RUN.csv ... > src/fidelity/measured/nvidia_h200.csv

A case's time is the median of the processes' medians. `low_ns` to `high_ns` is where they lie, without the fastest and the
slowest process when there are five or more: pageable copies, pinning and some calls differ between two processes by much more
than within one, and one process in ten is disturbed for a while.
"""
import statistics
import sys


def read(path):
    facts, cases = [], {}
    with open(path) as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("#"):
                facts.append(line)
            elif not line.startswith("group,"):
                group, case, half, *times = line.split(",")
                cases[group, case] = (half, [float(time) for time in times])
    return facts, cases


def main(paths):
    runs = [read(path) for path in paths]
    for fact in runs[0][0]:
        print(fact)
    names = dict.fromkeys(name for _, cases in runs for name in cases)
    most = max(sum(name in cases for _, cases in runs) for name in names)
    print(f"# time: median of the medians of up to {most} processes; low, high: the processes, without the fastest and the slowest")
    print("group,case,set,time_ns,low_ns,high_ns")
    for name in names:
        found = [cases[name] for _, cases in runs if name in cases]
        medians = sorted(times[0] for _, times in found)
        middle = medians[1:-1] if len(medians) >= 5 else medians
        print(f"{name[0]},{name[1]},{found[0][0]},{statistics.median(medians):.0f},{middle[0]:.0f},{middle[-1]:.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
