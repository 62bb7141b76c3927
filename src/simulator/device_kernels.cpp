// Kernels of the simulated device: configuration, execution on the CPU, cost in virtual time.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <set>

#include "simulator/captured_output.hpp"
#include "simulator/issue.hpp"
#include "simulator/kernel_faults.hpp"
#include "simulator/kernel_functions.hpp"
#include "simulator/kernel_threads.hpp"
#include "simulator/ordering/call_sites.hpp"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/ordering/symbols.hpp"

namespace simulator {

std::string text_of(const uint3& position) {
    return fmt::format("({}, {}, {})", position.x, position.y, position.z);
}

namespace {

constexpr unsigned max_threads_per_block = 1024;
constexpr double share_of_link = 0.94;  // of a copy's rate, for a kernel that uses pinned memory: seen on an H200
// Warps do not finish together: at the end of a kernel some work alone, for this share of one thread's own time. Seen on
// an H200 over grids from 1/4 of its threads to four times as many.
constexpr double drain_share = 0.146;
constexpr std::uint64_t most_threads = std::uint64_t{1} << 48;  // absurd already; more could overflow a product
constexpr unsigned max_block_z = 64;
constexpr unsigned max_grid_yz = 65535;
constexpr unsigned max_grid_x = 2147483647;

bool has_zero(const dim3& size) {
    return size.x == 0 || size.y == 0 || size.z == 0;
}

std::uint64_t volume(const dim3& size) {
    return std::uint64_t{size.x} * size.y * size.z;
}

ThreadFunction thread_function(KernelBody& body) {
    return {[](void* kernel) { static_cast<KernelBody*>(kernel)->run_thread(); }, &body};
}

// Device, pinned, mapped, registered and managed memory, whether allocated now or not.
bool is_reachable_memory(const Memory& memory, std::uintptr_t address) {
    return memory.device_arena().contains(address) || memory.pinned_arena().contains(address) ||
           memory.find(address) != nullptr;
}

struct ThreadPosition {
    std::string block;
    std::string thread;
    std::uintptr_t pc = 0;  // of its access
};

// The interval's own address stands for an access among its first bytes, which may be another one.
std::uintptr_t line_of(const ThreadPosition& thread, const AccessInterval& interval) {
    return thread.pc != 0 ? thread.pc : interval.pc;
}

// Runs the kernel once more to learn who accesses [begin, end) first. What it writes and prints is taken back.
ThreadPosition first_thread_to_access(const LaunchRequest& request, std::uintptr_t begin, std::uintptr_t end) {
    AccessRecorder recorder;
    recorder.save_pages(true);
    ThreadPosition position{"?", "?"};
    recorder.watch({{begin, end}}, [&](std::uintptr_t pc) {
        const RecordingPaused paused;
        if (position.block == "?") {
            position = {text_of(blockIdx), text_of(threadIdx), pc};
            stop_after_this_thread();
        }
    });
    AccessRecorder* const previous = instrumentation.recorder;
    const Running previously = instrumentation.running;
    const CapturedOutput discarded;
    set_recorder(&recorder, Running::device_code);
    atomics_taken_back = true;
    run_all_threads(thread_function(*request.body), request.grid, request.block, request.shared_bytes);
    atomics_taken_back = false;
    set_recorder(previous, previously);
    recorder.take_back_writes();
    return position;
}

}  // namespace

// While it lives, a kernel's accesses of host memory that it cannot reach are seen: of the first element behind each
// pointer among its arguments. (All of the host's memory, its own variables included, is not watched.)
class SimulatedDevice::UnreachableArguments {
public:
    UnreachableArguments(const Memory& memory, const KernelBody& body) : memory_(memory) {
        body.visit_pointers(
            [](void* self, const void* pointer, std::size_t bytes) {
                static_cast<UnreachableArguments*>(self)->add(reinterpret_cast<std::uintptr_t>(pointer), bytes);
            },
            this);
    }
    ~UnreachableArguments() {
        for (const AddressRange& range : ranges_) {
            remove_tracked_range(range);
        }
    }
    UnreachableArguments(const UnreachableArguments&) = delete;
    UnreachableArguments& operator=(const UnreachableArguments&) = delete;

    // What was written there must not be put there later, when the memory may be someone else's.
    void forget_in(DeferredWrites& writes) const {
        for (const AddressRange& range : ranges_) {
            writes.forget(range.begin, range.end);
        }
    }

private:
    void add(std::uintptr_t begin, std::size_t bytes) {
        constexpr std::uintptr_t lowest = 4096;  // below, a null pointer with an offset
        if (begin < lowest || is_reachable_memory(memory_, begin)) {
            return;
        }
        ranges_.push_back({begin, begin + bytes});
        add_tracked_range(ranges_.back());
    }

    const Memory& memory_;
    std::vector<AddressRange> ranges_;
};

struct SimulatedDevice::RunningKernel {
    LaunchRequest request;
    std::uint64_t rounds = 0;
    std::uint64_t basic_blocks = 0;
    std::uint64_t accessed_bytes = 0;
    std::uint64_t read_over_link = 0;  // bytes of pinned memory
    std::uint64_t written_over_link = 0;
    std::uintptr_t written_on_host_begin = 0;
    std::uintptr_t written_on_host_end = 0;
    std::uint64_t waited_cycles = 0;
    bool behind_graph_node = false;
    bool given_up = false;
    bool input_overwritten = false;  // something wrote what it reads, while it ran
    std::string printed;
    std::vector<UsedSharedMemory> shared;
    DeferredWrites writes;

    std::uint64_t blocks() const { return volume(request.grid); }
    std::uint64_t threads() const { return blocks() * volume(request.block); }
};

cudaError_t SimulatedDevice::configuration_error(const LaunchRequest& request) {
    const auto refuse = [&](std::string reason, std::uint64_t found, std::uint64_t limit,
                            cudaError_t error = cudaErrorInvalidConfiguration) {
        add_finding("impossible_launch", device::Severity::error, request.called_from,
                    {{"reason", std::move(reason)},
                     {"reason.found", std::to_string(found)},
                     {"reason.limit", std::to_string(limit)}});
        return error;
    };
    const dim3& grid = request.grid;
    const dim3& block = request.block;
    if (has_zero(grid) || has_zero(block)) {
        return refuse("launch.zero_dimension", 0, 1);
    }
    if (block.z > max_block_z) {
        return refuse("launch.block_too_large", block.z, max_block_z);
    }
    const std::uint64_t threads = std::min(std::uint64_t{block.x} * block.y, most_threads) * block.z;
    if (threads > max_threads_per_block) {
        return refuse("launch.too_many_threads", threads, max_threads_per_block);
    }
    if (grid.x > max_grid_x) {
        return refuse("launch.grid_too_large", grid.x, max_grid_x);
    }
    if (grid.y > max_grid_yz || grid.z > max_grid_yz) {
        return refuse("launch.grid_too_large", std::max(grid.y, grid.z), max_grid_yz);
    }
    const std::size_t allowed = dynamic_shared_limit_bytes(request.function, request.name);
    if (request.shared_bytes > allowed) {
        const std::size_t possible = multiprocessor_limits(profile_).shared_bytes_per_block;
        const bool not_asked_for = request.shared_bytes <= possible;
        return refuse(not_asked_for ? "launch.shared_memory_not_asked_for" : "launch.too_much_shared_memory",
                      request.shared_bytes, not_asked_for ? allowed : possible, cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t SimulatedDevice::launch(LaunchRequest request) {
    if (const cudaError_t error = configuration_error(request); error != cudaSuccess) {
        return error;
    }
    Stream& stream = *request.stream;
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    if (stream.capture != nullptr) {
        return capture_request(request, &SimulatedDevice::launch);
    }
    Issue issue;
    issue.operation.kind = device::OperationKind::kernel;
    issue.operation.name = request.name;
    issue.operation.asynchronous = true;
    issue.called_from = request.called_from;
    issue.task.resource = Resource::compute;
    const auto kernel = std::make_shared<RunningKernel>();
    kernel->behind_graph_node = behind_graph_node_;
    kernel->request = std::move(request);
    issue.start = [this, kernel](std::uint64_t id, Epoch epoch, const VectorClock& past) {
        const UnreachableArguments watched(memory_, *kernel->request.body);
        run_kernel(kernel);
        watched.forget_in(kernel->writes);
        running_kernels_[id] = kernel;
        std::vector<AccessInterval> accesses = kernel_recorder_.intervals();
        check_shared_bounds(*kernel, accesses);
        count_bytes_over_link(*kernel, accesses);
        check_kernel_bounds(*kernel, accesses);
        checker_.kernel_accesses(id, epoch, past, accesses, kernel_recorder_);
        kernel_recorder_.clear();
        return cost_of(*kernel);
    };
    issue.finish = [this, kernel, id = operations_.size() + 1] {
        running_kernels_.erase(id);
        restore_destinations(kernel->written_on_host_begin, kernel->written_on_host_end);
        if (kernel->input_overwritten || kernel->given_up) {
            kernel->writes.poison(std::byte{poison_byte});
        } else {
            kernel->writes.apply();
        }
        kernel->writes = {};
        std::fwrite(kernel->printed.data(), 1, kernel->printed.size(), stdout);
        if (kernel->given_up) {
            record_error(cudaErrorLaunchTimeout);
        }
    };
    this->issue(std::move(issue), stream);
    if (launches_block_) {
        synchronize(stream);
    }
    return cudaSuccess;
}

void SimulatedDevice::spoil_input_of(std::uint64_t operation) {
    const auto found = running_kernels_.find(operation);
    if (found == running_kernels_.end()) {
        return;
    }
    if (const std::shared_ptr<RunningKernel> kernel = found->second.lock()) {
        kernel->input_overwritten = true;
    }
}

void SimulatedDevice::run_kernel(const std::shared_ptr<RunningKernel>& kernel) {
    AccessRecorder* const previous = instrumentation.recorder;
    const Running previously = instrumentation.running;
    const std::uint64_t blocks_before = instrumentation.basic_blocks;
    rounds_ = 0;
    kernel_recorder_.clear();
    kernel_recorder_.save_pages(true);
    const bool watches = watch_destinations(kernel_recorder_);
    set_recorder(&kernel_recorder_, Running::device_code);
    kernel_here_ = kernel.get();
    CapturedOutput output;
    const auto start_cycles =
        static_cast<std::uint64_t>(static_cast<double>(engine_.now().count()) * 1e-9 * cycles_per_second);
    const KernelOutcome outcome = [&] {
        const KernelFaultsExplained explained([](const KernelFault& fault) { instance().end_at_kernel_fault(fault); });
        return run_all_threads(thread_function(*kernel->request.body), kernel->request.grid, kernel->request.block,
                               kernel->request.shared_bytes, start_cycles);
    }();
    set_recorder(previous, previously);
    kernel_here_ = nullptr;
    if (watches) {
        kernel_recorder_.watch({}, {});
    }
    kernel->printed = output.take();
    kernel->waited_cycles = outcome.waited_cycles;
    kernel->given_up = !outcome.completed;
    report_barriers(kernel->request.name, outcome.misuses);
    kernel->rounds = rounds_;
    kernel->basic_blocks = instrumentation.basic_blocks - blocks_before;
    kernel->accessed_bytes = kernel_recorder_.accessed_bytes();
    kernel->writes = kernel_recorder_.take_back_writes();
    kernel->shared = outcome.shared;
    for (const UsedSharedMemory& shared : kernel->shared) {
        kernel->writes.forget(shared.guard_before().begin, shared.guard_behind().end);
    }
}

// On a GPU such an access is an error that the next calls return; here, where the kernel shares the program's address
// space, its threads cannot go on.
void SimulatedDevice::end_at_kernel_fault(const KernelFault& fault) {
    const auto where = [&] {
        switch (fault.kind) {
            case KernelFault::Kind::null_pointer:
                return "address.null";
            case KernelFault::Kind::stack_used_up:
                return "address.stack";
            default:
                return "address.nowhere";
        }
    };
    std::map<std::string, std::string> details{
        {"kernel", kernel_here_->request.name}, {"block", text_of(blockIdx)}, {"thread", text_of(threadIdx)}};
    const bool division = fault.kind == KernelFault::Kind::division;
    if (!division) {
        details["where"] = where();
    }
    add_finding(division ? "kernel_division_by_zero" : "kernel_invalid_address", device::Severity::error,
                users_return_address(fault.return_address), std::move(details));
    end_with_signal(division ? SIGFPE : SIGSEGV);
}

void SimulatedDevice::count_bytes_over_link(RunningKernel& kernel, const std::vector<AccessInterval>& intervals) const {
    for (const AccessInterval& interval : intervals) {
        if (memory_.is_device(interval.begin) || memory_.kind_of(interval.begin) == MemoryKind::managed) {
            continue;
        }
        (interval.kind == Access::read ? kernel.read_over_link : kernel.written_over_link) +=
            interval.end - interval.begin;
        if (interval.kind != Access::read) {
            const bool is_first = kernel.written_on_host_end == 0;
            kernel.written_on_host_begin = is_first ? interval.begin : kernel.written_on_host_begin;
            kernel.written_on_host_end = interval.end;
        }
    }
}

// What the fullest multiprocessor has to do, by the average: 1024 blocks take as long as 1056 on 132 of them. Where some have
// none, a thread's own time decides.
double SimulatedDevice::share_of_fullest(std::uint64_t blocks) const {
    const std::uint64_t places = profile_.multiprocessors;
    if (places == 0 || blocks <= places) {
        return 1;
    }
    return static_cast<double>((blocks + places - 1) / places * places) / static_cast<double>(blocks);
}

KernelCost SimulatedDevice::cost_of(const RunningKernel& kernel) const {
    const double capacity = static_cast<double>(profile_.multiprocessors) * profile_.threads_per_multiprocessor;
    const double threads = static_cast<double>(kernel.threads());
    const double rounds_ns = static_cast<double>(kernel.rounds) / profile_.work_rounds_per_second * 1e9;
    const double blocks_ns = static_cast<double>(kernel.basic_blocks) / profile_.basic_blocks_per_second * 1e9;
    const auto bytes = static_cast<double>(kernel.accessed_bytes);
    const double bytes_ns = bytes / memory_rate(bytes) * 1e9;
    const double busy_ns = std::max({rounds_ns, blocks_ns, bytes_ns});  // with the whole device at work
    const double fullest_ns = std::max(std::max(rounds_ns, blocks_ns) * share_of_fullest(kernel.blocks()), bytes_ns);
    // A thread takes its rounds one after the other, however empty the device is.
    const double latency_ns =
        static_cast<double>(kernel.rounds) / threads * static_cast<double>(profile_.work_round_latency.count()) * 1e-3;
    const double link_ns =
        std::max(static_cast<double>(kernel.read_over_link) / profile_.host_to_device.pinned_bytes_per_second,
                 static_cast<double>(kernel.written_over_link) / profile_.device_to_host.pinned_bytes_per_second) *
        1e9 / share_of_link;
    const double waited_ns = static_cast<double>(kernel.waited_cycles) / cycles_per_second * 1e9;
    const double longest_ns = std::max({fullest_ns + drain_share * latency_ns, latency_ns, link_ns,
                                      waited_ns * std::max(1.0, threads / capacity)});
    const double resident_share = std::min(1.0, threads / capacity);
    // What it does is spread over the launch's overhead too: other kernels run meanwhile.
    const Time overhead = kernel.behind_graph_node ? profile_.graph_kernel_overhead : profile_.kernel_overhead;
    const double busy_share = busy_ns > 0 ? busy_ns / (static_cast<double>(overhead.count()) + longest_ns) : 0;
    return {overhead + Time(static_cast<std::int64_t>(longest_ns)),
            std::clamp(std::max(resident_share, busy_share), 1.0 / 1024, 1.0)};
}

void SimulatedDevice::report_barriers(const std::string& kernel, const std::vector<BarrierMisuse>& misuses) {
    for (const BarrierMisuse& misuse : misuses) {
        device::Finding finding;
        finding.severity = device::Severity::error;
        finding.at = source_line(misuse.at);
        finding.other = misuse.other == 0 ? device::SourceLine{} : source_line(misuse.other);
        finding.details = {{"kernel", kernel}, {"block", text_of(misuse.block)}, {"thread", text_of(misuse.thread)}};
        switch (misuse.kind) {
            case BarrierMisuse::Kind::never_reached:
                finding.kind = "barrier_never_reached";
                break;
            case BarrierMisuse::Kind::different_calls:
                if (finding.at == finding.other) {
                    continue;  // one call of which the compiler made two
                }
                finding.kind = "barrier_diverged";
                break;
            case BarrierMisuse::Kind::lane_not_in_mask:
                finding.kind = "lane_not_in_mask";
                break;
        }
        findings_.add(std::move(finding));
    }
}

// Takes the accesses beside shared memory out of `intervals`, since they are none of the kernel's other memory.
void SimulatedDevice::check_shared_bounds(const RunningKernel& kernel, std::vector<AccessInterval>& intervals) {
    std::set<std::uintptr_t> lines;
    for (const UsedSharedMemory& shared : kernel.shared) {
        std::erase_if(intervals, [&](const AccessInterval& interval) {
            if (!shared.guard_before().contains(interval.begin) && !shared.guard_behind().contains(interval.begin)) {
                return false;
            }
            if (lines.insert(interval.pc).second) {  // one finding for each access in the source
                const ThreadPosition thread = first_thread_to_access(kernel.request, interval.begin, interval.end);
                add_finding("shared_memory_out_of_bounds", device::Severity::error, line_of(thread, interval),
                            {{"kernel", kernel.request.name},
                             {"bytes", std::to_string(interval.end - interval.begin)},
                             {"size", std::to_string(shared.bytes)},
                             {"block", thread.block},
                             {"thread", thread.thread}});
            }
            return true;
        });
    }
}

void SimulatedDevice::check_kernel_bounds(const RunningKernel& kernel, const std::vector<AccessInterval>& intervals) {
    std::set<std::uintptr_t> lines;
    for (const AccessInterval& interval : intervals) {
        std::uintptr_t first_outside = interval.begin;  // an interval may span several allocations without a gap
        while (const Allocation* const inside = first_outside < interval.end ? memory_.find(first_outside) : nullptr) {
            first_outside = inside->end();
        }
        if (first_outside >= interval.end) {
            continue;
        }
        const bool freed = first_outside == interval.begin && memory_.find_freed(first_outside) != nullptr;
        if (!lines.insert(interval.pc).second) {
            continue;  // one finding for each access in the source
        }
        const std::uintptr_t outside_end = memory_.next_begin(first_outside, interval.end);
        const ThreadPosition thread = first_thread_to_access(kernel.request, first_outside, outside_end);
        if (!is_reachable_memory(memory_, first_outside)) {
            report_host_pointer(kernel, line_of(thread, interval), thread.block, thread.thread);
            continue;
        }
        add_finding(freed ? "use_after_free" : "kernel_out_of_bounds", device::Severity::error,
                    line_of(thread, interval),
                    {{"kernel", kernel.request.name},
                     {"bytes", std::to_string(outside_end - first_outside)},
                     {"block", thread.block},
                     {"thread", thread.thread}});
    }
}

void SimulatedDevice::report_host_pointer(const RunningKernel& kernel, std::uintptr_t pc, const std::string& block,
                                          const std::string& thread) {
    device::Finding finding;
    finding.kind = "host_pointer_in_kernel";
    finding.severity = device::Severity::error;
    finding.at = source_line(pc);
    finding.other = source_line(kernel.request.called_from);
    finding.details = {{"kernel", kernel.request.name}, {"block", block}, {"thread", thread}};
    findings_.add(std::move(finding));
}

void SimulatedDevice::charge_rounds(unsigned rounds) {
    rounds_ += rounds;
}

}  // namespace simulator
