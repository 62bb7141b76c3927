// The simulated device: streams, events, memory, virtual host time, and what each call does to them.
// The functions of the CUDA runtime API (runtime_*.cpp) are thin layers over this class.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cuda_runtime.h"
#include "device/profile.hpp"
#include "device/trace.hpp"
#include "simulator/allocation_cost.hpp"
#include "simulator/engine.hpp"
#include "simulator/findings.hpp"
#include "simulator/graph.hpp"
#include "simulator/host_cache.hpp"
#include "simulator/host_threads.hpp"
#include "simulator/kernel_threads.hpp"
#include "simulator/memory.hpp"
#include "simulator/ordering/access_recorder.hpp"
#include "simulator/ordering/vector_clock.hpp"
#include "simulator/ordering_checker.hpp"
#include "simulator/pending_reads.hpp"
#include "simulator/poisoned_destinations.hpp"
#include "simulator/rows.hpp"

namespace simulator {

struct KernelFault;

struct Stream {
    std::uint32_t number = 0;  // 0: the legacy default stream
    unsigned flags = 0;
    int priority = 0;  // the lower number goes first
    bool alive = true;
    TaskId last_task = 0;
    VectorClock clock;
    std::uintptr_t created_from = 0;

    std::uint32_t agent = 1;  // of the ordering checker; agent 0 is the first host thread, 1 the legacy default stream
    bool of_thread = false;   // a per-thread default stream
    Capture* capture = nullptr;  // while it is captured, and as which of the captured streams
    std::size_t capture_index = 0;
    bool blocking() const { return (flags & cudaStreamNonBlocking) == 0; }
};

struct Event {
    unsigned flags = 0;
    bool recorded = false;
    std::uint32_t recorded_in = 0;  // the stream's number
    bool orders_streams = false;    // a stream was made to wait for it
    bool times = false;             // cudaEventElapsedTime was asked about it
    TaskId task = 0;
    VectorClock clock;
    std::uintptr_t created_from = 0;
    CapturedEvent captured;  // when it was recorded in a captured stream last
};

// A graph made ready for launches.
struct GraphExec {
    std::shared_ptr<const Graph> graph;
    std::deque<Stream> branches;  // for the captured streams behind the first
    Event last;                   // the end of its last launch
    std::uintptr_t created_from = 0;
};

struct CopyRequest {
    Rows to;
    Rows from;  // as many bytes
    cudaMemcpyKind kind = cudaMemcpyDefault;
    Stream* stream = nullptr;
    bool asynchronous = false;
    const char* call = "";
    std::uintptr_t called_from = 0;
};

struct SetRequest {
    Rows to;
    int value = 0;
    Stream* stream = nullptr;
    bool asynchronous = false;
    const char* call = "";
    std::uintptr_t called_from = 0;
};

struct LaunchRequest {
    std::string name;
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;
    Stream* stream = nullptr;
    std::shared_ptr<KernelBody> body;
    std::uintptr_t called_from = 0;
    const void* function = nullptr;  // the kernel's address, where it is known
};

// The priorities that streams can have, as on NVIDIA's GPUs of today.
inline constexpr int least_priority = 0;
inline constexpr int greatest_priority = -5;

class SimulatedDevice {
public:
    // The one device of this process, made at the first call. Never destroyed: the trace is written at exit.
    static SimulatedDevice& instance();

    // Tests make devices of their own. The memory and the accesses of this thread are tracked for the one made last.
    explicit SimulatedDevice(device::Profile profile);
    ~SimulatedDevice();
    SimulatedDevice(const SimulatedDevice&) = delete;
    SimulatedDevice& operator=(const SimulatedDevice&) = delete;

    // --- the calling host thread ---
    // Within a host function that runs in a stream, the time there.
    Time host_time() const;
    const device::Profile& profile() const { return profile_; }
    void spend(Time cost);  // host time passes and the device goes on meanwhile
    bool go_on();           // to what happens next, as the host waits for it; false: nothing is left to happen
    void begin_call();      // accesses of the host code before this call are judged
    void end_call(const char* name, Time start, std::uintptr_t called_from);
    void begin_range(const char* name);
    void end_range();
    // How many ranges of this thread are open around the one that begins or ends; -1 when none is open.
    int push_range(const char* name);
    int pop_range();
    std::uint64_t start_range(const char* name);  // not bound to a thread; ended by its number
    void stop_range(std::uint64_t range);
    // Host code that is not instrumented accesses memory: named by `label`, or by the call that returns to
    // `called_from`.
    void trusted_host_access(const void* address, std::size_t bytes, Access kind, const char* label,
                             std::uintptr_t called_from = 0);
    void trusted_host_accesses(const std::vector<AccessInterval>& accesses, const char* label);
    // For programs whose inputs and results trusted code carries: what it wrote are inputs from now on, and what it
    // reads are results. Found are results that no copy brought from the device (results_without_copy), and copies to
    // the device of what host code wrote (input_written_by_host).
    void take_for_inputs(const void* address, std::size_t bytes);
    void judge_results(const void* address, std::size_t bytes);

    // --- errors and fault injection ---
    cudaError_t record_error(cudaError_t error);
    // A launch returns nothing: its error is found when nobody asks for the last error until the program ends.
    void record_launch_error(const std::string& kernel, cudaError_t error, std::uintptr_t called_from);
    cudaError_t take_last_error();
    cudaError_t last_error();
    // Says that `what` is not simulated; returns cudaErrorNotSupported.
    cudaError_t not_simulated(const std::string& what, std::uintptr_t called_from);
    bool next_call_fails(const char* name, std::uintptr_t called_from);
    std::uint64_t arm_failure(std::uint64_t nth_call);

    // --- the whole device ---
    // cudaDeviceReset: memory, streams, events and graphs are gone, variables and kernels are as at the start.
    void reset(std::uintptr_t called_from);
    // A finding, when this call has named a stream or an event that a reset destroyed.
    void report_use_after_destruction(const char* call, std::uintptr_t called_from);
    unsigned flags = cudaDeviceScheduleAuto;
    cudaFuncCache cache_preference = cudaFuncCachePreferNone;

    // --- memory ---
    cudaError_t allocate(MemoryKind kind, void** pointer, std::size_t bytes, std::uintptr_t called_from,
                         unsigned flags = 0);
    cudaError_t release(MemoryKind kind, void* pointer, std::uintptr_t called_from);
    // What device memory may hold: all of it, or the budget that was set.
    std::size_t device_memory_limit_bytes() const;
    // Refuses all work while the program holds more device memory than its budget, its variables included.
    cudaError_t refusal_over_budget();
    std::size_t free_device_bytes() const;
    // Limits device memory (0: no limit); returns the largest request refused since the previous call.
    std::size_t set_memory_budget(std::size_t bytes);
    cudaError_t register_host(void* pointer, std::size_t bytes, unsigned flags, std::uintptr_t called_from);
    cudaError_t allocate_in_stream(void** pointer, std::size_t bytes, Stream& stream, std::uintptr_t called_from);
    cudaError_t free_in_stream(void* pointer, Stream& stream, std::uintptr_t called_from);
    cudaError_t prefetch(const void* pointer, std::size_t bytes, bool to_device, Stream& stream,
                         std::uintptr_t called_from);
    const Allocation* allocation_of(const void* pointer) const;
    cudaError_t copy(const CopyRequest& request);
    cudaError_t set(const SetRequest& request);

    // --- streams and events; null when the handle is not valid ---
    // A priority outside of the range that the device offers is brought into it.
    cudaStream_t create_stream(unsigned flags, std::uintptr_t called_from, int priority = 0);
    Stream* stream(cudaStream_t handle);
    void destroy_stream(Stream& stream);
    // From now on the handle 0 means the calling thread's own default stream.
    void use_per_thread_default_stream() { per_thread_default_stream_ = true; }
    void synchronize(Stream& stream);
    bool query(Stream& stream);
    void synchronize_all();
    cudaEvent_t create_event(unsigned flags, std::uintptr_t called_from);
    Event* event(cudaEvent_t handle);
    void destroy_event(cudaEvent_t handle);
    cudaError_t record(Event& event, Stream& stream);
    cudaError_t wait(Stream& stream, Event& event, std::uintptr_t called_from);
    void synchronize(const Event& event, std::uintptr_t called_from);
    bool query(const Event& event);
    cudaError_t elapsed(float* milliseconds, Event& start, Event& end) const;

    // --- kernels ---
    cudaError_t launch(LaunchRequest request);
    void charge_rounds(unsigned rounds);

    // --- host functions ---
    // Runs `function` on the host once the stream's earlier work is done; its later work waits for it.
    cudaError_t launch_host_function(std::function<void()> function, Stream& stream, const char* call,
                                     std::uintptr_t called_from);
    bool in_host_function() const { return in_host_function_; }
    void refuse_in_host_function(const char* call, std::uintptr_t called_from);

    // --- capture and graphs ---
    cudaError_t begin_capture(Stream& stream, cudaStreamCaptureMode mode, std::uintptr_t called_from);
    cudaError_t end_capture(Stream& stream, cudaGraph_t* graph);
    // Why a call may not be made now, or cudaSuccess: one that may wait for the device, one that uses a stream, one
    // that waits for a stream or an event. A refusal makes the captures that it concerns invalid.
    cudaError_t refusal_during_capture();
    cudaError_t refusal_in(const Stream& stream);
    cudaError_t refusal_to_wait(const Stream& stream);
    cudaError_t refusal_to_wait(const Event& event);
    cudaError_t refuse_in_capture(Stream& stream);  // what a captured stream cannot hold
    Graph* graph(cudaGraph_t handle);
    bool destroy_graph(cudaGraph_t handle);
    cudaGraphExec_t instantiate(cudaGraph_t graph, std::uintptr_t called_from);
    GraphExec* graph_exec(cudaGraphExec_t handle);
    void destroy_graph_exec(cudaGraphExec_t handle);
    cudaError_t launch_graph(GraphExec& exec, Stream& stream);

    // --- what happened ---
    // An assert() of a kernel does not hold: a finding, and the end of the program, as of a host program's. (A GPU ends
    // the kernel, and every later call returns cudaErrorAssert.)
    [[noreturn]] void end_at_assertion(const char* condition, std::uintptr_t called_from);
    void finish();  // the program ends: judges the last host accesses and lets all work end
    device::Trace trace() const;
    const std::vector<device::Finding>& findings() const { return findings_.all(); }

    std::recursive_mutex& mutex() { return mutex_; }

private:
    struct Issue;
    class CopyEffect;
    class UnreachableArguments;
    struct RunningKernel;

    std::uint64_t issue(Issue issue, Stream& stream);
    TaskId mark(Stream& stream, TaskId also_after);
    std::vector<TaskId> before(const Stream& stream) const;
    VectorClock past_of(const Stream& stream) const;
    void wait_for(TaskId task);
    void wait_for_everything();
    void join_host(const VectorClock& clock);
    void join_issued() { join_host(issued_clock_); }
    HostThread& here() const { return threads_.here(); }
    void judge_host_accesses();
    void judge(const HostAccesses& accesses);
    Stream& add_stream(unsigned flags, std::uintptr_t called_from, int priority);
    Stream& default_stream_of_thread();
    void destroy_all_streams_and_events();
    static cudaError_t invalidate(Capture& capture, cudaError_t error);
    Capture* capture_of(const Event& event);
    void join_capture(Stream& stream, Capture& capture);
    cudaError_t capture_operation(Stream& stream, std::function<cudaError_t(Stream&)> issue);
    // Keeps a request of its captured stream, to be issued in the stream in which the graph runs.
    template <class Request, class Parameter>
    cudaError_t capture_request(const Request& request, cudaError_t (SimulatedDevice::*issue)(Parameter)) {
        return capture_operation(*request.stream, [this, request, issue](Stream& in) {
            Request again = request;
            again.stream = &in;
            return (this->*issue)(again);
        });
    }
    void capture_record(Event& event, Stream& stream);
    cudaError_t capture_wait(Stream& stream, const Event& event);
    void watch_host_code();
    void check_freed_by_host(const std::vector<AccessInterval>& intervals);
    void watch_pageable(const Rows& rows);
    void judge_input(const Rows& host, std::uintptr_t called_from);
    [[noreturn]] void end_at_device_pointer(std::uintptr_t pc);
    [[noreturn]] void end_at_kernel_fault(const KernelFault& fault);
    [[noreturn]] void end_with_signal(int signal);

    cudaError_t check_copy(const CopyRequest& request, cudaMemcpyKind& direction);
    cudaError_t check_bounds(const Rows& rows, std::uintptr_t called_from);
    cudaError_t copy_between_host_and_device(const CopyRequest& request, cudaMemcpyKind direction);
    cudaError_t copy_on_device(const CopyRequest& request);
    cudaError_t copy_on_host(const CopyRequest& request);
    std::optional<std::uintptr_t> take_memory(MemoryKind kind, std::size_t bytes, std::uintptr_t called_from);
    Issue memory_issue(OperationRole role, const char* call, const Allocation& allocation, std::uintptr_t called_from);
    std::uint64_t poison_destination(const Rows& rows);
    void restore_destinations(std::uintptr_t begin, std::uintptr_t end);
    PoisonedDestinations& poisoned_at(std::uintptr_t begin);
    bool watch_destinations(AccessRecorder& recorder);

    cudaError_t configuration_error(const LaunchRequest& request);
    Time run_host_function(const std::function<void()>& function);
    void run_kernel(const std::shared_ptr<RunningKernel>& kernel);
    Time cost_of_release(const Allocation& allocation);
    double memory_rate(double bytes) const;                  // bytes per second
    double pinned_rate(bool to_device) const;                // bytes per second
    double pageable_rate(const Rows& host, bool to_device);  // bytes per second
    void count_bytes_over_link(RunningKernel& kernel, const std::vector<AccessInterval>& intervals) const;
    double share_of_fullest(std::uint64_t blocks) const;
    KernelCost cost_of(const RunningKernel& kernel) const;
    void spoil_input_of(std::uint64_t operation);
    void report_barriers(const std::string& kernel, const std::vector<BarrierMisuse>& misuses);
    void check_shared_bounds(const RunningKernel& kernel, std::vector<AccessInterval>& intervals);
    void check_kernel_bounds(const RunningKernel& kernel, const std::vector<AccessInterval>& intervals);
    void report_host_pointer(const RunningKernel& kernel, std::uintptr_t pc, const std::string& block,
                             const std::string& thread);

    void add_finding(const char* kind, device::Severity severity, std::uintptr_t at,
                     std::map<std::string, std::string> details = {});
    void find_unchecked_errors();
    void find_leaks();
    void note_purpose(const Event& event);
    void find_misused_events();
    void write_trace_file() const;
    void at_exit();

    device::Profile profile_;
    Engine engine_;
    Memory memory_;
    bool inputs_are_given_ = false;          // take_for_inputs() was called
    std::size_t memory_budget_bytes_ = 0;    // 0: none
    std::size_t largest_refused_bytes_ = 0;  // since the budget was last set
    std::vector<OperationRecord> operations_;
    std::vector<TaskId> operation_tasks_;
    FindingLog findings_;
    OrderingChecker checker_;

    Time host_time_{};
    bool in_host_function_ = false;
    Time host_function_time_{};
    AccessRecorder host_function_recorder_;
    std::atomic<std::uint32_t> next_agent_{2};
    std::recursive_mutex mutex_;
    mutable HostThreads threads_{next_agent_, mutex_.native_handle()};
    VectorClock issued_clock_;  // everything issued so far
    AccessRecorder kernel_recorder_;
    std::set<std::pair<std::uintptr_t, std::size_t>> watched_pageable_;
    PendingReads pending_reads_;  // of host memory, by copies
    PoisonedDestinations poisoned_pinned_;
    PoisonedDestinations poisoned_registered_;  // and what else lies outside the arena of pinned memory
    bool launches_block_ = false;               // CUDA_LAUNCH_BLOCKING=1
    AllocationCost allocation_cost_;
    HostCache host_cache_;
    bool pool_holds_memory_ = false;  // that cudaMallocAsync took from the device
    bool behind_graph_node_ = false;  // what is issued now follows another operation of the graph that is launched
    std::map<std::uint64_t, std::weak_ptr<RunningKernel>> running_kernels_;
    const RunningKernel* kernel_here_ = nullptr;  // the one whose code runs now

    struct CallRecord {
        const char* name;
        Time start, end;
        std::uintptr_t called_from;
    };
    std::vector<CallRecord> calls_;
    std::vector<device::Range> ranges_;

    bool per_thread_default_stream_ = false;
    Stream legacy_stream_;
    std::unordered_map<cudaStream_t, std::unique_ptr<Stream>> streams_;
    std::map<std::uint32_t, Stream*> stream_order_;  // by number, dead ones included until their work is done
    std::uint32_t streams_created_ = 0;
    std::unordered_map<cudaEvent_t, std::unique_ptr<Event>> events_;
    std::set<std::uintptr_t> timing_events_that_order_;  // where they were created
    struct EventWaits {
        const char* call;
        bool found_work = false;  // at least once the event had been recorded
    };
    std::map<std::uintptr_t, EventWaits> event_waits_;  // by the line of the call

    std::vector<std::unique_ptr<Capture>> captures_;
    std::uint64_t captures_begun_ = 0;
    std::unordered_map<cudaGraph_t, std::shared_ptr<Graph>> graphs_;
    std::unordered_map<cudaGraphExec_t, std::unique_ptr<GraphExec>> graph_execs_;

    // Kept, so that no new one takes the place of a handle that is not valid any more.
    std::unordered_map<const void*, std::shared_ptr<void>> destroyed_by_reset_;
    bool names_what_a_reset_destroyed_ = false;
    std::unordered_set<const void*> destroyed_;  // streams and events, until another one has the same handle
    bool names_what_was_destroyed_ = false;

    struct LaunchError {
        std::string kernel;
        cudaError_t error;
        std::uintptr_t called_from;
    };
    std::vector<LaunchError> unseen_launch_errors_;
    std::uint64_t failing_call_ = 0;
    std::uint64_t calls_since_arming_ = 0;
    std::uint64_t rounds_ = 0;
};

}  // namespace simulator
