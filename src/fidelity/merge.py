#!/usr/bin/env python3
"""Several runs of the fidelity experiment on one GPU, merged into the table that the repository keeps.

    merge.py RUN.csv RUN.csv ... > src/fidelity/measured/nvidia_h200.csv

A case's time is the median of the runs' medians. `spread` is the slowest run's median over the fastest one's: pageable
copies, pinning and some calls differ between two processes by much more than within one.
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
    print(f"# medians of the medians of up to {len(runs)} processes; spread: the slowest process's over the fastest one's")
    print("group,case,set,time_ns,least_ns,greatest_ns,spread")
    names = dict.fromkeys(name for _, cases in runs for name in cases)
    for name in names:
        found = [cases[name] for _, cases in runs if name in cases]
        medians = [times[0] for _, times in found]
        least = min(times[1] for _, times in found)
        greatest = max(times[2] for _, times in found)
        spread = max(medians) / min(medians)
        print(f"{name[0]},{name[1]},{found[0][0]},{statistics.median(medians):.0f},{least:.0f},{greatest:.0f},{spread:.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
