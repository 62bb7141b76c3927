// Random programs against an oracle that knows nothing of the simulator: a graph of what each step comes after.
// Programs that the oracle finds ordered must run without a finding and compute what they compute step by step; with
// one ordering step taken out, something must be found exactly when the oracle says that it mattered.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "device/environment.hpp"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/simulated_device.hpp"

namespace simulator {
namespace {

// --- programs ---

constexpr std::size_t cell_bytes = 1024;
constexpr unsigned cells = 8;           // in each buffer
constexpr unsigned device_buffers = 3;  // then come the pinned ones
constexpr unsigned buffers = 5;
constexpr unsigned events = 4;
constexpr unsigned streams = 5;  // 0: the legacy default stream; 1 and 2 block; 3 and 4 do not

bool is_device(unsigned buffer) {
    return buffer < device_buffers;
}
bool is_blocking(unsigned stream) {
    return stream < 3;
}

struct Range {
    unsigned buffer = 0;
    unsigned begin = 0;
    unsigned end = 0;  // cells
};

struct StepAccess {
    Range range;
    Access kind = Access::read;
};

enum class Kind {
    kernel,        // reads `from`, writes or atomically adds to `to`
    copy,          // from `from` to `to`, asynchronous
    waiting_copy,  // the same, in the legacy default stream; the host waits unless both are on the device
    fill,          // asynchronous
    host_read,
    host_write,
    record,
    wait,
    synchronize_stream,
    synchronize_event,
    synchronize_device,
    query_stream,  // until it succeeds
    query_event
};

struct Step {
    Kind kind = Kind::kernel;
    unsigned stream = 0;
    unsigned event = 0;
    Range from = {};
    Range to = {};
    Access writes_by = Access::write;  // kernels: write or atomic
    unsigned value = 0;
    Time host_work{};  // before the step

    bool orders() const { return kind >= Kind::record; }
    bool host_waits() const { return kind == Kind::waiting_copy && !(is_device(from.buffer) && is_device(to.buffer)); }
};

using Steps = std::vector<Step>;

std::vector<StepAccess> accesses_of(const Step& step) {
    switch (step.kind) {
        case Kind::kernel:
            return {{step.from, Access::read}, {step.to, step.writes_by}};
        case Kind::copy:
        case Kind::waiting_copy:
            return {{step.from, Access::read}, {step.to, Access::write}};
        case Kind::fill:
        case Kind::host_write:
            return {{step.to, Access::write}};
        case Kind::host_read:
            return {{step.from, Access::read}};
        default:
            return {};
    }
}

// --- the oracle: each node with all that lies before it ---

class Oracle {
public:
    static constexpr std::size_t most_nodes = 512;
    using Past = std::bitset<most_nodes>;

    void add(const Step& step) {
        switch (step.kind) {
            case Kind::host_read:
            case Kind::host_write:
                host_ = new_node({host_});
                note(step, host_);
                break;
            case Kind::record:
                recordings_[step.event] = in_stream(step.stream, {});
                break;
            case Kind::wait:
                if (recordings_[step.event]) {
                    in_stream(step.stream, {*recordings_[step.event]});
                }
                break;
            case Kind::synchronize_stream:
            case Kind::query_stream:
                host_ = new_node(with_stream(step.stream, {host_}));
                break;
            case Kind::synchronize_event:
            case Kind::query_event:
                host_ = recordings_[step.event] ? new_node({host_, *recordings_[step.event]}) : host_;
                break;
            case Kind::synchronize_device:
                host_ = new_node({host_, tails_[0], tails_[1], tails_[2], tails_[3], tails_[4]});
                break;
            default: {
                const std::size_t node = in_stream(step.stream, {});
                note(step, node);
                host_ = step.host_waits() ? new_node({host_, node}) : host_;
            }
        }
    }

    // The nodes with an access that conflicts with one of `step` and that nothing puts before it, were it added now.
    std::vector<std::size_t> unordered_before(const Step& step) const {
        Oracle next = *this;
        next.noted_.clear();
        next.races_ = 0;
        next.add(step);
        std::vector<std::size_t> found;
        for (const Noted& later : next.noted_) {
            for (const Noted& earlier : noted_) {
                if (conflict(earlier.access, later.access) && !next.pasts_[later.node][earlier.node]) {
                    found.push_back(earlier.node);
                }
            }
        }
        return found;
    }

    std::size_t races() const { return races_; }
    unsigned stream_of(std::size_t node) const { return streams_.at(node); }

private:
    struct Noted {
        std::size_t node;
        StepAccess access;
    };

    static bool conflict(const StepAccess& a, const StepAccess& b) {
        const bool overlap =
            a.range.buffer == b.range.buffer && a.range.begin < b.range.end && b.range.begin < a.range.end;
        return overlap && !(a.kind == b.kind && a.kind != Access::write);
    }

    std::size_t new_node(const std::vector<std::size_t>& after) {
        Past past;
        for (const std::size_t before : after) {
            past |= pasts_[before];
            past.set(before);
        }
        pasts_.push_back(past);
        return pasts_.size() - 1;
    }

    // Work in the legacy default stream comes after all blocking streams, and they come after it.
    std::vector<std::size_t> with_stream(unsigned stream, std::vector<std::size_t> after) const {
        after.push_back(tails_[stream]);
        for (unsigned other = 0; stream == 0 && other < streams; ++other) {
            if (is_blocking(other)) {
                after.push_back(tails_[other]);
            }
        }
        return after;
    }

    std::size_t in_stream(unsigned stream, std::vector<std::size_t> after) {
        after = with_stream(stream, std::move(after));
        after.push_back(host_);
        if (is_blocking(stream)) {
            after.push_back(tails_[0]);
        }
        tails_[stream] = new_node(after);
        streams_[tails_[stream]] = stream;
        return tails_[stream];
    }

    void note(const Step& step, std::size_t node) {
        const std::size_t known = noted_.size();
        for (const StepAccess& access : accesses_of(step)) {
            for (std::size_t i = 0; i < known; ++i) {
                races_ += conflict(noted_[i].access, access) && !pasts_[node][noted_[i].node] ? 1 : 0;
            }
            noted_.push_back({node, access});
        }
    }

    std::vector<Past> pasts_{Past{}};  // the first node is the start of the program
    std::size_t host_ = 0;
    std::array<std::size_t, streams> tails_{};
    std::array<std::optional<std::size_t>, events> recordings_{};
    std::map<std::size_t, unsigned> streams_;
    std::vector<Noted> noted_;
    std::size_t races_ = 0;
};

std::size_t races_in(const Steps& steps) {
    Oracle oracle;
    for (const Step& step : steps) {
        oracle.add(step);
    }
    return oracle.races();
}

// --- generated programs ---

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}

    // A program in which every conflicting pair is ordered: whatever is not gets an ordering step first.
    Steps ordered_program(std::size_t accesses) {
        Steps steps;
        Oracle oracle;
        const auto add = [&](const Step& step) {
            steps.push_back(step);
            oracle.add(step);
        };
        for (std::size_t i = 0; i < accesses; ++i) {
            const Step step = random_access();
            for (auto before = oracle.unordered_before(step); !before.empty(); before = oracle.unordered_before(step)) {
                order(oracle.stream_of(before[pick(before.size())]), step, add);
            }
            add(step);
            if (pick(4) == 0) {  // as programs do: an event right behind the work
                add({.kind = Kind::record, .stream = step.stream, .event = pick(events)});
            }
        }
        return steps;
    }

private:
    unsigned pick(std::size_t count) { return static_cast<unsigned>(random_() % count); }

    Range random_range(unsigned first_buffer, unsigned last_buffer, unsigned count) {
        const unsigned begin = pick(cells - count + 1);
        return {first_buffer + pick(last_buffer - first_buffer + 1), begin, begin + count};
    }

    Step random_access() {
        const unsigned count = 1 + pick(4);
        Step step;
        step.stream = pick(streams);
        step.value = random_();
        step.host_work = Time(pick(3) == 0 ? pick(30'000) : 0);
        switch (pick(8)) {
            case 0:
            case 1:
            case 2:
                step.kind = Kind::kernel;
                step.from = random_range(0, device_buffers - 1, count);
                step.to = random_range(0, device_buffers - 1, count);
                step.writes_by = pick(3) == 0 ? Access::atomic : Access::write;
                if (step.writes_by == Access::atomic) {
                    step.from = {step.to.buffer == 0 ? 1U : 0U, step.from.begin,
                                 step.from.end};  // no plain access of the sum
                }
                break;
            case 3:
            case 4:
            case 5:
                step.kind = pick(4) == 0 ? Kind::waiting_copy : Kind::copy;
                step.stream = step.kind == Kind::waiting_copy ? 0 : step.stream;
                step.from = random_range(0, buffers - 1, count);
                do {
                    step.to = random_range(0, buffers - 1, count);
                } while (step.to.buffer == step.from.buffer ||
                         (!is_device(step.from.buffer) && !is_device(step.to.buffer)));
                break;
            case 6:
                step.kind = Kind::fill;
                step.to = random_range(0, buffers - 1, count);
                break;
            default:
                step.kind = pick(2) == 0 ? Kind::host_read : Kind::host_write;
                step.from = step.to = random_range(device_buffers, buffers - 1, count);
        }
        return step;
    }

    // Puts all work of `stream` so far before `next`.
    template <class Add>
    void order(unsigned stream, const Step& next, Add add) {
        const unsigned event = pick(events);
        const bool on_host = next.kind == Kind::host_read || next.kind == Kind::host_write;
        switch (pick(on_host ? 5 : 9)) {
            case 0:
                return add({.kind = Kind::synchronize_stream, .stream = stream});
            case 1:
                return add({.kind = Kind::query_stream, .stream = stream});
            case 2:
                return add({.kind = Kind::synchronize_device});
            case 3:
                add({.kind = Kind::record, .stream = stream, .event = event});
                return add({.kind = Kind::synchronize_event, .event = event});
            case 4:
                add({.kind = Kind::record, .stream = stream, .event = event});
                return add({.kind = Kind::query_event, .event = event});
            default:
                add({.kind = Kind::record, .stream = stream, .event = event});
                return add({.kind = Kind::wait, .stream = next.stream, .event = event});
        }
    }

    std::mt19937 random_;
};

// --- two ways to run them ---

using Cell = std::array<std::uint32_t, cell_bytes / sizeof(std::uint32_t)>;

Cell filled(std::uint32_t value) {
    Cell cell;
    cell.fill(value);
    return cell;
}

// One step after the other, in order of issue.
class Reference {
public:
    Reference() : memory_(buffers, std::vector<Cell>(cells, filled(0))) {}

    void run(const Step& step) {
        const std::vector<Cell> source = memory_[step.from.buffer];  // what a kernel reads may overlap what it writes
        for (unsigned i = 0; i < step.to.end - step.to.begin; ++i) {
            Cell& to = memory_[step.to.buffer][step.to.begin + i];
            const Cell& from = source[step.from.begin + i];
            switch (step.kind) {
                case Kind::kernel:
                    for (std::size_t word = 0; word < to.size(); ++word) {
                        to[word] = step.writes_by == Access::atomic ? to[word] + step.value : from[word] + step.value;
                    }
                    break;
                case Kind::copy:
                case Kind::waiting_copy:
                    to = from;
                    break;
                case Kind::fill:
                    to = filled((step.value & 0xFF) * 0x01010101U);
                    break;
                case Kind::host_write:
                    to = filled(step.value);
                    break;
                default:
                    break;
            }
        }
    }

    const Cell& cell(unsigned buffer, unsigned index) const { return memory_[buffer][index]; }

private:
    std::vector<std::vector<Cell>> memory_;
};

class Simulation {
public:
    explicit Simulation(const device::Profile& profile) : device_(profile) {
        for (unsigned buffer = 0; buffer < buffers; ++buffer) {
            void* memory = nullptr;
            device_.begin_call();
            EXPECT_EQ(device_.allocate(is_device(buffer) ? MemoryKind::device : MemoryKind::pinned, &memory,
                                       cells * cell_bytes, 0),
                      cudaSuccess);
            std::memset(memory, 0, cells * cell_bytes);
            memory_[buffer] = static_cast<Cell*>(memory);
        }
        for (unsigned stream = 0; stream < streams; ++stream) {
            const unsigned flags = is_blocking(stream) ? cudaStreamDefault : cudaStreamNonBlocking;
            streams_[stream] = stream == 0 ? nullptr : device_.create_stream(flags, 0);
        }
        for (cudaEvent_t& event : events_) {
            event = device_.create_event(cudaEventDisableTiming, 0);
        }
    }

    // `reads_right`, where given, is what the host must read.
    void run(const Step& step, const Reference* reads_right) {
        const RecordingPaused paused;
        device_.spend(step.host_work);
        device_.begin_call();
        device_.spend(Time(1000));
        Stream& stream = *device_.stream(streams_[step.stream]);
        Event& event = *device_.event(events_[step.event]);
        switch (step.kind) {
            case Kind::kernel:
                EXPECT_EQ(
                    device_.launch({"kernel", dim3(1), dim3(1), 0, &stream, std::make_unique<Kernel>(step, *this), 0}),
                    cudaSuccess);
                break;
            case Kind::copy:
            case Kind::waiting_copy:
                EXPECT_EQ(device_.copy({.to = Rows(begin(step.to), bytes(step.to)),
                                        .from = Rows(begin(step.from), bytes(step.to)),
                                        .stream = &stream,
                                        .asynchronous = step.kind == Kind::copy,
                                        .call = "copy"}),
                          cudaSuccess);
                break;
            case Kind::fill:
                EXPECT_EQ(device_.set({.to = Rows(begin(step.to), bytes(step.to)),
                                       .value = static_cast<int>(step.value & 0xFF),
                                       .stream = &stream,
                                       .asynchronous = true,
                                       .call = "fill"}),
                          cudaSuccess);
                break;
            case Kind::host_read:
                device_.trusted_host_access(begin(step.from), bytes(step.from), Access::read, "a read");
                if (reads_right != nullptr) {
                    expect_cells(step.from, *reads_right);
                }
                break;
            case Kind::host_write:
                device_.trusted_host_access(begin(step.to), bytes(step.to), Access::write, "a write");
                std::fill(begin(step.to), begin(step.to) + (step.to.end - step.to.begin), filled(step.value));
                break;
            case Kind::record:
                device_.record(event, stream);
                break;
            case Kind::wait:
                device_.wait(stream, event, 0);
                break;
            case Kind::synchronize_stream:
                device_.synchronize(stream);
                break;
            case Kind::synchronize_event:
                device_.synchronize(event, 0);
                break;
            case Kind::synchronize_device:
                device_.synchronize_all();
                break;
            case Kind::query_stream:
                while (!device_.query(stream)) {
                    device_.spend(Time(500));
                }
                break;
            case Kind::query_event:
                while (!device_.query(event)) {
                    device_.spend(Time(500));
                }
                break;
        }
    }

    std::size_t findings() {
        device_.finish();
        return device_.findings().size();
    }

    void expect_cells(const Range& range, const Reference& right) const {
        for (unsigned i = range.begin; i < range.end; ++i) {
            const Cell& expected = right.cell(range.buffer, i);
            const auto [found, differs] = std::ranges::mismatch(memory_[range.buffer][i], expected);
            EXPECT_TRUE(differs == expected.end())
                << "cell " << i << " of buffer " << range.buffer << ": expected " << *differs << ", found " << *found;
        }
    }

private:
    class Kernel final : public KernelBody {
    public:
        Kernel(const Step& step, const Simulation& simulation)
            : step_(step), from_(simulation.begin(step.from)), to_(simulation.begin(step.to)) {}

        void run_thread() override {
            const unsigned count = step_.to.end - step_.to.begin;
            const bool atomic = step_.writes_by == Access::atomic;
            record_access(from_, count * cell_bytes, Access::read, 0);
            const std::vector<Cell> values(from_, from_ + count);
            record_access(to_, count * cell_bytes, step_.writes_by, 0);
            for (unsigned i = 0; i < count; ++i) {
                for (std::size_t word = 0; word < values[i].size(); ++word) {
                    to_[i][word] = (atomic ? to_[i][word] : values[i][word]) + step_.value;
                }
            }
        }

    private:
        Step step_;
        const Cell* from_;
        Cell* to_;
    };

    Cell* begin(const Range& range) const { return memory_[range.buffer] + range.begin; }
    static std::size_t bytes(const Range& range) { return (range.end - range.begin) * cell_bytes; }

    SimulatedDevice device_;
    std::array<Cell*, buffers> memory_{};
    std::array<cudaStream_t, streams> streams_{};
    std::array<cudaEvent_t, events> events_{};
};

std::size_t findings_in(const Steps& steps, const device::Profile& profile) {
    Simulation simulation(profile);
    for (const Step& step : steps) {
        simulation.run(step, nullptr);
    }
    return simulation.findings();
}

Steps without(const Steps& steps, std::size_t index) {
    Steps fewer = steps;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(index));
    return fewer;
}

class GeneratedPrograms : public testing::TestWithParam<std::string> {
protected:
    static constexpr unsigned programs = 300;
    static constexpr std::size_t accesses = 24;

    GeneratedPrograms() { setenv(device::environment::quiet, "1", 1); }

    const device::Profile profile_ =
        device::load_profile(std::filesystem::path(PROFILE_DIRECTORY) / (GetParam() + ".json"));
};

TEST_P(GeneratedPrograms, in_order_compute_the_same_as_step_by_step_and_nothing_is_found) {
    std::size_t steps_run = 0;
    for (unsigned seed = 1; seed <= programs; ++seed) {
        const Steps steps = Generator(seed).ordered_program(accesses);
        ASSERT_EQ(races_in(steps), 0U);
        Simulation simulation(profile_);
        Reference reference;
        for (const Step& step : steps) {
            reference.run(step);
            simulation.run(step, &reference);
        }
        EXPECT_EQ(simulation.findings(), 0U) << "seed " << seed;
        for (unsigned buffer = 0; buffer < buffers; ++buffer) {
            simulation.expect_cells({buffer, 0, cells}, reference);
        }
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
        steps_run += steps.size();
    }
    std::printf("%u ordered programs of %zu steps in all\n", programs, steps_run);
}

TEST_P(GeneratedPrograms, with_one_ordering_step_less_are_found_exactly_when_it_mattered) {
    std::size_t mattered = 0;
    std::size_t did_not = 0;
    for (unsigned seed = 1; seed <= programs; ++seed) {
        const Steps steps = Generator(seed).ordered_program(accesses);
        for (std::size_t index = 0; index < steps.size(); ++index) {
            if (!steps[index].orders()) {
                continue;
            }
            const Steps fewer = without(steps, index);
            const bool race = races_in(fewer) > 0;
            ASSERT_EQ(findings_in(fewer, profile_) > 0, race) << "seed " << seed << " without step " << index;
            ++(race ? mattered : did_not);
        }
    }
    std::printf("%zu removals that mattered, %zu that did not\n", mattered, did_not);
    EXPECT_GT(mattered, 3000U);
    EXPECT_GT(did_not, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Profiles, GeneratedPrograms, testing::Values("h200-pcie5", "one-copy-engine"),
                         [](const auto& info) {
                             return info.param.front() == 'h' ? "two_copy_engines" : "one_copy_engine";
                         });

}  // namespace
}  // namespace simulator
