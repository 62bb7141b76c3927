// Compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM: the default stream is the calling thread's own.
#include "resources.h"

#include <thread>

using namespace cases;

namespace {

void threads_overlap() {
    std::thread([] {
        small_busy_kernel<<<1, 1>>>();  // at: default kernel of another thread
    }).join();
    small_busy_kernel<<<1, 1>>>();        // at: default kernel of this thread
    CALL(cudaStreamSynchronize(nullptr));  // at: wait for this thread's stream
    CALL(cudaDeviceSynchronize());
}

void other_streams_are_not_held_up() {
    Stream stream;
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: kernel of a stream
    small_busy_kernel<<<1, 1>>>();             // at: kernel beside it
    CALL(cudaDeviceSynchronize());
}

void the_legacy_stream_still_waits() {
    small_busy_kernel<<<1, 1>>>();                       // at: default kernel
    small_busy_kernel<<<1, 1, 0, cudaStreamLegacy>>>();  // at: legacy kernel
    small_busy_kernel<<<1, 1>>>();                       // at: default kernel again
    CALL(cudaDeviceSynchronize());
}

void copies_wait_for_this_thread_alone() {
    DeviceMemory device(kib);
    PinnedMemory host(kib);
    Stream stream;
    fill(host, kib, 1);
    small_busy_kernel<<<1, 1, 0, stream>>>();                       // at: kernel of another stream
    CALL(cudaMemcpy(device, host, kib, cudaMemcpyHostToDevice));    // at: copy of this thread
    CALL(cudaDeviceSynchronize());
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(threads_overlap),
    CASE(other_streams_are_not_held_up),
    CASE(the_legacy_stream_still_waits),
    CASE(copies_wait_for_this_thread_alone),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
