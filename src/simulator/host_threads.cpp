#include "simulator/host_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include <utility>

#include "simulator/ordering/instrumentation.hpp"

namespace simulator {
namespace {

std::atomic<HostThreads*> watched{nullptr};
std::atomic<bool> several_threads{false};

struct ThisThread {
    std::uint64_t of = 0;  // the HostThreads that it is known to
    HostThread* thread = nullptr;
    bool publishes = true;
};
thread_local ThisThread this_thread;

// Holds the mutex of HostThreads, which puts no threads in order.
class QuietLock {
public:
    explicit QuietLock(std::mutex& mutex) : before_(std::exchange(this_thread.publishes, false)), mutex_(mutex) {
        mutex_.lock();
    }
    ~QuietLock() {
        mutex_.unlock();
        this_thread.publishes = before_;
    }
    QuietLock(const QuietLock&) = delete;
    QuietLock& operator=(const QuietLock&) = delete;

private:
    bool before_;
    std::mutex& mutex_;
};

// Called before this thread lets another go on.
void publish() {
    HostThreads* const threads = watched.load(std::memory_order_acquire);
    if (threads == nullptr || !several_threads.load(std::memory_order_relaxed) || !this_thread.publishes) {
        return;
    }
    threads->publish();
}

struct Start {
    void* (*function)(void*);
    void* argument;
};

// Publishes at the end of a thread, however it ends.
struct AtEnd {
    ~AtEnd() {
        publish();
        set_recorder(nullptr);
    }
};

void* run_thread(void* data) {
    const std::unique_ptr<Start> start(static_cast<Start*>(data));
    if (HostThreads* const threads = watched.load(std::memory_order_acquire)) {
        threads->here();
    }
    const AtEnd at_end;
    return start->function(start->argument);
}

// The thread library's own function. Condition variables have an old form beside the usual one.
template <class Function>
Function* real(const char* name) {
    void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return reinterpret_cast<Function*>(found != nullptr ? found : dlsym(RTLD_NEXT, name));
}

}  // namespace

std::uint64_t HostThreads::next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

HostThread* HostThreads::find() const {
    return this_thread.of == id_ ? this_thread.thread : nullptr;
}

HostThread& HostThreads::here() {
    HostThread* const known = find();
    return known != nullptr ? *known : attach(next_agent_++);
}

HostThread& HostThreads::attach(std::uint32_t agent) {
    const QuietLock lock(mutex_);
    HostThread& added = *threads_.emplace_back(std::make_unique<HostThread>());
    added.agent = agent;
    added.clock = published_;
    added.clock.advance(agent);
    this_thread.of = id_;
    this_thread.thread = &added;
    set_recorder(&added.recorder, Running::host_code);
    return added;
}

void HostThreads::publish() {
    HostThread* const thread = find();
    if (thread == nullptr) {
        return;
    }
    const QuietLock lock(mutex_);
    if (thread->host_function != nullptr) {
        published_.join(*thread->host_function);
        return;
    }
    thread->clock.join(published_);
    if (!thread->recorder.empty()) {
        const RecordingPaused paused;
        waiting_.push_back({thread->now(), thread->clock, thread->recorder.intervals()});
        thread->recorder.clear();
    }
    published_.join(thread->clock);
    thread->clock.advance(thread->agent);
}

std::vector<HostAccesses> HostThreads::take() {
    HostThread& thread = here();
    const QuietLock lock(mutex_);
    thread.clock.join(published_);
    return std::exchange(waiting_, {});
}

void watch_threads(HostThreads* threads) {
    watched.store(threads, std::memory_order_release);
    set_host_publishes(threads != nullptr ? publish : nullptr);
}

}  // namespace simulator

// The program's calls, and those of the C++ library, arrive here first.
extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
    static auto* const create = simulator::real<decltype(pthread_create)>("pthread_create");
    simulator::several_threads.store(true, std::memory_order_relaxed);
    simulator::publish();
    auto* const start = new simulator::Start{function, argument};
    const int error = create(thread, attributes, simulator::run_thread, start);
    if (error != 0) {
        delete start;
    }
    return error;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
    static auto* const unlock = simulator::real<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock");
    const simulator::HostThreads* const threads = simulator::watched.load(std::memory_order_acquire);
    if (threads != nullptr && threads->puts_in_order(mutex)) {
        simulator::publish();
    }
    return unlock(mutex);
}

#define SIMULATOR_PUBLISHING(name, parameters, arguments)                             \
    int name parameters {                                                             \
        static auto* const original = simulator::real<int parameters>(#name);         \
        simulator::publish();                                                         \
        return original arguments;                                                    \
    }
SIMULATOR_PUBLISHING(pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
SIMULATOR_PUBLISHING(pthread_cond_signal, (pthread_cond_t * condition), (condition))
SIMULATOR_PUBLISHING(pthread_cond_broadcast, (pthread_cond_t * condition), (condition))
SIMULATOR_PUBLISHING(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* mutex), (condition, mutex))
SIMULATOR_PUBLISHING(pthread_cond_timedwait,
                     (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until),
                     (condition, mutex, until))
SIMULATOR_PUBLISHING(pthread_cond_clockwait,
                     (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until),
                     (condition, mutex, clock, until))
SIMULATOR_PUBLISHING(pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))
SIMULATOR_PUBLISHING(sem_post, (sem_t * semaphore), (semaphore))

}  // extern "C"
