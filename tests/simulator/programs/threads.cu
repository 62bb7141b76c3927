// Several host threads, each with its own calls, streams and errors.
#include "resources.h"

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

using namespace cases;

namespace {

constexpr std::size_t bytes = mib;

// A stream with a copy to the host that is under way.
struct Work {
    DeviceMemory device{bytes};
    PinnedMemory host{bytes};
    Stream stream;

    Work() {
        fill(host, bytes, 9);
        CALL(cudaMemset(device, 1, bytes));
        CALL(cudaDeviceSynchronize());
        CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy of the first thread
    }
    void wait() { CALL(cudaStreamSynchronize(stream)); }
    void read() { EXPECT(host[4] == 0x01010101); }
};

void one_waits_and_another_reads_after_its_start() {
    Work work;
    work.wait();
    std::thread([&] { work.read(); }).join();
}

void one_waits_and_another_reads_after_its_end() {
    Work work;
    std::thread([&] { work.wait(); }).join();
    work.read();
}

void a_condition_variable_hands_over() {
    Work work;
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    std::thread reader([&] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return ready; });
        work.read();
    });
    work.wait();
    {
        const std::lock_guard lock(mutex);
        ready = true;
    }
    changed.notify_one();
    reader.join();
}

void an_atomic_hands_over() {
    Work work;
    std::atomic<bool> ready{false};
    std::thread reader([&] {
        while (!ready.load(std::memory_order_acquire)) {
            std::this_thread::yield();
        }
        work.read();
    });
    work.wait();
    ready.store(true, std::memory_order_release);
    reader.join();
}

void a_future_hands_over() {
    Work work;
    auto waited = std::async(std::launch::async, [&] {
        work.wait();
        return 1;
    });
    EXPECT(waited.get() == 1);
    work.read();
}

void one_fills_and_another_copies() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    std::mutex mutex;
    int next = 0;  // even: to be filled, odd: to be copied
    std::thread filler([&] {
        for (unsigned round = 0; round < 8;) {
            const std::lock_guard lock(mutex);
            if (next % 2 == 0) {
                fill(host, bytes, round++);
                ++next;
            }
        }
    });
    for (unsigned round = 0; round < 8;) {
        const std::lock_guard lock(mutex);
        if (next % 2 == 1) {
            CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
            CALL(cudaStreamSynchronize(stream));
            ++next;
            ++round;
        }
    }
    filler.join();
}

void another_reads_without_waiting() {
    Work work;
    std::thread([&] {
        EXPECT(work.host[4] != 0x01010101);  // at: read of the second thread
    }).join();
    work.wait();
}

void many_threads() {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 8; ++i) {
        threads.emplace_back([i] {
            DeviceMemory device(64 * kib);
            PinnedMemory in(64 * kib), out(64 * kib);
            Stream stream;
            for (unsigned round = 0; round < 20; ++round) {
                fill(in, 64 * kib, 100 * i + round);
                CALL(cudaMemcpyAsync(device, in, 64 * kib, cudaMemcpyHostToDevice, stream));
                CALL(cudaMemcpyAsync(out, device, 64 * kib, cudaMemcpyDeviceToHost, stream));
                CALL(cudaStreamSynchronize(stream));
                EXPECT(all_equal(out, 64 * kib, 100 * i + round));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

void errors_belong_to_their_thread() {
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
    std::thread([] {
        EXPECT_ERROR(cudaSuccess, cudaGetLastError());
        EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
    }).join();
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
}

// A host function that starts a thread, as samples with callbacks do.
std::thread worker;
void CUDART_CB start_worker(void* data) {
    worker = std::thread([data] { EXPECT(*static_cast<unsigned*>(data) == 0x01010101); });
}

void a_host_function_starts_a_thread() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    CALL(cudaMemsetAsync(device, 1, bytes, stream));
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    CALL(cudaLaunchHostFunc(stream, start_worker, host));
    CALL(cudaStreamSynchronize(stream));
    worker.join();
    fill(host, bytes, 3);
}

void the_handles_of_default_streams() {
    unsigned flags = 9;
    CALL(cudaStreamGetFlags(cudaStreamPerThread, &flags));
    EXPECT(flags == cudaStreamDefault);
    small_busy_kernel<<<1, 1, 0, cudaStreamPerThread>>>();  // at: kernel of this thread
    std::thread([] {
        small_busy_kernel<<<1, 1, 0, cudaStreamPerThread>>>();  // at: kernel of another thread
        CALL(cudaStreamSynchronize(cudaStreamPerThread));
    }).join();
    small_busy_kernel<<<1, 1, 0, cudaStreamLegacy>>>();  // at: kernel after both
    CALL(cudaDeviceSynchronize());
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamPerThread));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(cudaStreamLegacy));
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(one_waits_and_another_reads_after_its_start),
    CASE(one_waits_and_another_reads_after_its_end),
    CASE(a_condition_variable_hands_over),
    CASE(an_atomic_hands_over),
    CASE(a_future_hands_over),
    CASE(one_fills_and_another_copies),
    CASE(another_reads_without_waiting),
    CASE(many_threads),
    CASE(errors_belong_to_their_thread),
    CASE(a_host_function_starts_a_thread),
    CASE(the_handles_of_default_streams),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
