#include "simulator/kernel_threads.hpp"

#include <algorithm>
#include <bit>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <memory>
#include <stdexcept>
#include <utility>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include "simulator/memory.hpp"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/ordering/raw_memory.hpp"

// Programs see these as constants (device_code.h), which they are for as long as one thread runs.
extern "C" {
uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;
}

namespace simulator {
namespace {

namespace context = boost::context;

constexpr std::uint32_t lanes_per_warp = 32;
constexpr std::size_t stack_bytes = 256 * 1024;
constexpr std::size_t first_stack_bytes = 8 * 1024 * 1024;  // for kernels without barriers: that of an ordinary thread
constexpr std::uint64_t cycles_per_clock_reading = 32;
constexpr std::uint64_t undefined_value = 0x0101010101010101u * poison_byte;

// Thrown out of the barrier at which a thread of a kernel that was given up still waits.
struct GivenUp {};

struct StackBounds {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
};

// AddressSanitizer has to know which stack the program is on: leave() comes before each switch, with the stack that is
// switched to, and arrive() behind it, which gives the stack that was left. `kept` belongs to the stack that is left.
void leave([[maybe_unused]] void** kept, [[maybe_unused]] const StackBounds& to) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(kept, to.bottom, to.bytes);
#endif
}
void arrive([[maybe_unused]] void* kept, [[maybe_unused]] StackBounds& from) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(kept, &from.bottom, &from.bytes);
#endif
}

// A stack, and the thread that runs on it.
struct Worker {
    context::fiber fiber;   // suspended
    context::fiber caller;  // who resumed it
    StackBounds stack;
    StackBounds caller_stack;
    std::uint32_t thread = 0;
    uint3 index{};
    bool waiting = false;
    std::uintptr_t pc = 0;     // where it waits
    std::uint64_t result = 0;  // of the warp operation
    simulator_block_votes votes{};
    // Of the thread that reads the clock on this stack.
    std::uint64_t clock_block = 0;
    std::uint32_t clock_thread = ~0u;
    std::uint64_t clock_cycles = 0;
};

// Suspends the stack of `me`, which runs, until it is resumed.
void return_to_caller(Worker& me) {
    void* kept = nullptr;
    leave(&kept, me.caller_stack);
    me.caller = std::move(me.caller).resume();
    arrive(kept, me.caller_stack);
}

struct WarpRequest {
    simulator_warp_operation operation = simulator_warp_synchronize;
    std::uint32_t mask = 0;
    std::uint64_t value = 0;
    std::uint32_t source = 0;
    simulator_combine combine = nullptr;
};

struct Lane {
    Worker* worker = nullptr;
    WarpRequest request;
};

struct Warp {
    std::uint32_t ended = 0;    // lanes
    std::uint32_t waiting = 0;  // lanes
    std::array<Lane, lanes_per_warp> lanes{};
};

std::uint32_t bit(std::uint32_t lane) {
    return 1u << lane;
}

template <class Function>
void for_each_lane(std::uint32_t lanes, Function function) {
    for (; lanes != 0; lanes &= lanes - 1) {
        function(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    }
}

// Between guards, as SharedVariables are.
class DynamicSharedMemory {
public:
    void resize(std::size_t bytes) {
        bytes_ = bytes;
        memory_.resize((bytes + 2 * SIMULATOR_SHARED_GUARD_BYTES + sizeof(std::max_align_t) - 1) /
                       sizeof(std::max_align_t));
    }
    void poison() { raw_fill(data(), std::byte{poison_byte}, bytes_); }
    std::byte* data() { return reinterpret_cast<std::byte*>(memory_.data()) + SIMULATOR_SHARED_GUARD_BYTES; }
    std::size_t bytes() const { return bytes_; }

private:
    std::vector<std::max_align_t> memory_;
    std::size_t bytes_ = 0;
};

DynamicSharedMemory dynamic_shared_memory;
std::uint64_t blocks_started = 0;  // in this process: tells the blocks of all kernels apart

class KernelThreads;
KernelThreads* running = nullptr;

class KernelThreads {
public:
    KernelThreads(ThreadFunction function, const dim3& grid, const dim3& block, std::size_t shared_bytes,
                  std::uint64_t start_cycles)
        : function_(function),
          shared_bytes_(shared_bytes),
          start_cycles_(start_cycles),
          threads_per_block_(block.x * block.y * block.z) {
        gridDim = grid;
        blockDim = block;
    }

    KernelOutcome run() {
        const RecordingPaused paused;  // only what the kernel itself does is recorded: see resume()
        recorder_ = paused.recorder();
        running = this;
        blockIdx = {0, 0, 0};
        dynamic_shared_memory.resize(shared_bytes_);
        start_block();
        do {
            run_block();
        } while (outcome_.completed && next_block());
        running = nullptr;
        for (const UsedSharedMemory& shared : outcome_.shared) {
            remove_tracked_range(shared.guard_before());
            remove_tracked_range(shared.guard_behind());
        }
        return std::move(outcome_);
    }

    // The body of a stack: runs threads until none is left to start. Not inlined into the loop of the stack: the host
    // thread that goes on there, and with it the place of thread_local variables, may be another one each time.
    [[gnu::noinline]] void work() {
        try {
            if (!someone_waited_) {
                run_in_a_row();
            }
            while (someone_waited_ && start_thread()) {
                function_.run(function_.kernel);
                thread_ended();
                instrumentation.recorder = recorder_;
            }
        } catch (const GivenUp&) {
        }
    }

    simulator_block_votes meet_block(bool vote, std::uintptr_t pc) {
        instrumentation.recorder = nullptr;
        Worker& me = wait_at(pc);
        votes_ += vote ? 1 : 0;
        at_barrier_.push_back(&me);
        release_block_if_complete();
        suspend_while_waiting(me);
        instrumentation.recorder = recorder_;
        return me.votes;
    }

    std::uint64_t meet_warp(WarpRequest request, std::uintptr_t pc) {
        instrumentation.recorder = nullptr;
        Worker& me = wait_at(pc);
        const std::uint32_t lane = me.thread % lanes_per_warp;
        Warp& warp = warps_[me.thread / lanes_per_warp];
        if (request.operation == simulator_warp_active) {
            request.mask = ~0u;
        } else if ((request.mask & bit(lane)) == 0) {
            add_misuse({BarrierMisuse::Kind::lane_not_in_mask, pc, 0, blockIdx, me.index});
            request.mask |= bit(lane);
        }
        warp.lanes[lane] = {&me, request};
        warp.waiting |= bit(lane);
        release_lanes_if_complete(warp, lane);
        suspend_while_waiting(me);
        instrumentation.recorder = recorder_;
        return me.result;
    }

    std::uint64_t read_clock(std::uint64_t basic_blocks) {
        std::uint64_t& cycles = clock_of_this_thread();
        spend(cycles, cycles_per_clock_reading + cycles / 512);  // a loop that waits for a time ends soon, and near it
        return start_cycles_ + cycles + basic_blocks;
    }

    void sleep(std::uint64_t cycles) { spend(clock_of_this_thread(), cycles); }

    // From now on accesses beside `shared` are recorded.
    void use(const UsedSharedMemory& shared) {
        const auto is_same = [&](const UsedSharedMemory& known) { return known.begin == shared.begin; };
        if (std::ranges::none_of(outcome_.shared, is_same)) {
            outcome_.shared.push_back(shared);
            add_tracked_range(shared.guard_before());
            add_tracked_range(shared.guard_behind());
        }
    }

    std::byte* use_dynamic_shared_memory() {
        if (!std::exchange(uses_dynamic_shared_memory_, true)) {
            use({reinterpret_cast<std::uintptr_t>(dynamic_shared_memory.data()), dynamic_shared_memory.bytes()});
        }
        return dynamic_shared_memory.data();
    }

    void stop_after_this_thread() {
        leave_the_row();
        next_thread_ = threads_per_block_;
        finished_ = true;
    }

private:
    // --- blocks and their threads ---

    void start_block() {
        ++blocks_started;
        someone_waited_ = false;
        dynamic_shared_memory.poison();
        uses_dynamic_shared_memory_ = false;
    }

    bool next_block() {
        if (!finished_ && ++blockIdx.x >= gridDim.x) {
            blockIdx.x = 0;
            if (++blockIdx.y >= gridDim.y) {
                blockIdx.y = 0;
                finished_ = ++blockIdx.z >= gridDim.z;
            }
        }
        if (finished_) {
            return false;
        }
        start_block();
        return true;
    }

    // All threads of this block and of those behind it, until one waits.
    void run_in_a_row() {
        do {
            for (threadIdx.z = 0; threadIdx.z < blockDim.z; ++threadIdx.z) {
                for (threadIdx.y = 0; threadIdx.y < blockDim.y; ++threadIdx.y) {
                    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) {
                        function_.run(function_.kernel);
                        if (someone_waited_) [[unlikely]] {
                            thread_ended();
                            instrumentation.recorder = recorder_;
                            return;
                        }
                    }
                }
            }
        } while (next_block());
    }

    // The thread that runs is the first of its block that waits.
    void leave_the_row() {
        if (someone_waited_) {
            return;
        }
        someone_waited_ = true;
        const std::uint32_t thread = linear_index();
        start_waiting(thread);
        next_thread_ = thread;
        next_index_ = threadIdx;
        count_thread();
    }

    static std::uint32_t linear_index() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

    void count_thread() {
        ++next_thread_;
        if (++next_index_.x == blockDim.x) {
            next_index_.x = 0;
            if (++next_index_.y == blockDim.y) {
                next_index_.y = 0;
                ++next_index_.z;
            }
        }
    }

    bool start_thread() {
        if (next_thread_ == threads_per_block_) {
            return false;
        }
        threadIdx = next_index_;
        count_thread();
        return true;
    }

    void run_block();
    void resume(Worker& worker);
    Worker& free_worker();
    Worker* next_to_run();

    // --- waiting ---

    Worker& wait_at(std::uintptr_t pc) {
        leave_the_row();
        Worker& me = *current_;
        me.index = threadIdx;
        me.thread = linear_index();
        me.pc = pc;
        me.waiting = true;
        return me;
    }

    // The threads before `thread` have ended.
    void start_waiting(std::uint32_t thread) {
        live_ = threads_per_block_ - thread;
        votes_ = 0;
        at_barrier_.clear();
        const std::uint32_t warps = (threads_per_block_ + lanes_per_warp - 1) / lanes_per_warp;
        warps_.resize(warps);
        for (std::uint32_t i = 0; i < warps; ++i) {
            warps_[i].waiting = 0;
            warps_[i].ended = lanes_below(thread, i) | ~lanes_below(threads_per_block_, i);
        }
    }

    static std::uint32_t lanes_below(std::uint32_t thread, std::uint32_t warp) {
        const std::uint32_t first = warp * lanes_per_warp;
        return thread <= first ? 0 : thread - first >= lanes_per_warp ? ~0u : bit(thread - first) - 1;
    }

    bool someone_waits() const {
        return !at_barrier_.empty() ||
               std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.waiting != 0; });
    }

    void suspend_while_waiting(Worker& me) {
        if (me.waiting) {
            return_to_caller(me);
            if (!outcome_.completed) {
                throw GivenUp{};
            }
        }
    }

    void wake(Worker& worker) {
        worker.waiting = false;
        if (&worker != current_) {
            runnable_.push_back(&worker);
        }
    }

    void thread_ended() {
        instrumentation.recorder = nullptr;
        const std::uint32_t thread = linear_index();
        --live_;
        Warp& warp = warps_[thread / lanes_per_warp];
        warp.ended |= bit(thread % lanes_per_warp);
        current_ = nullptr;  // whoever waited for it is resumed later
        for_each_lane(warp.waiting, [&](std::uint32_t lane) {
            if ((warp.waiting & bit(lane)) != 0) {
                release_lanes_if_complete(warp, lane);
            }
        });
        release_block_if_complete();
        current_ = running_worker_;
    }

    void release_block_if_complete() {
        if (at_barrier_.empty() || at_barrier_.size() != live_) {
            return;
        }
        const simulator_block_votes votes{votes_, live_};
        const Worker& first = *at_barrier_.front();
        for (Worker* const worker : at_barrier_) {
            if (worker->pc != first.pc) [[unlikely]] {
                add_misuse({BarrierMisuse::Kind::different_calls, worker->pc, first.pc, blockIdx, worker->index});
            }
            worker->votes = votes;
            wake(*worker);
        }
        at_barrier_.clear();
        votes_ = 0;
    }

    // Every lane of the mask that has not ended is here, for the same operation.
    void release_lanes_if_complete(Warp& warp, std::uint32_t lane) {
        const WarpRequest& request = warp.lanes[lane].request;
        const std::uint32_t lanes = request.mask & ~warp.ended;
        if ((warp.waiting & lanes) != lanes) {
            return;
        }
        bool same = true;
        for_each_lane(lanes, [&](std::uint32_t other) {
            const WarpRequest& its = warp.lanes[other].request;
            same =
                same && its.operation == request.operation && its.mask == request.mask &&
                (its.operation != simulator_warp_active || warp.lanes[other].worker->pc == warp.lanes[lane].worker->pc);
        });
        if (same) {
            release(warp, lanes, request.operation);
        }
    }

    void release(Warp& warp, std::uint32_t lanes, simulator_warp_operation operation) {
        std::uint64_t common = 0;
        if (operation == simulator_warp_active) {
            common = lanes;
        } else if (operation == simulator_warp_ballot) {
            for_each_lane(lanes, [&](std::uint32_t i) { common |= warp.lanes[i].request.value != 0 ? bit(i) : 0; });
            common |= std::uint64_t{lanes} << 32;  // who voted
        } else if (operation == simulator_warp_reduce) {
            common = combined(warp, lanes);
        }
        for_each_lane(lanes, [&](std::uint32_t i) {
            const WarpRequest& request = warp.lanes[i].request;
            std::uint64_t result = common;
            if (operation == simulator_warp_shuffle) {
                const bool there = (lanes >> request.source % lanes_per_warp & 1) != 0;
                result = there ? warp.lanes[request.source % lanes_per_warp].request.value : undefined_value;
            } else if (operation == simulator_warp_match) {
                for_each_lane(lanes, [&](std::uint32_t other) {
                    result |= warp.lanes[other].request.value == request.value ? bit(other) : 0;
                });
            }
            warp.lanes[i].worker->result = result;
        });
        warp.waiting &= ~lanes;
        for_each_lane(lanes, [&](std::uint32_t i) { wake(*warp.lanes[i].worker); });
    }

    static std::uint64_t combined(const Warp& warp, std::uint32_t lanes) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
        std::uint64_t value = warp.lanes[first].request.value;
        for_each_lane(lanes & ~bit(first), [&](std::uint32_t i) {
            value = warp.lanes[i].request.combine(value, warp.lanes[i].request.value);
        });
        return value;
    }

    // When nothing else can run, the lanes that are at the same __activemask() are all that will come.
    bool release_active_lanes() {
        for (Warp& warp : warps_) {
            std::uint32_t group = 0;
            std::uintptr_t pc = 0;
            for_each_lane(warp.waiting, [&](std::uint32_t i) {
                const bool asks = warp.lanes[i].request.operation == simulator_warp_active;
                if (asks && (group == 0 || warp.lanes[i].worker->pc == pc)) {
                    pc = warp.lanes[i].worker->pc;
                    group |= bit(i);
                }
            });
            if (group != 0) {
                release(warp, group, simulator_warp_active);
                return true;
            }
        }
        return false;
    }

    // --- what goes wrong ---

    void give_up();
    void add_misuse(const BarrierMisuse& misuse) {
        const bool known = std::any_of(outcome_.misuses.begin(), outcome_.misuses.end(), [&](const auto& other) {
            return other.kind == misuse.kind && other.at == misuse.at && other.other == misuse.other;
        });
        if (!known) {
            outcome_.misuses.push_back(misuse);
        }
    }

    // --- the clock ---

    std::uint64_t& clock_of_this_thread() {
        Worker& me = *current_;
        if (const std::uint32_t thread = linear_index();
            me.clock_thread != thread || me.clock_block != blocks_started) {
            me.clock_thread = thread;
            me.clock_block = blocks_started;
            me.clock_cycles = 0;
        }
        return me.clock_cycles;
    }

    void spend(std::uint64_t& cycles, std::uint64_t more) {
        cycles += more;
        outcome_.waited_cycles = std::max(outcome_.waited_cycles, cycles);
    }

    const ThreadFunction function_;
    const std::size_t shared_bytes_;
    bool uses_dynamic_shared_memory_ = false;  // this block
    const std::uint64_t start_cycles_;
    const std::uint32_t threads_per_block_;
    AccessRecorder* recorder_ = nullptr;
    KernelOutcome outcome_;

    std::uint32_t next_thread_ = 0;  // of this block, to be started
    uint3 next_index_{};
    bool finished_ = false;             // no block is left to start
    bool someone_waited_ = false;       // in this block; if not, what follows but current_ is not kept up
    Worker* current_ = nullptr;         // whose thread runs
    Worker* running_worker_ = nullptr;  // whose stack runs
    std::uint32_t live_ = 0;            // threads of this block that have not ended
    std::uint32_t votes_ = 0;
    std::vector<Worker*> at_barrier_;
    std::vector<Warp> warps_;
    std::vector<Worker*> runnable_;  // from next_runnable_ on, in the order in which they were woken
    std::size_t next_runnable_ = 0;
};

// The stacks stay for later kernels. Never destroyed: a stack that was given up must not be unwound at exit.
struct WorkerPool {
    std::vector<std::unique_ptr<Worker>> all;
    std::vector<Worker*> free;
    Worker* first = nullptr;  // the one with the large stack, while it is free
};
WorkerPool& pool() {
    static WorkerPool& workers = *new WorkerPool;
    return workers;
}

std::unique_ptr<Worker> new_worker(std::size_t bytes, std::size_t number) {
    auto made = std::make_unique<Worker>();
    Worker* const me = made.get();
    const auto body = [me](context::fiber&& caller) {
        arrive(nullptr, me->caller_stack);
        me->caller = std::move(caller);
        for (;;) {
            running->work();
            return_to_caller(*me);
        }
        return std::move(me->caller);
    };
    context::protected_fixedsize_stack stacks(bytes);
    const context::stack_context stack = stacks.allocate();
    // Stacks that begin at the same place of their pages would evict each other from the processor's cache.
    const std::size_t offset = number * 5 % 32 * 128;
    const context::preallocated place(static_cast<char*>(stack.sp) - offset, stack.size - offset, stack);
    made->stack = {static_cast<char*>(stack.sp) - stack.size, stack.size};
    made->fiber = context::fiber(std::allocator_arg, place, stacks, body);
    return made;
}

Worker& KernelThreads::free_worker() {
    WorkerPool& workers = pool();
    if (workers.first != nullptr) {
        return *std::exchange(workers.first, nullptr);
    }
    if (workers.free.empty()) {
        workers.all.push_back(new_worker(workers.all.empty() ? first_stack_bytes : stack_bytes, workers.all.size()));
        workers.free.push_back(workers.all.back().get());
    }
    Worker& chosen = *workers.free.back();
    workers.free.pop_back();
    return chosen;
}

void give_back(Worker& worker) {
    WorkerPool& workers = pool();
    if (&worker == workers.all.front().get()) {
        workers.first = &worker;
    } else {
        workers.free.push_back(&worker);
    }
}

// Threads that were woken come first, so that few stacks are needed.
Worker* KernelThreads::next_to_run() {
    if (next_runnable_ < runnable_.size()) {
        return runnable_[next_runnable_++];
    }
    runnable_.clear();
    next_runnable_ = 0;
    return next_thread_ < threads_per_block_ ? &free_worker() : nullptr;
}

void KernelThreads::resume(Worker& worker) {
    threadIdx = worker.index;
    current_ = &worker;
    running_worker_ = &worker;
    instrumentation.recorder = recorder_;
    void* kept = nullptr;
    StackBounds left;
    leave(&kept, worker.stack);
    worker.fiber = std::move(worker.fiber).resume();
    arrive(kept, left);
    instrumentation.recorder = nullptr;
    current_ = nullptr;
    if (!worker.waiting) {
        give_back(worker);
    }
}

// Runs this block to its end, and the blocks behind it as long as no thread waits.
void KernelThreads::run_block() {
    resume(free_worker());
    while (someone_waited_) {
        if (Worker* const next = next_to_run()) {
            resume(*next);
        } else if (!someone_waits()) {
            return;
        } else if (!release_active_lanes()) {
            return give_up();
        }
    }
}

// Threads of this block wait for each other in a way that never ends: says so, and takes them off their stacks.
void KernelThreads::give_up() {
    std::vector<Worker*> stuck = at_barrier_;
    for (const Warp& warp : warps_) {
        for_each_lane(warp.waiting, [&](std::uint32_t lane) { stuck.push_back(warp.lanes[lane].worker); });
    }
    std::sort(stuck.begin(), stuck.end(), [](const Worker* a, const Worker* b) { return a->thread < b->thread; });
    const Worker& first = *stuck.front();
    const auto elsewhere = std::find_if(stuck.begin(), stuck.end(), [&](const Worker* w) { return w->pc != first.pc; });
    add_misuse({BarrierMisuse::Kind::never_reached, first.pc, elsewhere != stuck.end() ? (*elsewhere)->pc : 0, blockIdx,
                first.index});
    outcome_.completed = false;
    next_thread_ = threads_per_block_;
    for (Worker* const worker : stuck) {
        worker->waiting = false;
        resume(*worker);
    }
}

}  // namespace

KernelOutcome run_all_threads(ThreadFunction function, const dim3& grid, const dim3& block, std::size_t shared_bytes,
                              std::uint64_t start_cycles) {
    return KernelThreads(function, grid, block, shared_bytes, start_cycles).run();
}

bool atomics_taken_back = false;

bool kernel_runs_here() {
    return running != nullptr && instrumentation.running == Running::device_code && instrumentation.recorder != nullptr;
}

void stop_after_this_thread() {
    running->stop_after_this_thread();
}

}  // namespace simulator

namespace {

simulator::KernelThreads& running_kernel() {
    if (simulator::running == nullptr) {
        throw std::logic_error("expected a kernel to call this device function, found host code");
    }
    return *simulator::running;
}

}  // namespace

#define CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

extern "C" {

simulator_block_votes simulator_meet_block(int vote) {
    return running_kernel().meet_block(vote != 0, CALLER);
}

uint64_t simulator_meet_warp(simulator_warp_operation operation, uint32_t mask, uint64_t value, uint32_t source,
                             simulator_combine combine) {
    return running_kernel().meet_warp({operation, mask, value, source, combine}, CALLER);
}

uint64_t simulator_read_clock(void) {
    return running_kernel().read_clock(simulator::instrumentation.basic_blocks);
}

void simulator_sleep(unsigned nanoseconds) {
    running_kernel().sleep(static_cast<std::uint64_t>(nanoseconds * 1e-9 * simulator::cycles_per_second));
}

void simulator_enter_shared(void* variable, size_t bytes, uint64_t* block) {
    if (*block != simulator::blocks_started) {
        *block = simulator::blocks_started;
        simulator::raw_fill(variable, std::byte{simulator::poison_byte}, bytes);
        running_kernel().use({reinterpret_cast<std::uintptr_t>(variable), bytes});
    }
}

void* simulator_dynamic_shared_memory(void) {
    return running_kernel().use_dynamic_shared_memory();
}

}  // extern "C"
