// One run of a check program: which programs are judged on which device, and what came of it so far.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checks/lab_process.hpp"
#include "checks/results.hpp"
#include "checks/values.hpp"
#include "protocol/shared_memory.hpp"

namespace checks {

struct Options {
    std::string lab;
    std::filesystem::path program;   // the student's, built for `simulated` or a GPU
    std::filesystem::path baseline;  // the serial version, built for the same device
    bool simulated = true;
    std::optional<std::filesystem::path> ordering_program;  // the student's, built for the simulated device
    std::optional<std::filesystem::path> ordering_baseline;  // the baseline, built for the simulated device
    std::optional<std::filesystem::path> profile;
    std::vector<std::filesystem::path> other_profiles;  // of simulated devices on which the program must do well too
    std::uint64_t seed = 0;
    std::optional<std::filesystem::path> results;
    std::optional<std::filesystem::path> trace;  // keep the trace of the typical run here
    Limits limits;
};

// How long the program says that each stage takes.
struct StageMilliseconds {
    float h2d = 0;
    float kernel = 0;
    float d2h = 0;
};

// What came of one problem.
struct Solved {
    std::optional<Failure> wrong;          // wrong values
    std::chrono::nanoseconds elapsed{};    // of the last run(): virtual on the simulated device, else wall time
    std::chrono::nanoseconds host_work{};  // that the last run() did by lab::host_work
    float reported_ms = 0;                 // what the program itself says that the last run() took
    StageMilliseconds stages;              // what the program measured, where the plan asked for it
    std::optional<device::Trace> trace;
};

enum class Traced { no, yes };

class Session {
public:
    explicit Session(Options options);
    ~Session();

    const Options& options() const { return options_; }
    Results& results() { return results_; }

    // The student's program for the simulated device, when there is one.
    std::optional<std::filesystem::path> simulated_program() const;

    // What to give a session that judges the same programs on another simulated device; nothing when they were not
    // built for one.
    std::optional<Options> options_for(const std::filesystem::path& profile) const;

    // Makes sure that the baseline program can use the device at all, so that a missing GPU is not blamed on the
    // student. Throws CannotCheck.
    void require_device() { measurement(1024); }

    // What the device needs for one chunk, measured by the baseline program; `rounds` 0 chooses them so that k is about
    // h. Measured once for each chunk size and number of rounds. Throws CannotCheck.
    const protocol::Measurement& measurement(std::size_t chunk_elements, unsigned rounds = 0);

    // Solves the problem `cycles` times from allocate() to release() with `runs` run()s each; every run's values are
    // judged, and the first wrong ones are kept. In a new process that is let end, or, not traced on a GPU, in the one
    // of process_for(). Throws CheckFailed.
    struct Plan {
        Problem problem;
        int cycles = 1;
        int runs = 1;
        Traced traced = Traced::no;
        bool warm_up = false;  // one more run before; in the trace only the last one stays
        bool measure_stages = false;  // ask the program to measure the stages, after the runs
    };
    Solved solve(const std::filesystem::path& program, const Plan& plan);

    // Starts a program with the time limit that still applies. `trace`: where it writes its trace.
    std::unique_ptr<LabProcess> start(const std::filesystem::path& program,
                                      const std::optional<std::filesystem::path>& trace = std::nullopt);

    // The process that serves one untraced problem after the other. On a GPU it is kept, because every new process pays
    // for a context of its own; on the simulated device it is a new one each time.
    std::shared_ptr<LabProcess> process_for(const std::filesystem::path& program);
    // After a failure: the next process_for() starts a new one.
    void forget_processes() { kept_.clear(); }

    // Calls `body` and rethrows what it throws; after a hang the later time limits are short.
    template <typename Body>
    auto watched(Body body) {
        try {
            return body();
        } catch (const CheckFailed& failed) {
            note(failed.failure());
            throw;
        }
    }

    // Makes the shared memory large enough; processes started before do not see the new memory, and are not kept.
    void reserve(const Problem& problem);

    // Fills the shared inputs with a fresh seed, and returns that seed. The memory must have been reserved.
    std::uint64_t fresh_inputs(const Problem& problem);

    // The request that prepares, fills or collects `problem` in the shared memory.
    protocol::Request request(protocol::Action action, const Problem& problem) const;
    std::span<const Element> outputs(const Problem& problem) const;

    // Findings of every trace so far, each once, in the order of their discovery.
    const std::vector<device::Finding>& findings() const { return findings_; }
    void add_findings(const device::Trace& trace);

    std::filesystem::path temporary_file(const std::string& name) const { return directory_ / name; }

private:
    void note(const Failure& failure);
    void drive(LabProcess& process, const Plan& plan, Solved& solved);

    // An error code says little; the simulated device saw which call was wrong, and where. Lets the program end, and
    // throws CheckFailed with what is in its trace; returns when that says nothing.
    void explain_error(LabProcess& process, const std::filesystem::path& trace_file);

    Options options_;
    Results results_;
    std::filesystem::path directory_;
    protocol::SharedMemory memory_;
    std::uint64_t runs_started_ = 0;
    bool hung_ = false;
    std::map<std::filesystem::path, std::shared_ptr<LabProcess>> kept_;
    std::map<std::pair<std::size_t, unsigned>, protocol::Measurement> measurements_;
    std::vector<device::Finding> findings_;
};

// A seed that is the same for the same program file: FNV-1a of its bytes. Throws CannotCheck when it cannot be read.
std::uint64_t seed_of(const std::filesystem::path& program);

}  // namespace checks
