#!/usr/bin/env python3
"""Several runs of the fidelity experiment on one GPU, merged into the table that the repository keeps.

    merge.py RUN.csv RUN.csv ... > src/fidelity/measured/nvidia_h200.csv

A case's time is the lower quartile of the processes' medians: other users of a server only ever add to it. It is what other
processes find again: README.md says how well, beside the median, which stands in `median_ns`. `low_ns` to `high_ns` is where
the processes lie, without the fastest and the slowest one when there are five or more.
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


def lower_quartile(ascending):
    return ascending[round((len(ascending) - 1) / 4)]


def main(paths):
    runs = [read(path) for path in paths]
    for fact in runs[0][0]:
        print(fact)
    names = dict.fromkeys(name for _, cases in runs for name in cases)
    most = max(sum(name in cases for _, cases in runs) for name in names)
    print(f"# time: lower quartile of the medians of up to {most} processes; median: their median; "
          "low, high: where they lie, without the fastest and the slowest")
    print("group,case,set,time_ns,median_ns,low_ns,high_ns")
    for name in names:
        found = [cases[name] for _, cases in runs if name in cases]
        medians = sorted(times[0] for _, times in found)
        middle = medians[1:-1] if len(medians) >= 5 else medians
        times = [lower_quartile(medians), statistics.median(medians), middle[0], middle[-1]]
        print(",".join([*name, found[0][0], *(f"{time:.0f}" for time in times)]))


if __name__ == "__main__":
    main(sys.argv[1:])
