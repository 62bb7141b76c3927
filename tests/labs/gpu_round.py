#!/usr/bin/env python3
"""Judges every lab on a real GPU, also on a machine that has neither a compiler nor this repository's libraries.

  gpu_round.py prepare BUNDLE [--arch sm_90] [--only S]  where the repository is built (nvcc, no GPU needed)
  gpu_round.py run BUNDLE OUT [--repeat N] [--only S]  where the GPU is; BUNDLE may have been copied there
  gpu_round.py record OUT DEVICE_LINE                  back in the repository: chapters/*/measured/checks_<card>.csv

`prepare` compiles each lab's solution, untouched starter, baseline and the known-wrong submissions that a GPU can show
(their header says `Devices: ... gpu`), and puts the check programs with their libraries beside them. `run` judges one
after the other, never two at once: they would take each other's time. It exits 1 when a solution is not passed, or
a starter or a known-wrong submission is not refused for its cause.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
DEVICES = ("gpu", "sim")
JUDGED_PROFILES = ("h200-pcie5", "a100-pcie4", "one-copy-engine")  # as in src/course/devices.cpp
TIME_LIMIT_S = 120  # for one submission; a check program has limits of its own
COLUMNS = ("lab", "submission", "checks", "as_expected", "status", "points", "seconds", "share", "share_low", "share_high",
           "speedup", "attainable", "pairs", "time_ns", "serial_ns", "bound_ns", "failed_checks")


def header(source):
    """The values of a known-wrong submission's first comment, by key."""
    lines = source.read_text().splitlines()
    comment = lines[: next(i for i, line in enumerate(lines) if not line.startswith("//"))]
    return dict(line[2:].strip().split(": ", 1) for line in comment if ": " in line)


def submissions(lab):
    """What is judged: name, source and, for known-wrong ones, the check and the cause that refuse it on a GPU."""
    found = [{"name": "solution", "source": ROOT / "solutions" / lab / "lab.cu"},
             {"name": "starter", "source": ROOT / "labs" / lab / "lab.cu"}]
    for source in sorted((ROOT / "tests" / lab / "wrong").glob("*.cu")):
        values = header(source)
        if "gpu" in values.get("Devices", "").split():
            found.append({"name": f"wrong/{source.stem}", "source": source, "cause": values["Cause"],
                          "check": values.get("Refused on a GPU by", values["Refused by"])})
    return found


def file_of(lab, name, device):
    return f"{lab}.{name.replace('/', '_')}.{device}"


def compile_program(source, device, arch, output):
    command = [BUILD / "src/compiler/course-cc", "--device", device, "--lab", "-o", output, source]
    command += ["--arch", arch] if device == "gpu" else []
    done = subprocess.run(command, env={**os.environ, "COURSE_ROOT": str(ROOT)}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{source}: expected it to compile for {device}, found\n{done.stderr}")
    subprocess.run(["strip", "-g", output], check=True)  # the checker needs the symbols' names, not their lines


def libraries_of(program):
    """Shared libraries that a bare machine lacks: all but the C and C++ runtime and the loader."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    paths = [line.split("=>")[1].split()[0] for line in listed.splitlines() if "=> /" in line]
    basic = ("libc.so", "libm.so", "libgcc_s", "libstdc++", "libpthread", "libdl", "librt", "ld-linux")
    return [path for path in paths if not pathlib.Path(path).name.startswith(basic)]


def prepare(options):
    bundle = options.bundle
    (bundle / "programs").mkdir(parents=True)
    (bundle / "lib").mkdir()
    (bundle / "profiles").mkdir()
    labs = sorted(folder.name for folder in (ROOT / "solutions").iterdir() if folder.is_dir())
    plan = {lab: [s for s in submissions(lab) if options.only in f"{lab}/{s['name']}"] for lab in labs}
    jobs = []
    for lab in labs:
        shutil.copy(BUILD / "tests" / lab / f"checks_{lab}", bundle / f"checks_{lab}")
        subprocess.run(["strip", bundle / f"checks_{lab}"], check=True)
        programs = [(s["name"], s["source"]) for s in plan[lab]] + [("baseline", ROOT / "tests" / lab / "baseline.cu")]
        jobs += [(source, device, options.arch, bundle / "programs" / file_of(lab, name, device))
                 for name, source in programs for device in DEVICES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: compile_program(*job), jobs))
    for needed in {library for lab in labs for program in
                   (bundle / f"checks_{lab}", bundle / "programs" / file_of(lab, "solution", "sim"))
                   for library in libraries_of(program)}:
        shutil.copy(needed, bundle / "lib")
    for profile in JUDGED_PROFILES:
        shutil.copy(ROOT / "src/device/profiles" / f"{profile}.json", bundle / "profiles")
    for lab in labs:
        for submission in plan[lab]:
            del submission["source"]
    (bundle / "plan.json").write_text(json.dumps(plan, indent=1))
    shutil.copy(__file__, bundle)
    print(f"{len(jobs)} programs in {bundle}")


def judge(bundle, out, lab, submission, filters, keep_trace):
    results = out / "results.json"
    results.unlink(missing_ok=True)

    def program(name, device):
        return str(bundle / "programs" / file_of(lab, name, device))

    command = [str(bundle / f"checks_{lab}"), "--device", "gpu", "--results", str(results),
               "--program", program(submission["name"], "gpu"), "--baseline", program("baseline", "gpu"),
               "--ordering-program", program(submission["name"], "sim"), "--ordering-baseline", program("baseline", "sim")]
    for profile in sorted((bundle / "profiles").glob("*.json")):
        command += ["--other-profile", str(profile)]
    command += [f"--gtest_filter={filters}"] if filters else []
    command += ["--trace", str(out / f"{lab}_trace.json")] if keep_trace else []
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{bundle / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    begin = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT_S)
    seconds = time.monotonic() - begin
    if not results.exists():
        sys.exit(f"{lab} {submission['name']}: expected results, found none, status {done.returncode}:\n{done.stderr}")
    return done.returncode, seconds, json.loads(results.read_text())


def as_expected(submission, status, checks):
    if submission["name"] == "solution":
        return status == 0
    if submission["name"] == "starter":
        return status == 1
    return any(check["id"] == submission["check"] and check["verdict"] == "fail" and check["cause"] == submission["cause"]
               for check in checks)


def row_of(lab, submission, what, status, seconds, results):
    speed = results.get("speed") or {}
    checks = results["checks"]
    failed = [f"{check['id']}:{check['cause']}" for check in checks
              if check["verdict"] != "pass" and check["cause"] != "needs"]
    values = (lab, submission["name"], what, int(as_expected(submission, status, checks)), status, results["points"],
              round(seconds, 1), *(speed.get(key) for key in ("share", "share_low", "share_high", "speedup", "attainable",
                                                              "pairs", "time_ns", "serial_time_ns", "bound_time_ns")),
              " ".join(failed))
    return {column: f"{value:.3f}" if isinstance(value, float) else "" if value is None else value
            for column, value in zip(COLUMNS, values)}


def run(options):
    bundle, out = options.bundle.resolve(), options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    plan = json.loads((bundle / "plan.json").read_text())
    begin, rows = time.monotonic(), []
    kept = open(out / "round.csv", "w", newline="", buffering=1)  # line by line: what was judged stays when the round is stopped
    writer = csv.DictWriter(kept, COLUMNS)
    writer.writeheader()

    def round_of(chosen, what):
        for lab, listed in plan.items():
            for submission in listed:
                if submission["name"].split("/")[0] == chosen and options.only in f"{lab}/{submission['name']}":
                    filters = f"*.typical_size:*.{submission['check']}" if what == "stated" else ""
                    keep = chosen == "solution" and not any(row["submission"] == "solution" and row["lab"] == lab for row in rows)
                    row = row_of(lab, submission, what, *judge(bundle, out, lab, submission, filters, keep))
                    rows.append(row)
                    writer.writerow(row)
                    print(" ".join(f"{row[key]}" for key in ("lab", "submission", "as_expected", "status", "points", "seconds",
                                                              "share", "failed_checks")), flush=True)

    round_of("solution", "all")
    round_of("starter", "all")
    print(f"solutions and starters: {time.monotonic() - begin:.0f} s")
    round_of("wrong", "stated")
    for _ in range(options.repeat):
        round_of("solution", "all")
    kept.close()
    wrong = [f"{row['lab']} {row['submission']}" for row in rows if not row["as_expected"]]
    print(f"{len(rows)} judged in {time.monotonic() - begin:.0f} s; not as expected: {wrong or 'none'}")
    return 1 if wrong or not rows else 0


def record(options):
    with open(options.out / "round.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    card = options.device_line.split(";")[0].split()[-1].lower()
    kept = COLUMNS[1:3] + COLUMNS[4:13] + COLUMNS[-1:]
    for lab in sorted({row["lab"] for row in rows}):
        measured = ROOT / "chapters" / lab / "measured"
        measured.mkdir(parents=True, exist_ok=True)
        with open(measured / f"checks_{card}.csv", "w", newline="") as file:
            file.write(f"# device: {options.device_line}\n"
                       "# share: of the attainable gain (lab 6: throughput), with its confidence interval\n"
                       "# checks: all, as ./course check runs them; stated: typical_size and the one that the submission names\n")
            writer = csv.DictWriter(file, kept, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(row for row in rows if row["lab"] == lab)
        trace = options.out / f"{lab}_trace.json"
        kept_trace = measured / f"solution_trace_{card}.json"
        if trace.exists() and not kept_trace.exists():  # one that is there may have been cut for its picture
            shutil.copyfile(trace, kept_trace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("prepare")
    one.add_argument("bundle", type=pathlib.Path)
    one.add_argument("--arch", default="sm_90")
    one.add_argument("--only", default="", help="compile only what has this in LAB/SUBMISSION")
    two = commands.add_parser("run")
    two.add_argument("bundle", type=pathlib.Path)
    two.add_argument("out", type=pathlib.Path)
    two.add_argument("--repeat", type=int, default=0, help="whole checks of each solution after the first")
    two.add_argument("--only", default="", help="judge only what has this in LAB/SUBMISSION")
    three = commands.add_parser("record")
    three.add_argument("out", type=pathlib.Path)
    three.add_argument("device_line", help='"NVIDIA H200; PCIe 5 x16; driver ...; CUDA Toolkit ...; date"')
    options = parser.parse_args()
    return {"prepare": prepare, "run": run, "record": record}[options.command](options) or 0


if __name__ == "__main__":
    sys.exit(main())
