// Host functions in streams, and streams of different priority.
#include "resources.h"

#include <semaphore.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "device/hooks.h"

using namespace cases;

namespace {

constexpr std::size_t bytes = mib;

struct Sum {
    const unsigned* values;
    unsigned long long total;
};

void CUDART_CB add_up(void* data) {
    auto* const sum = static_cast<Sum*>(data);
    for (std::size_t i = 0; i < bytes / sizeof(unsigned); ++i) {
        sum->total += sum->values[i];
    }
}

void CUDART_CB write_first(void* data) { *static_cast<unsigned*>(data) = 7; }

void CUDART_CB work_for_a_millisecond(void*) { device_hooks_host_work_ns(1'000'000); }

void launch_host_func_runs_in_stream_order() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    Sum sum{host, 0};
    CALL(cudaMemsetAsync(device, 1, bytes, stream));
    small_busy_kernel<<<1, 1, 0, stream>>>();                                     // at: kernel before
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));   // at: copy before
    CALL(cudaLaunchHostFunc(stream, add_up, &sum));                               // at: host function
    small_busy_kernel<<<1, 1, 0, stream>>>();                                     // at: kernel after
    EXPECT(sum.total == 0);
    CALL(cudaStreamSynchronize(stream));
    EXPECT(sum.total == 0x01010101ULL * (bytes / 4));
}

void its_declared_work_takes_time() {
    Stream stream, other;
    CALL(cudaLaunchHostFunc(stream, work_for_a_millisecond, nullptr));  // at: first working function
    CALL(cudaLaunchHostFunc(other, work_for_a_millisecond, nullptr));   // at: second working function
    small_busy_kernel<<<1, 1, 0, stream>>>();                           // at: kernel after the work
    CALL(cudaDeviceSynchronize());
}

void CUDART_CB note_callback(cudaStream_t stream, cudaError_t status, void* data) {
    auto* const seen = static_cast<cudaStream_t*>(data);
    EXPECT_ERROR(cudaSuccess, status);
    *seen = stream;
}

void callback_gets_its_stream_and_the_status() {
    Stream stream;
    cudaStream_t seen = nullptr;
    small_busy_kernel<<<1, 1, 0, stream>>>();                         // at: kernel before the callback
    CALL(cudaStreamAddCallback(stream, note_callback, &seen, 0));     // at: callback
    EXPECT(seen == nullptr);
    CALL(cudaStreamSynchronize(stream));
    EXPECT(seen == stream);
}

void errors_of_host_functions() {
    Stream stream;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, nullptr, nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAddCallback(stream, nullptr, nullptr, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAddCallback(stream, note_callback, nullptr, 1));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
}

void CUDART_CB call_cuda(void* data) {
    void* memory = nullptr;
    EXPECT_ERROR(cudaErrorNotPermitted, cudaMalloc(&memory, 4));  // at: call in a host function
    EXPECT(memory == nullptr);
    EXPECT_ERROR(cudaErrorNotPermitted, cudaFree(data));  // at: free in a host function
}

void calls_in_a_host_function() {
    Stream stream;
    DeviceMemory device(bytes);
    CALL(cudaLaunchHostFunc(stream, call_cuda, device));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemset(device, 0, bytes));
}

// --- order ---

void reads_what_another_stream_copies(bool waits) {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream copies, functions;
    Event copied;
    Sum sum{host, 0};
    CALL(cudaMemset(device, 1, bytes));
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, copies));  // at: copied for the function
    CALL(cudaEventRecord(copied, copies));
    if (waits) {
        CALL(cudaStreamWaitEvent(functions, copied, 0));
    }
    CALL(cudaLaunchHostFunc(functions, add_up, &sum));  // at: function that reads
    CALL(cudaDeviceSynchronize());
}
void function_waits_for_its_input() { reads_what_another_stream_copies(true); }
void function_does_not_wait_for_its_input() { reads_what_another_stream_copies(false); }

void read_after_a_host_function(bool waits) {
    PinnedMemory host(bytes);
    Stream stream;
    CALL(cudaLaunchHostFunc(stream, write_first, host));  // at: function that writes
    if (waits) {
        CALL(cudaStreamSynchronize(stream));
    }
    EXPECT((host[0] == 7) == waits);  // at: read of what it writes
    CALL(cudaStreamSynchronize(stream));
}
void its_result_is_waited_for() { read_after_a_host_function(true); }
void its_result_is_not_waited_for() { read_after_a_host_function(false); }

void CUDART_CB tell_the_checker(void* data) { device_hooks_host_writes(data, 16, "declared"); }

void declared_access_in_a_host_function() {
    PinnedMemory host(bytes);
    Stream stream;
    CALL(cudaLaunchHostFunc(stream, tell_the_checker, host));  // at: function that declares
    host[3] = 1;                                               // at: write beside the declared one
    CALL(cudaStreamSynchronize(stream));
}

// --- priorities ---

void priorities_are_kept_in_range() {
    int least = 99, greatest = 99, priority = 99;
    CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CALL(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
    EXPECT(least == 0 && greatest == -5);
    for (const int asked : {0, -3, -5, -100, 100}) {
        cudaStream_t stream = nullptr;
        CALL(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, asked));
        CALL(cudaStreamGetPriority(stream, &priority));
        EXPECT(priority == (asked < greatest ? greatest : asked > least ? least : asked));
        unsigned flags = 0;
        CALL(cudaStreamGetFlags(stream, &flags));
        EXPECT(flags == cudaStreamNonBlocking);
        CALL(cudaStreamDestroy(stream));
    }
    CALL(cudaStreamGetPriority(nullptr, &priority));
    EXPECT(priority == 0);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamGetPriority(nullptr, nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamCreateWithPriority(nullptr, 0, 0));
}

void urgent_kernels_go_first() {
    cudaStream_t usual = nullptr, other = nullptr, urgent = nullptr;
    CALL(cudaStreamCreateWithPriority(&usual, cudaStreamNonBlocking, 0));
    CALL(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, 0));
    CALL(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -1));
    large_busy_kernel<<<whole_device_blocks, whole_device_threads, 0, usual>>>();   // at: usual kernel
    large_busy_kernel<<<whole_device_blocks, whole_device_threads, 0, other>>>();   // at: waiting kernel
    large_busy_kernel<<<whole_device_blocks, whole_device_threads, 0, urgent>>>();  // at: urgent kernel
    CALL(cudaDeviceSynchronize());
    CALL(cudaStreamDestroy(usual));
    CALL(cudaStreamDestroy(other));
    CALL(cudaStreamDestroy(urgent));
}

// --- the host waits by other means than a call of the API ---

struct Arrival {
    std::mutex mutex;
    std::condition_variable changed;
    bool arrived = false;
    volatile bool flag = false;
    std::atomic<int> number{0};
    std::promise<int> promise;
    sem_t semaphore{};

    Arrival() { sem_init(&semaphore, 0, 0); }
};

using Announce = void (*)(void*);
using Await = void (*)(Arrival&);

// The device's work is done, and ordered before what the host does, once the wait returns.
void host_function_ends_the_wait(Announce announce, Await await) {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    Arrival arrival;
    CALL(cudaMemsetAsync(device, 1, bytes, stream));
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    CALL(cudaLaunchHostFunc(stream, announce, &arrival));
    await(arrival);
    EXPECT(static_cast<unsigned*>(host)[5] == 0x01010101U);
    CALL(cudaStreamSynchronize(stream));
}

void set_number(void* arrival) { static_cast<Arrival*>(arrival)->number = 1; }

void poll_number(Arrival& arrival) {
    while (arrival.number.load() == 0) {
    }
}

void notify(void* data) {
    auto* const arrival = static_cast<Arrival*>(data);
    {
        const std::lock_guard lock(arrival->mutex);
        arrival->arrived = true;
    }
    arrival->changed.notify_one();
}

void wait_for_notification(Arrival& arrival) {
    std::unique_lock lock(arrival.mutex);
    arrival.changed.wait(lock, [&] { return arrival.arrived; });
}

void an_atomic_is_polled() { host_function_ends_the_wait(set_number, poll_number); }

void a_condition_variable_is_waited_for() { host_function_ends_the_wait(notify, wait_for_notification); }

void another_thread_waits_for_a_condition_variable() {
    host_function_ends_the_wait(notify, [](Arrival& arrival) {
        std::thread([&] { wait_for_notification(arrival); }).join();
    });
}

void a_future_is_waited_for() {
    host_function_ends_the_wait([](void* arrival) { static_cast<Arrival*>(arrival)->promise.set_value(7); },
                                [](Arrival& arrival) { EXPECT(arrival.promise.get_future().get() == 7); });
}

void an_atomic_is_waited_for() {
    host_function_ends_the_wait(
        [](void* arrival) {
            set_number(arrival);
            static_cast<Arrival*>(arrival)->number.notify_all();
        },
        [](Arrival& arrival) { arrival.number.wait(0); });
}

void a_semaphore_is_waited_for() {
    host_function_ends_the_wait([](void* arrival) { sem_post(&static_cast<Arrival*>(arrival)->semaphore); },
                                [](Arrival& arrival) { sem_wait(&arrival.semaphore); });
}

void a_volatile_variable_is_polled() {
    Stream stream;
    Arrival arrival;
    small_busy_kernel<<<1, 1, 0, stream>>>();
    CALL(cudaLaunchHostFunc(stream, [](void* data) { static_cast<Arrival*>(data)->flag = true; }, &arrival));
    while (!arrival.flag) {
    }
    CALL(cudaStreamSynchronize(stream));
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(launch_host_func_runs_in_stream_order),
    CASE(its_declared_work_takes_time),
    CASE(callback_gets_its_stream_and_the_status),
    CASE(errors_of_host_functions),
    CASE(calls_in_a_host_function),
    CASE(function_waits_for_its_input),
    CASE(function_does_not_wait_for_its_input),
    CASE(its_result_is_waited_for),
    CASE(its_result_is_not_waited_for),
    CASE(declared_access_in_a_host_function),
    CASE(priorities_are_kept_in_range),
    CASE(urgent_kernels_go_first),
    CASE(an_atomic_is_polled),
    CASE(a_volatile_variable_is_polled),
    CASE(a_condition_variable_is_waited_for),
    CASE(another_thread_waits_for_a_condition_variable),
    CASE(a_future_is_waited_for),
    CASE(an_atomic_is_waited_for),
    CASE(a_semaphore_is_waited_for),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
