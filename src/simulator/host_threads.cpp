#include "simulator/host_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <iterator>
#include <utility>

#include "simulator/ordering/call_sites.hpp"
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

// When every thread waits for another, only the device can let one go on: by a host function.
std::atomic<int> threads_alive{1};
std::atomic<int> threads_blocked{0};
std::atomic<unsigned> wake_ups{0};

// How often each condition variable was signalled; those with the same hash share a counter, which at worst wakes a
// thread in vain.
std::atomic<unsigned> signals[256];

std::atomic<unsigned>& signals_of(const void* condition) {
    return signals[reinterpret_cast<std::uintptr_t>(condition) / sizeof(pthread_cond_t) % std::size(signals)];
}

void count_wake_up() {
    ++wake_ups;
}

void count_signal(const void* condition) {
    ++signals_of(condition);
    count_wake_up();
}

// While it lives, this thread waits. In a host function it must not: that runs in the thread that waits for the device.
class Blocked {
public:
    Blocked() { ++threads_blocked; }
    ~Blocked() { --threads_blocked; }
    Blocked(const Blocked&) = delete;
    Blocked& operator=(const Blocked&) = delete;

    // Whether the device went on to what happens next. One that was woken a moment ago may not run yet: with several
    // threads, only after a moment in which nobody was woken.
    bool device_goes_on() {
        if (threads_blocked.load() < threads_alive.load()) {
            return false;
        }
        if (const unsigned woken = wake_ups.load(); threads_alive.load() > 1 && std::exchange(woken_, woken) != woken) {
            return false;
        }
        return let_device_go_on();
    }

private:
    unsigned woken_ = wake_ups.load() - 1;
};

// The clocks of the C library show virtual time.
timespec real_time_soon(clockid_t clock) {
    constexpr long moment_ns = 2'000'000;
    constexpr long second_ns = 1'000'000'000;
    timespec time{};
    syscall(SYS_clock_gettime, clock, &time);
    time.tv_nsec += moment_ns;
    if (time.tv_nsec >= second_ns) {
        time.tv_nsec -= second_ns;
        ++time.tv_sec;
    }
    return time;
}

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

// Called before this thread lets another go on. While recording is paused, the locks are the simulator's own: they put
// nothing in order, and an access may be half recorded.
void publish() {
    HostThreads* const threads = watched.load(std::memory_order_acquire);
    if (threads == nullptr || !this_thread.publishes || instrumentation.recorder == nullptr) {
        return;
    }
    threads->publish(several_threads.load(std::memory_order_relaxed));
}

void observe() {
    HostThreads* const threads = watched.load(std::memory_order_acquire);
    if (threads != nullptr) {
        threads->observe();
    }
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
        --threads_alive;
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
    added.recorder.find_return_addresses_by(users_return_address);
    set_recorder(&added.recorder, Running::host_code);
    return added;
}

void HostThreads::publish(bool several) {
    HostThread* const thread = find();
    if (thread == nullptr) {
        return;
    }
    if (!several) {
        if (thread->host_function != nullptr) {
            of_host_functions_.join(*thread->host_function);
            set_host_observes(simulator::observe);
        }
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

void HostThreads::observe() {
    const QuietLock lock(mutex_);
    if (const HostThread* const thread = find(); thread != nullptr && thread->host_function == nullptr) {
        published_.join(of_host_functions_);
        set_host_observes(nullptr);
    }
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
    ++simulator::threads_alive;
    const int error = create(thread, attributes, simulator::run_thread, start);
    if (error != 0) {
        --simulator::threads_alive;
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
SIMULATOR_PUBLISHING(pthread_cond_timedwait,
                     (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until),
                     (condition, mutex, until))
SIMULATOR_PUBLISHING(pthread_cond_clockwait,
                     (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until),
                     (condition, mutex, clock, until))
SIMULATOR_PUBLISHING(pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))

#define SIMULATOR_WAKING(name, parameters, arguments, count)                          \
    int name parameters {                                                             \
        static auto* const original = simulator::real<int parameters>(#name);         \
        simulator::publish();                                                         \
        simulator::count;                                                             \
        return original arguments;                                                    \
    }
SIMULATOR_WAKING(pthread_cond_signal, (pthread_cond_t * condition), (condition), count_signal(condition))
SIMULATOR_WAKING(pthread_cond_broadcast, (pthread_cond_t * condition), (condition), count_signal(condition))
SIMULATOR_WAKING(sem_post, (sem_t * semaphore), (semaphore), count_wake_up())

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    static auto* const wait = simulator::real<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
    static auto* const lock = simulator::real<decltype(pthread_mutex_lock)>("pthread_mutex_lock");
    static auto* const unlock = simulator::real<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock");
    simulator::publish();
    simulator::Blocked blocked;
    const std::atomic<unsigned>& signals = simulator::signals_of(condition);
    const unsigned before = signals.load();
    while (signals.load() == before) {
        unlock(mutex);  // a host function may want it
        const bool went_on = blocked.device_goes_on();
        lock(mutex);
        if (went_on || signals.load() != before) {
            continue;
        }
        const timespec soon = simulator::real_time_soon(CLOCK_MONOTONIC);
        if (const int result = wait(condition, mutex, CLOCK_MONOTONIC, &soon); result != ETIMEDOUT) {
            return result;
        }
    }
    return 0;
}

int sem_wait(sem_t* semaphore) {
    static auto* const wait = simulator::real<decltype(sem_clockwait)>("sem_clockwait");
    simulator::publish();
    simulator::Blocked blocked;
    for (;;) {
        if (sem_trywait(semaphore) == 0) {
            return 0;
        }
        if (blocked.device_goes_on()) {
            continue;
        }
        const timespec soon = simulator::real_time_soon(CLOCK_MONOTONIC);
        if (wait(semaphore, CLOCK_MONOTONIC, &soon) == 0) {
            return 0;
        }
        if (errno != ETIMEDOUT) {
            return -1;
        }
    }
}

int pthread_join(pthread_t thread, void** result) {
    static auto* const join = simulator::real<decltype(pthread_join)>("pthread_join");
    simulator::publish();
    const simulator::Blocked blocked;
    return join(thread, result);
}

// std::future, std::atomic::wait and std::counting_semaphore wait by this call.
long syscall(long number, ...) noexcept {
    static auto* const original = simulator::real<long(long, ...)>("syscall");
    va_list list;
    va_start(list, number);
    long arguments[6];
    for (long& argument : arguments) {
        argument = va_arg(list, long);
    }
    va_end(list);
    const auto call = [&](long timeout) {
        return original(number, arguments[0], arguments[1], arguments[2], timeout, arguments[4], arguments[5]);
    };
    const long operation = number == SYS_futex ? arguments[1] & FUTEX_CMD_MASK : -1;
    if (operation == FUTEX_WAKE) {
        simulator::count_wake_up();
    }
    const bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
    if (!waits || arguments[3] != 0) {
        return call(arguments[3]);
    }
    const auto* const word = reinterpret_cast<const int*>(arguments[0]);
    const auto expected = static_cast<int>(arguments[2]);
    simulator::publish();
    simulator::Blocked blocked;
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == expected) {
        if (blocked.device_goes_on()) {
            continue;
        }
        const bool until = operation == FUTEX_WAIT_BITSET;  // which takes a time of the clock, not a duration
        const timespec soon = until ? simulator::real_time_soon(CLOCK_MONOTONIC) : timespec{0, 2'000'000};
        arguments[1] &= ~static_cast<long>(FUTEX_CLOCK_REALTIME);
        if (call(reinterpret_cast<long>(&soon)) == 0) {
            return 0;
        }
        if (errno != ETIMEDOUT) {
            return -1;
        }
    }
    errno = EAGAIN;
    return -1;
}

}  // extern "C"
