#include "simulator/engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace simulator {
namespace {

constexpr double nanoseconds_per_second = 1e9;
constexpr double smallest_share = 1e-6;  // less of the device than this does not start a kernel

// Copies within the device and memsets go the way of kernels.
Resource queue_of(Resource resource) {
    return resource == Resource::device_memory ? Resource::compute : resource;
}

bool is_copy(Resource resource) {
    return resource == Resource::copy_to_device || resource == Resource::copy_to_host;
}

// Of which the next operation learns sooner: on an H200 a chain of copy, kernel and copy of 4 KiB each is 2.7 us shorter
// than those of 128 KiB and more let expect, one of 64 KiB is so only in one stream.
constexpr double small_copy_bytes = 32768;

bool is_small_copy(const TaskSpec& spec) {
    return is_copy(spec.resource) && spec.bytes <= small_copy_bytes;
}

Time rounded_up(double nanoseconds) {
    return Time(static_cast<std::int64_t>(std::ceil(nanoseconds)));
}

}  // namespace

Engine::Engine(const device::Profile& profile) : profile_(profile) {}

Engine::CopyEngine& Engine::copy_engine(Resource resource) {
    const bool second = resource == Resource::copy_to_host && profile_.copy_engines > 1;
    return copy_engines_[second ? 1 : 0];
}

void Engine::schedule(Time time, Happening::Kind kind, TaskId id, std::uint64_t generation) {
    happenings_.push({time, next_sequence_++, kind, id, generation});
}

TaskId Engine::submit(TaskSpec spec, std::span<const TaskId> after, Time not_before) {
    const TaskId id = first_task_ + tasks_.size();
    Task& added = tasks_.emplace_back();
    added.id = id;
    added.spec = std::move(spec);
    added.ready = std::max(not_before, now_);
    ends_.push_back(unfinished);
    ++unfinished_tasks_;
    for (const TaskId before : after) {
        if (!finished(before)) {
            task(before).dependents.push_back(id);
            ++added.waits_for;
        }
    }
    if (added.waits_for == 0) {
        schedule(added.ready, Happening::Kind::ready, id);
    }
    return id;
}

bool Engine::step(Time limit) {
    if (happenings_.empty() || happenings_.top().time > limit) {
        return false;
    }
    const Happening next = happenings_.top();
    happenings_.pop();
    ++steps_;
    if (finished(next.task)) {
        return true;
    }
    Task& concerned = task(next.task);
    if (next.kind != Happening::Kind::ready && next.generation != concerned.generation) {
        return true;  // the rate changed since this was planned
    }
    now_ = next.time;
    switch (next.kind) {
        case Happening::Kind::ready:
            on_ready(concerned);
            break;
        case Happening::Kind::transfer:
            copy_engine(concerned.spec.resource).transferring = true;
            update_copy_rates();
            break;
        case Happening::Kind::end:
            on_end(concerned);
            break;
    }
    return true;
}

std::optional<Time> Engine::next() const {
    return happenings_.empty() ? std::nullopt : std::optional(happenings_.top().time);
}

void Engine::advance_to(Time time) {
    while (step(time)) {
    }
    now_ = std::max(now_, time);
}

Time Engine::run_until_finished(TaskId id) {
    while (!finished(id)) {
        if (!step(Time::max())) {
            throw std::logic_error("the engine expected work that leads to the end of a task, found none");
        }
    }
    return end_of(id);
}

Time Engine::run_until_idle() {
    while (unfinished_tasks_ > 0) {
        if (!step(Time::max())) {
            throw std::logic_error("the engine expected work that leads to the end of all tasks, found none");
        }
    }
    return last_end_;
}

void Engine::on_ready(Task& ready) {
    switch (ready.spec.resource) {
        case Resource::none:
            ready.begin = now_;
            if (ready.spec.start) {
                ready.spec.start();
            }
            on_end(ready);
            break;
        case Resource::copy_to_device:
        case Resource::copy_to_host: {
            CopyEngine& engine = copy_engine(ready.spec.resource);
            engine.waiting.emplace(now_, ready.id);
            start_copies(engine);
            break;
        }
        case Resource::compute:
            add_waiting_kernel(ready);
            start_kernels();
            break;
        case Resource::host_function:
            start_host_function(ready);
            break;
        case Resource::device_memory:
            ready.begin = now_;
            if (ready.spec.start) {
                ready.spec.start();
            }
            schedule(now_ + ready.spec.duration, Happening::Kind::end, ready.id, ready.generation);
            break;
    }
}

Time Engine::latency_between(const Task& before, const Task& after) const {
    const Resource from = queue_of(before.origin);
    const Resource to = queue_of(after.spec.resource);
    const bool marker = from == Resource::none || to == Resource::none;
    const bool same_queue = from == to && before.origin_stream == after.spec.stream;
    if (marker || same_queue) {
        return Time{};
    }
    if (from == Resource::host_function || to == Resource::host_function) {
        return from == to ? Time{} : profile_.host_function_latency;
    }
    if (from == to && from == Resource::compute) {
        return profile_.kernel_dependency_latency;
    }
    const bool small = before.origin_is_small_copy || is_small_copy(after.spec);
    return small ? profile_.small_copy_dependency_latency : profile_.dependency_latency;
}

void Engine::on_end(Task& ended) {
    const TaskId id = ended.id;
    if (ended.spec.resource != Resource::none) {
        ended.origin = ended.spec.resource;
        ended.origin_stream = ended.spec.stream;
        ended.origin_is_small_copy = is_small_copy(ended.spec);
    }
    ends_[id - 1] = now_;
    last_end_ = std::max(last_end_, now_);
    --unfinished_tasks_;
    if (ended.spec.finish) {
        ended.spec.finish(ended.begin, now_);
    }
    for (const TaskId dependent : ended.dependents) {
        Task& next = task(dependent);
        next.ready = std::max(next.ready, now_ + latency_between(ended, next));
        if (next.spec.resource == Resource::none) {
            next.origin = ended.origin;
            next.origin_stream = ended.origin_stream;
            next.origin_is_small_copy = ended.origin_is_small_copy;
        }
        if (--next.waits_for > 0) {
            continue;
        }
        if (is_copy(ended.spec.resource) && ended.spec.resource == next.spec.resource && next.ready <= now_) {
            copy_engine(next.spec.resource).waiting.emplace(now_, dependent);  // in time for the choice of the next copy
        } else {
            schedule(next.ready, Happening::Kind::ready, dependent);
        }
    }
    const Resource resource = ended.spec.resource;
    ended.spec = TaskSpec{.resource = resource, .stream = ended.spec.stream};
    ended.dependents = {};
    if (is_copy(resource)) {
        CopyEngine& engine = copy_engine(resource);
        engine.active = 0;
        engine.transferring = false;
        start_copies(engine);
        if (engine.active == 0) {
            update_copy_rates();
        }
    } else if (resource == Resource::compute) {
        update_kernel_rates();
        std::erase_if(running_kernels_, [id](const RunningKernel& kernel) { return kernel.task == id; });
        start_kernels();
    }
    while (!tasks_.empty() && finished(first_task_)) {
        tasks_.pop_front();
        ++first_task_;
    }
}

void Engine::start_copies(CopyEngine& engine) {
    if (engine.active != 0 || engine.waiting.empty()) {
        return;
    }
    // An engine stays with a stream as long as that has copies ready (seen on an H200: of copies that are issued to
    // several streams in turn, the first stream's are done first).
    const auto of_same_stream = std::find_if(engine.waiting.begin(), engine.waiting.end(), [&](const auto& waiting) {
        return task(waiting.second).spec.stream == engine.last_stream;
    });
    const auto chosen = of_same_stream != engine.waiting.end() ? of_same_stream : engine.waiting.begin();
    Task& next = task(chosen->second);
    engine.waiting.erase(chosen);
    next.begin = now_;
    if (next.spec.start) {
        next.spec.start();
    }
    const bool switched = engine.copied_before && engine.last_stream != next.spec.stream;
    engine.active = next.id;
    engine.transferring = false;
    engine.bytes_left = next.spec.bytes;
    engine.last_stream = next.spec.stream;
    engine.copied_before = true;
    update_copy_rates();
    const bool to_device = next.spec.resource == Resource::copy_to_device;
    const bool both = copy_engines_[0].active != 0 && copy_engines_[1].active != 0;
    const Time overhead = (to_device ? profile_.host_to_device : profile_.device_to_host).copy_overhead +
                          (switched ? profile_.stream_switch : Time{}) +
                          (both ? profile_.both_directions_overhead : Time{});
    schedule(now_ + overhead, Happening::Kind::transfer, next.id, ++next.generation);
}

void Engine::update_copy_rates() {
    const bool both = copy_engines_[0].active != 0 && copy_engines_[1].active != 0;
    for (CopyEngine& engine : copy_engines_) {
        if (!engine.transferring) {
            engine.rate = 0;
            continue;
        }
        Task& copy = task(engine.active);
        const double elapsed_ns = static_cast<double>((now_ - engine.updated).count());
        engine.bytes_left = std::max(0.0, engine.bytes_left - engine.rate * elapsed_ns / nanoseconds_per_second);
        const double share = both ? profile_.both_directions_bytes_per_second / 2 : copy.spec.bytes_per_second;
        engine.rate = std::min(copy.spec.bytes_per_second, share);
        engine.updated = now_;
        schedule(now_ + rounded_up(engine.bytes_left / engine.rate * nanoseconds_per_second), Happening::Kind::end,
                 copy.id, ++copy.generation);
    }
}

void Engine::add_waiting_kernel(const Task& ready) {
    const auto before = std::find_if(waiting_kernels_.rbegin(), waiting_kernels_.rend(), [&](TaskId other) {
        return task(other).spec.priority <= ready.spec.priority;
    });
    waiting_kernels_.insert(before.base(), ready.id);
}

double Engine::share_in_use(int priority) const {
    double sum = 0;
    for (const RunningKernel& kernel : running_kernels_) {
        sum += kernel.priority <= priority ? kernel.share : 0;
    }
    return sum;
}

void Engine::start_host_function(Task& ready) {
    if (now_ < host_functions_until_) {
        schedule(host_functions_until_, Happening::Kind::ready, ready.id);
        return;
    }
    ready.begin = now_;
    host_functions_until_ = now_ + ready.spec.start().duration;
    schedule(host_functions_until_, Happening::Kind::end, ready.id, ready.generation);
}

void Engine::start_kernels() {
    update_kernel_rates();
    while (!waiting_kernels_.empty()) {
        Task& next = task(waiting_kernels_.front());
        const int priority = next.spec.priority;
        if (share_in_use(priority) >= 1 - smallest_share) {
            break;
        }
        waiting_kernels_.pop_front();
        next.begin = now_;
        const KernelCost cost = next.spec.start();
        const auto behind = std::find_if(running_kernels_.begin(), running_kernels_.end(),
                                         [priority](const RunningKernel& other) { return other.priority > priority; });
        running_kernels_.insert(behind,
                                {next.id, static_cast<double>(cost.duration.count()), cost.share, 1, priority});
    }
    update_kernel_rates();
}

void Engine::update_kernel_rates() {
    // The block scheduler serves kernels by priority, then in order of arrival: the first takes what it can fill, the
    // next what is left.
    const double elapsed_ns = static_cast<double>((now_ - kernels_updated_).count());
    kernels_updated_ = now_;
    double free_share = 1;
    for (RunningKernel& kernel : running_kernels_) {
        kernel.left_ns = std::max(0.0, kernel.left_ns - kernel.rate * elapsed_ns);
        const double granted = std::min(kernel.share, free_share);
        free_share -= granted;
        const double rate = std::max(granted / kernel.share, smallest_share);
        Task& running = task(kernel.task);
        if (finished(kernel.task)) {
            continue;
        }
        if (rate != kernel.rate || running.generation == 0) {
            kernel.rate = rate;
            schedule(now_ + rounded_up(kernel.left_ns / rate), Happening::Kind::end, running.id, ++running.generation);
        }
    }
}

}  // namespace simulator
