// The host threads of a program and the order between them. Every thread is an agent of the ordering checker. What puts
// two threads in order (a mutex, a condition variable, an atomic, the start and the end of a thread) is taken together:
// whatever one thread did before such a call comes before whatever another does after its own next one. That is more
// order than the program may have, never less, so that a correct program is not accused.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "simulator/include/simulator/types.h"
#include "simulator/ordering/access_recorder.hpp"
#include "simulator/ordering/vector_clock.hpp"

namespace simulator {

struct Stream;

struct HostThread {
    std::uint32_t agent = 0;
    VectorClock clock;
    AccessRecorder recorder;                     // what its own code accesses between two calls
    const VectorClock* host_function = nullptr;  // while it runs a host function: the past of that operation
    std::vector<std::size_t> open_ranges;
    cudaError_t last_error = cudaSuccess;
    Stream* default_stream = nullptr;  // its per-thread default stream, once it is used

    Epoch now() const { return {agent, clock.time(agent)}; }
};

// Accesses that a thread made before it let others go on; they are judged at the next call of the API.
struct HostAccesses {
    Epoch epoch;
    VectorClock clock;
    std::vector<AccessInterval> intervals;
};

class HostThreads {
public:
    // The thread that calls; one that is seen for the first time comes after all that was published.
    HostThread& here();

    // Takes part from now on, under the next number for an agent; its code is recorded.
    HostThread& attach(std::uint32_t agent);

    // Lets the other threads know what this one did. A host function, which runs in the thread that waits, lets that one
    // know once it looks: at an atomic or volatile variable, or by a wait. `several`: whether the program has started any thread.
    void publish(bool several);

    // This thread looks at what host functions let it know.
    void observe();

    // Brings this thread up to date with what the others published, and takes the accesses that wait to be judged.
    std::vector<HostAccesses> take();

    // `next_agent`: the number for the next thread that is seen. `own_mutex`, which the device holds during a call of the
    // API, puts no threads in order.
    HostThreads(std::atomic<std::uint32_t>& next_agent, const pthread_mutex_t* own_mutex)
        : next_agent_(next_agent), own_mutex_(own_mutex) {}
    bool puts_in_order(const pthread_mutex_t* mutex) const { return mutex != own_mutex_; }

private:
    HostThread* find() const;

    const std::uint64_t id_ = next_id();
    static std::uint64_t next_id();
    mutable std::mutex mutex_;  // held for moments only, and nothing else is waited for meanwhile
    std::deque<std::unique_ptr<HostThread>> threads_;
    VectorClock published_;
    VectorClock of_host_functions_;  // what they let the only thread know, once it looks
    std::vector<HostAccesses> waiting_;
    std::atomic<std::uint32_t>& next_agent_;
    const pthread_mutex_t* own_mutex_;
};

// The threads that the calls of the system's thread library concern; null when no device is in use.
void watch_threads(HostThreads* threads);

}  // namespace simulator
