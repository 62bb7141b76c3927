#!/usr/bin/env python3
"""Fits constants of a profile to the half of the fidelity experiment that is for it.

    fit.py PROGRAM PROFILE.json MEASURED.csv [--constant NAME ...] [--rounds N]

PROGRAM is fidelity.cu, built for the simulated device; PROFILE is changed in place. One constant after the other is made
larger and smaller by a step; what brings the simulated times of the groups that depend on it nearer to the measured ones
is kept, and the step halved. Only cases marked `fit`, of 0.1 ms and longer; each counts by the size of the
logarithm of its ratio, so that one case that no constant can mend does not pull at the others. Standard library only.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

SHORTEST_NS = 100_000

# Each constant, with the groups whose times it changes most.
GROUPS = {
    "host_launch_ns": ["call loops", "concurrent kernels", "streams and chunks", "waits in the loop"],
    "host_copy_async_ns": ["call loops", "streams and chunks"],
    "host_query_ns": ["call loops"],
    "host_wake_up_ns": ["call loops"],
    "host_function_latency_ns": ["call loops"],
    "kernel_dependency_latency_ns": ["call loops"],
    "small_copy_dependency_latency_ns": ["call loops", "streams and chunks", "role streams"],
    "host_untimed_event_record_ns": ["call loops"],
    "host_stream_wait_event_ns": ["call loops"],
    "host_small_memset_ns": ["call loops"],
    "host_device_copy_ns": ["call loops"],
    "host_launch_host_function_ns": ["call loops"],
    "kernel_overhead_ns": ["call loops", "concurrent kernels"],
    "graph_kernel_overhead_ns": ["graphs"],
    "host_graph_launch_ns": ["graphs"],
    "h2d_copy_overhead_ns": ["call loops", "copies in a row"],
    "d2h_copy_overhead_ns": ["call loops", "copies in a row"],
    "stream_switch_ns": ["copies in a row"],
    "both_directions_overhead_ns": ["both directions", "role streams"],
    "both_directions_bytes_per_second": ["both directions"],
    "dependency_latency_ns": ["call loops", "role streams", "streams and chunks", "waits in the loop"],
    "h2d_pageable_bytes_per_second": ["pageable pipeline", "copy", "waits in the loop", "call loops"],
    "h2d_pageable_large_bytes_per_second": ["pageable pipeline", "copy", "waits in the loop"],
    "d2h_pageable_bytes_per_second": ["pageable pipeline", "copy", "waits in the loop", "call loops"],
    "d2h_pageable_large_bytes_per_second": ["pageable pipeline", "copy", "waits in the loop"],
    "host_event_record_ns": ["call loops"],
    "host_create_stream_ns": ["call loops"],
    "host_create_event_ns": ["call loops"],
    "host_ordered_allocation_ns": ["call loops"],
    "host_pinned_allocation_bytes_per_second": ["allocations"],
    "host_pinned_allocation_large_bytes_per_second": ["allocations"],
    "host_device_allocation_ns": ["allocations"],
    "host_device_free_ns": ["allocations"],
    "host_pinned_free_bytes_per_second": ["allocations"],
    "host_registration_bytes_per_second": ["allocations"],
    "host_unregistration_bytes_per_second": ["allocations"],
}


def read_times(path, wanted=lambda row: True):
    with open(path, newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(row["group"], row["case"]): float(row["time_ns"]) for row in rows if wanted(row)}


def simulate(program, profile, groups):
    with tempfile.TemporaryDirectory() as folder:
        profile_file = os.path.join(folder, "profile.json")
        times_file = os.path.join(folder, "times.csv")
        with open(profile_file, "w") as file:
            json.dump(profile, file)
        command = [program, "--set", "fit", "--csv", times_file]
        for group in groups:
            command += ["--group", group]
        environment = {**os.environ, "COURSE_PROFILE": profile_file, "COURSE_QUIET": "1"}
        subprocess.run(command, env=environment, check=True)
        return read_times(times_file)


def distance(simulated, measured):
    logarithms = [abs(math.log(simulated[name] / time)) for name, time in measured.items() if name in simulated]
    return sum(logarithms) / len(logarithms)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program")
    arguments.add_argument("profile")
    arguments.add_argument("measured")
    arguments.add_argument("--constant", action="append", choices=GROUPS)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--step", type=float, default=0.10)
    given = arguments.parse_args()

    measured = read_times(given.measured, lambda row: row["set"] == "fit" and float(row["time_ns"]) >= SHORTEST_NS)
    with open(given.profile) as file:
        profile = json.load(file)
    step = given.step
    for _ in range(given.rounds):
        for constant in given.constant or GROUPS:
            best = distance(simulate(given.program, profile, GROUPS[constant]), measured)
            for factor in (1 + step, 1 / (1 + step)):
                changed = {**profile, constant: round(profile[constant] * factor)}
                found = distance(simulate(given.program, changed, GROUPS[constant]), measured)
                if found < best:
                    best, profile = found, changed
                    break
            print(f"{constant}: {profile[constant]} (mean deviation of its groups {100 * best:.2f} %)", flush=True)
        step /= 2
        with open(given.profile, "w") as file:
            file.write(json.dumps(profile, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
