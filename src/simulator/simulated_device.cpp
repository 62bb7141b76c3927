// Host time, streams and events of the simulated device.
#include "simulator/simulated_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "device/environment.hpp"
#include "simulator/issue.hpp"
#include "simulator/ordering/call_sites.hpp"
#include "simulator/ordering/instrumentation.hpp"

namespace simulator {
namespace {

bool is_set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && std::string(value) == "1";
}

device::Profile profile_from_environment() {
    const char* const file = std::getenv(device::environment::profile_file);
    if (file != nullptr) {
        return device::load_profile(file);
    }
    const char* const root = std::getenv(device::environment::root);
    return device::load_profile(std::filesystem::path(root != nullptr ? root : SOURCE_ROOT) /
                                "src/device/profiles/h200-pcie5.json");
}

// What stands in the way is for people to read, not an exception of the student's program.
template <class Make>
auto made_or_exit(Make make) {
    try {
        return make();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::exit(2);
    }
}

}  // namespace

SimulatedDevice& SimulatedDevice::instance() {
    static SimulatedDevice* const device = [] {
        auto* const made = made_or_exit([] { return new SimulatedDevice(profile_from_environment()); });
        const RecordingPaused paused;
        made->at_exit();
        return made;
    }();
    return *device;
}

SimulatedDevice::SimulatedDevice(device::Profile profile)
    : profile_(std::move(profile)),
      engine_(profile_),
      checker_(operations_, memory_, findings_),
      allocation_cost_(profile_.host),
      host_cache_(profile_.host.cache_bytes) {
    stream_order_[0] = &legacy_stream_;
    host_function_recorder_.find_return_addresses_by(users_return_address);
    checker_.on_overwritten([this](std::uint64_t operation) { spoil_input_of(operation); });
    watch_host_code();
    findings_.set_quiet(is_set(device::environment::quiet));
    launches_block_ = is_set("CUDA_LAUNCH_BLOCKING");
    if (const char* const call = std::getenv(device::environment::fail_call)) {
        arm_failure(std::strtoull(call, nullptr, 10));
    }
}

SimulatedDevice::~SimulatedDevice() {
    watch_threads(nullptr);
    set_recorder(nullptr);
    set_arenas({}, {});
    set_host_touches_device_memory(nullptr);
    set_device_goes_on(nullptr);
    for (const auto& [begin, bytes] : watched_pageable_) {
        remove_tracked_range({begin, begin + bytes});
    }
}

void SimulatedDevice::watch_host_code() {
    static SimulatedDevice* watching = nullptr;  // the handler takes no context
    watching = this;
    const Arena& device_memory = memory_.device_arena();
    const Arena& pinned = memory_.pinned_arena();
    set_arenas({device_memory.begin(), device_memory.end()}, {pinned.begin(), pinned.end()});
    set_host_touches_device_memory([](std::uintptr_t, Access, std::uintptr_t pc) -> bool {
        const std::lock_guard lock(watching->mutex_);
        watching->end_at_device_pointer(pc);
    });
    set_device_goes_on([] {
        // Held by a thread that makes a call, or runs a host function, which may wait for this one.
        const std::unique_lock lock(watching->mutex_, std::try_to_lock);
        const RecordingPaused paused;
        return lock.owns_lock() && watching->go_on();
    });
    threads_.attach(0);
    watch_threads(&threads_);
}

Time SimulatedDevice::host_time() const {
    return in_host_function_ ? engine_.now() + host_function_time_ : host_time_;
}

void SimulatedDevice::spend(Time cost) {
    if (in_host_function_) {
        host_function_time_ += cost;
        return;
    }
    host_time_ += cost;
    engine_.advance_to(host_time_);
}

bool SimulatedDevice::go_on() {
    const std::optional<Time> next = engine_.next();
    if (in_host_function_ || !next) {
        return false;
    }
    judge_host_accesses();
    host_time_ = std::max(host_time_, *next);
    engine_.advance_to(host_time_);
    return true;
}

void SimulatedDevice::begin_call() {
    HostThread& thread = here();
    thread.clock.advance(thread.agent);  // what the host did since the last call comes after what that call issued
    judge_host_accesses();
}

void SimulatedDevice::end_call(const char* name, Time start, std::uintptr_t called_from) {
    calls_.push_back({name, start, host_time_, called_from});
}

void SimulatedDevice::judge_host_accesses() {
    HostThread& thread = here();
    for (const HostAccesses& accesses : threads_.take()) {
        judge(accesses);
    }
    if (thread.recorder.empty()) {
        return;
    }
    const HostAccesses own{thread.now(), thread.clock, thread.recorder.intervals()};
    thread.recorder.clear();
    judge(own);
}

void SimulatedDevice::judge(const HostAccesses& accesses) {
    check_freed_by_host(accesses.intervals);
    checker_.host_accesses(accesses.epoch, accesses.clock, accesses.intervals);
}

void SimulatedDevice::check_freed_by_host(const std::vector<AccessInterval>& intervals) {
    for (const AccessInterval& interval : intervals) {
        if (memory_.find_freed(interval.begin) != nullptr) {
            add_finding("use_after_free", device::Severity::error, interval.pc);
        }
    }
}

void SimulatedDevice::trusted_host_access(const void* address, std::size_t bytes, Access kind, const char* label,
                                          std::uintptr_t called_from) {
    if (bytes == 0) {
        return;
    }
    trusted_host_accesses(Rows(address, bytes).accesses(kind, called_from), label);
}

void SimulatedDevice::trusted_host_accesses(const std::vector<AccessInterval>& accesses, const char* label) {
    if (in_host_function_) {
        for (const AccessInterval& access : accesses) {
            host_function_recorder_.record(access.begin, access.end - access.begin, access.kind, access.pc);
        }
        return;
    }
    begin_call();
    checker_.host_accesses(here().now(), here().clock, accesses, label);
}

void SimulatedDevice::begin_range(const char* name) {
    here().open_ranges.push_back(ranges_.size());
    ranges_.push_back({name, host_time(), host_time()});
}

void SimulatedDevice::end_range() {
    std::vector<std::size_t>& open = here().open_ranges;
    if (!open.empty()) {
        ranges_[open.back()].end = host_time();
        open.pop_back();
    }
}

int SimulatedDevice::push_range(const char* name) {
    begin_range(name);
    return static_cast<int>(here().open_ranges.size()) - 1;
}

int SimulatedDevice::pop_range() {
    const int around = static_cast<int>(here().open_ranges.size()) - 1;
    end_range();
    return around;
}

std::uint64_t SimulatedDevice::start_range(const char* name) {
    ranges_.push_back({name, host_time(), host_time()});
    return ranges_.size();
}

void SimulatedDevice::stop_range(std::uint64_t range) {
    if (range > 0 && range <= ranges_.size()) {
        ranges_[range - 1].end = host_time();
    }
}

cudaError_t SimulatedDevice::record_error(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        here().last_error = error;
    }
    return error;
}

void SimulatedDevice::record_launch_error(const std::string& kernel, cudaError_t error, std::uintptr_t called_from) {
    if (record_error(error) != cudaSuccess) {
        unseen_launch_errors_.push_back({kernel, error, called_from});
    }
}

cudaError_t SimulatedDevice::last_error() {
    unseen_launch_errors_.clear();
    return here().last_error;
}

cudaError_t SimulatedDevice::take_last_error() {
    unseen_launch_errors_.clear();
    return std::exchange(here().last_error, cudaSuccess);
}

cudaError_t SimulatedDevice::not_simulated(const std::string& what, std::uintptr_t called_from) {
    add_finding("not_simulated", device::Severity::warning, called_from, {{"what", what}});
    return cudaErrorNotSupported;
}

bool SimulatedDevice::next_call_fails(const char* name, std::uintptr_t called_from) {
    const bool fails = ++calls_since_arming_ == failing_call_;
    if (fails) {
        add_finding("injected_failure", device::Severity::warning, called_from,
                    {{"call", name}, {"n", std::to_string(failing_call_)}});
    }
    return fails;
}

std::uint64_t SimulatedDevice::arm_failure(std::uint64_t nth_call) {
    failing_call_ = nth_call;
    return std::exchange(calls_since_arming_, 0);
}

// --- order and time of operations ---

std::vector<TaskId> SimulatedDevice::before(const Stream& stream) const {
    std::vector<TaskId> tasks{stream.last_task};
    if (stream.number == 0) {
        // Work in the legacy default stream waits for all blocking streams ...
        for (const auto& [number, other] : stream_order_) {
            if (other->blocking()) {
                tasks.push_back(other->last_task);
            }
        }
    } else if (stream.blocking()) {
        tasks.push_back(legacy_stream_.last_task);  // ... and they wait for it.
    }
    return tasks;
}

VectorClock SimulatedDevice::past_of(const Stream& stream) const {
    VectorClock past = here().clock;
    past.join(stream.clock);
    if (stream.number == 0) {
        for (const auto& [number, other] : stream_order_) {
            if (other->blocking()) {
                past.join(other->clock);
            }
        }
    } else if (stream.blocking()) {
        past.join(legacy_stream_.clock);
    }
    return past;
}

std::uint64_t SimulatedDevice::issue(Issue issue, Stream& stream) {
    const std::uint64_t id = operations_.size() + 1;
    issue.operation.id = id;
    issue.operation.stream = stream.number;
    issue.operation.issued = host_time_;
    operations_.push_back({issue.operation, issue.called_from, issue.waited_for_in_practice, issue.role});

    VectorClock past = past_of(stream);
    const Epoch epoch = past.advance(stream.agent);
    stream.clock = past;
    issued_clock_.join(past);

    TaskSpec task = std::move(issue.task);
    task.stream = stream.number;
    task.priority = stream.priority;
    task.start = [id, epoch, past = std::move(past), start = std::move(issue.start)] { return start(id, epoch, past); };
    task.finish = [this, id, finish = std::move(issue.finish)](Time begin, Time end) {
        operations_[id - 1].operation.start = begin;
        operations_[id - 1].operation.end = end;
        finish();
    };
    stream.last_task = engine_.submit(std::move(task), before(stream), host_time_ + profile_.submission_latency);
    operation_tasks_.push_back(stream.last_task);
    return id;
}

TaskId SimulatedDevice::mark(Stream& stream, TaskId also_after) {
    std::vector<TaskId> tasks = before(stream);
    tasks.push_back(also_after);
    stream.clock = past_of(stream);
    stream.last_task = engine_.submit({.stream = stream.number}, tasks, host_time_ + profile_.submission_latency);
    return stream.last_task;
}

void SimulatedDevice::wait_for(TaskId task) {
    if (engine_.finished(task)) {
        return;
    }
    host_time_ = std::max(host_time_, engine_.run_until_finished(task) + profile_.host.wake_up);
    engine_.advance_to(host_time_);
}

void SimulatedDevice::join_host(const VectorClock& clock) {
    here().clock.join(clock);
}

// --- streams ---

cudaStream_t SimulatedDevice::create_stream(unsigned flags, std::uintptr_t called_from, int priority) {
    return reinterpret_cast<cudaStream_t>(&add_stream(flags, called_from, priority));
}

Stream& SimulatedDevice::add_stream(unsigned flags, std::uintptr_t called_from, int priority) {
    auto made = std::make_unique<Stream>();
    made->number = ++streams_created_;
    made->agent = next_agent_++;
    made->flags = flags;
    made->priority = std::clamp(priority, greatest_priority, least_priority);
    made->created_from = called_from;
    Stream& stream = *made;
    stream_order_[stream.number] = &stream;
    destroyed_.erase(&stream);
    streams_[reinterpret_cast<cudaStream_t>(&stream)] = std::move(made);
    return stream;
}

Stream& SimulatedDevice::default_stream_of_thread() {
    Stream*& stream = here().default_stream;
    if (stream == nullptr) {
        stream = &add_stream(cudaStreamDefault, 0, least_priority);
        stream->of_thread = true;
    }
    return *stream;
}

Stream* SimulatedDevice::stream(cudaStream_t handle) {
    if (handle == cudaStreamPerThread || (handle == nullptr && per_thread_default_stream_)) {
        return &default_stream_of_thread();
    }
    if (handle == nullptr || handle == cudaStreamLegacy) {
        return &legacy_stream_;
    }
    const auto found = streams_.find(handle);
    names_what_a_reset_destroyed_ |= found == streams_.end() && destroyed_by_reset_.contains(handle);
    const bool alive = found != streams_.end() && found->second->alive;
    names_what_was_destroyed_ |= !alive && destroyed_.contains(handle);
    return alive ? found->second.get() : nullptr;
}

void SimulatedDevice::destroy_stream(Stream& stream) {
    if (stream.capture != nullptr) {
        stream.capture->invalidated = true;
    }
    stream.alive = false;
    destroyed_.insert(&stream);
    // Streams whose work is done are forgotten; the others are still waited for by the legacy default stream.
    std::erase_if(streams_, [this](const auto& entry) {
        const Stream& candidate = *entry.second;
        const bool gone = !candidate.alive && candidate.capture == nullptr && engine_.finished(candidate.last_task) &&
                          here().clock.covers(candidate.clock);
        if (gone) {
            stream_order_.erase(candidate.number);
        }
        return gone;
    });
}

void SimulatedDevice::synchronize(Stream& stream) {
    if (stream.number == 0) {
        for (const TaskId task : before(stream)) {
            wait_for(task);
        }
        join_host(past_of(stream));
        return;
    }
    wait_for(stream.last_task);
    join_host(stream.clock);
}

bool SimulatedDevice::query(Stream& stream) {
    const std::vector<TaskId> tasks = stream.number == 0 ? before(stream) : std::vector<TaskId>{stream.last_task};
    const bool done = std::all_of(tasks.begin(), tasks.end(), [this](TaskId task) { return engine_.finished(task); });
    if (done) {
        join_host(stream.number == 0 ? past_of(stream) : stream.clock);
    }
    return done;
}

void SimulatedDevice::synchronize_all() {
    wait_for_everything();
    pool_holds_memory_ = false;  // by default a pool gives back what nobody uses
    join_issued();
}

void SimulatedDevice::wait_for_everything() {
    const Time end = engine_.run_until_idle();
    if (end > host_time_) {
        host_time_ = end + profile_.host.wake_up;
        engine_.advance_to(host_time_);
    }
}

// --- events ---

cudaEvent_t SimulatedDevice::create_event(unsigned flags, std::uintptr_t called_from) {
    auto made = std::make_unique<Event>();
    made->flags = flags;
    made->created_from = called_from;
    const auto handle = reinterpret_cast<cudaEvent_t>(made.get());
    destroyed_.erase(handle);
    events_[handle] = std::move(made);
    return handle;
}

Event* SimulatedDevice::event(cudaEvent_t handle) {
    const auto found = events_.find(handle);
    names_what_a_reset_destroyed_ |= found == events_.end() && destroyed_by_reset_.contains(handle);
    names_what_was_destroyed_ |= found == events_.end() && destroyed_.contains(handle);
    return found != events_.end() ? found->second.get() : nullptr;
}

void SimulatedDevice::destroy_event(cudaEvent_t handle) {
    note_purpose(*events_.at(handle));
    events_.erase(handle);
    destroyed_.insert(handle);
}

cudaError_t SimulatedDevice::record(Event& event, Stream& stream) {
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    if (stream.capture != nullptr) {
        capture_record(event, stream);
        return cudaSuccess;
    }
    event.captured = {};
    event.task = mark(stream, 0);
    event.clock = stream.clock;
    event.recorded = true;
    event.recorded_in = stream.number;
    return cudaSuccess;
}

cudaError_t SimulatedDevice::wait(Stream& stream, Event& event, std::uintptr_t called_from) {
    event.orders_streams = true;
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    if (stream.capture != nullptr || event.captured.capture != 0) {
        return capture_wait(stream, event);
    }
    event_waits_.try_emplace(called_from, EventWaits{"cudaStreamWaitEvent"}).first->second.found_work |= event.recorded;
    if (!event.recorded) {
        return cudaSuccess;  // an event that was never recorded is an empty set of work
    }
    mark(stream, event.task);
    stream.clock.join(event.clock);
    checker_.stream_waits(stream.number, event.recorded_in, operations_.size());
    return cudaSuccess;
}

void SimulatedDevice::synchronize(const Event& event, std::uintptr_t called_from) {
    event_waits_.try_emplace(called_from, EventWaits{"cudaEventSynchronize"}).first->second.found_work |=
        event.recorded;
    wait_for(event.task);
    join_host(event.clock);
}

bool SimulatedDevice::query(const Event& event) {
    const bool done = engine_.finished(event.task);
    if (done) {
        join_host(event.clock);
    }
    return done;
}

cudaError_t SimulatedDevice::elapsed(float* milliseconds, Event& start, Event& end) const {
    start.times = end.times = true;
    if (!start.recorded || !end.recorded || ((start.flags | end.flags) & cudaEventDisableTiming) != 0) {
        return cudaErrorInvalidResourceHandle;
    }
    if (!engine_.finished(start.task) || !engine_.finished(end.task)) {
        return cudaErrorNotReady;
    }
    const Time between = engine_.end_of(end.task) - engine_.end_of(start.task);
    *milliseconds = std::chrono::duration<float, std::milli>(between).count();
    return cudaSuccess;
}

}  // namespace simulator
