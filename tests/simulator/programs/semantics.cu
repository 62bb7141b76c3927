// What blocks the host, what overlaps and what waits for what. Each case makes calls on lines with a marker; the test
// beside this file looks up when these calls and operations ran.
#include "resources.h"

using namespace cases;

namespace {

constexpr std::size_t large = 4 * mib;
constexpr std::size_t small = 64 * kib;

// --- copies ---

void sync_pinned_h2d() {
    PinnedMemory host(large);
    DeviceMemory device(large);
    PinnedMemory back(large);
    fill(host, large, 5);
    CALL(cudaMemcpy(device, host, large, cudaMemcpyHostToDevice));  // at: copy
    fill(host, large, 6);
    CALL(cudaMemcpy(back, device, large, cudaMemcpyDeviceToHost));
    EXPECT(all_equal(back, large, 5));
}

void pageable_h2d(std::size_t bytes, bool asynchronous) {
    PageableMemory host(bytes);
    DeviceMemory device(bytes);
    PageableMemory back(bytes);
    Stream stream;
    fill(host, bytes, 5);
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: kernel
    if (asynchronous) {
        CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));  // at: async copy
    } else {
        CALL(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));  // at: sync copy
    }
    fill(host, bytes, 6);  // the source of a pageable copy may be used again
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
    EXPECT(all_equal(back, bytes, 5));
}

void sync_pageable_h2d() { pageable_h2d(small + 4, false); }
void sync_small_pageable_h2d() { pageable_h2d(small, false); }
void async_pageable_h2d() { pageable_h2d(small + 4, true); }
void async_small_pageable_h2d() { pageable_h2d(small, true); }

template <class HostMemory>
void d2h(std::size_t bytes, bool asynchronous) {
    HostMemory host(bytes);
    DeviceMemory device(bytes);
    Stream stream;
    CALL(cudaMemset(device, 3, bytes));
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: d2h kernel
    if (asynchronous) {
        CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: async d2h
        CALL(cudaStreamSynchronize(stream));
    } else {
        CALL(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));  // at: sync d2h
    }
    EXPECT(all_equal(host, bytes, 0x03030303));
}

void sync_pinned_d2h() { d2h<PinnedMemory>(large, false); }
void sync_pageable_d2h() { d2h<PageableMemory>(large, false); }
void sync_small_pageable_d2h() { d2h<PageableMemory>(small, false); }
void async_pinned_d2h() { d2h<PinnedMemory>(large, true); }
void async_pageable_d2h() { d2h<PageableMemory>(large, true); }
void async_small_pageable_d2h() { d2h<PageableMemory>(small, true); }

void async_pinned_h2d() {
    PinnedMemory host(large);
    PinnedMemory back(large);
    DeviceMemory device(large);
    Stream stream;
    fill(host, large, 7);
    CALL(cudaMemcpyAsync(device, host, large, cudaMemcpyHostToDevice, stream));  // at: async pinned h2d
    CALL(cudaMemcpyAsync(back, device, large, cudaMemcpyDeviceToHost, stream));  // at: back in the same stream
    CALL(cudaStreamSynchronize(stream));                                         // at: wait for the stream
    EXPECT(all_equal(back, large, 7));
}

void small_pinned_h2d() {
    PinnedMemory host(small);
    DeviceMemory device(small);
    fill(host, small, 7);
    CALL(cudaMemcpy(device, host, small, cudaMemcpyHostToDevice));  // at: small pinned h2d
}

void d2d(bool asynchronous) {
    DeviceMemory from(large);
    DeviceMemory to(large);
    PageableMemory host(large);
    Stream stream;
    CALL(cudaMemset(from, 4, large));
    if (asynchronous) {
        CALL(cudaStreamSynchronize(nullptr));
        CALL(cudaMemcpyAsync(to, from, large, cudaMemcpyDeviceToDevice, stream));  // at: async d2d
    } else {
        CALL(cudaMemcpy(to, from, large, cudaMemcpyDeviceToDevice));  // at: sync d2d
    }
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: kernel after d2d
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy(host, to, large, cudaMemcpyDefault));
    EXPECT(all_equal(host, large, 0x04040404));
}

void sync_d2d() { d2d(false); }
void async_d2d() { d2d(true); }

void h2h() {
    PinnedMemory from(large);
    PageableMemory to(large);
    Stream stream;
    fill(from, large, 8);
    small_busy_kernel<<<1, 1, 0, stream>>>();                                       // at: kernel before h2h
    CALL(cudaMemcpyAsync(to, from, large, cudaMemcpyHostToHost, stream));           // at: async h2h
    EXPECT(all_equal(to, large, 8));
    fill(from, large, 9);
    CALL(cudaMemcpy(to, from, large, cudaMemcpyHostToHost));  // at: sync h2h
    EXPECT(all_equal(to, large, 9));
}

void registered_memory_is_pinned() {
    PageableMemory host(large);
    DeviceMemory device(large);
    Stream stream;
    fill(host, large, 9);
    small_busy_kernel<<<1, 1, 0, stream>>>();
    CALL(cudaHostRegister(host, large, cudaHostRegisterDefault));                // at: register
    CALL(cudaMemcpyAsync(device, host, large, cudaMemcpyHostToDevice, stream));  // at: registered h2d
    CALL(cudaStreamSynchronize(stream));
    fill(host, large, 0);
    CALL(cudaMemcpyAsync(host, device, large, cudaMemcpyDeviceToHost, stream));  // at: registered d2h
    CALL(cudaStreamSynchronize(stream));
    EXPECT(all_equal(host, large, 9));
    CALL(cudaHostUnregister(host));
    CALL(cudaMemcpyAsync(device, host, large, cudaMemcpyHostToDevice, stream));  // at: unregistered h2d
    CALL(cudaStreamSynchronize(stream));
}

void pageable_copies_do_not_overlap() {
    PageableMemory host(2 * large);
    DeviceMemory device(2 * large);
    Stream first, second;
    const std::size_t half = large / sizeof(unsigned);
    CALL(cudaMemcpyAsync(device, host, large, cudaMemcpyHostToDevice, first));                 // at: pageable first
    CALL(cudaMemcpyAsync(device + half, host + half, large, cudaMemcpyHostToDevice, second));  // at: pageable second
    CALL(cudaDeviceSynchronize());
}

void pinned_copies_and_kernels_overlap() {
    PinnedMemory in(large), out(large);
    DeviceMemory device_in(large), device_out(large);
    Stream first, second, third;
    CALL(cudaMemset(device_out, 1, large));
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpyAsync(device_in, in, large, cudaMemcpyHostToDevice, first));     // at: overlapping in
    CALL(cudaMemcpyAsync(out, device_out, large, cudaMemcpyDeviceToHost, second));  // at: overlapping out
    small_busy_kernel<<<1, 1, 0, third>>>();                                        // at: overlapping kernel
    CALL(cudaDeviceSynchronize());
}

void zero_bytes() {
    DeviceMemory device(small);
    PinnedMemory host(small);
    CALL(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyAsync(host, device, 0, cudaMemcpyDeviceToHost, nullptr));
    CALL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemset(device, 1, 0));
    CALL(cudaMemsetAsync(device, 1, 0, nullptr));
    CALL(cudaDeviceSynchronize());
}

// --- memset ---

void memset_of_device_memory() {
    DeviceMemory device(large);
    PageableMemory host(large);
    Stream stream;
    CALL(cudaMemset(device, 1, large));               // at: sync memset
    CALL(cudaMemsetAsync(device, 2, large, stream));  // at: async memset
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy(host, device, large, cudaMemcpyDeviceToHost));
    EXPECT(all_equal(host, large, 0x02020202));
}

void memset_of_pinned_memory() {
    PinnedMemory host(large);
    Stream stream;
    CALL(cudaMemset(host, 1, large));  // at: sync pinned memset
    EXPECT(all_equal(host, large, 0x01010101));
    CALL(cudaMemsetAsync(host, 2, large, stream));  // at: async pinned memset
    CALL(cudaStreamSynchronize(stream));
    EXPECT(all_equal(host, large, 0x02020202));
}

// --- kernels ---

void launches_do_not_block() {
    Stream stream;
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: first launch
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: second launch
    CALL(cudaStreamSynchronize(stream));       // at: sync after launches
}

void kernels_of_two_streams(unsigned blocks, unsigned threads) {
    Stream first, second;
    if (blocks == 1) {
        small_busy_kernel<<<blocks, threads, 0, first>>>();   // at: small kernel one
        small_busy_kernel<<<blocks, threads, 0, second>>>();  // at: small kernel two
    } else {
        large_busy_kernel<<<blocks, threads, 0, first>>>();   // at: large kernel one
        large_busy_kernel<<<blocks, threads, 0, second>>>();  // at: large kernel two
    }
    CALL(cudaDeviceSynchronize());
}

void small_kernels_overlap() { kernels_of_two_streams(1, 1); }
void large_kernels_do_not_overlap() { kernels_of_two_streams(whole_device_blocks, whole_device_threads); }

// --- allocation ---

void allocations_wait_for_everything() {
    Stream stream(cudaStreamNonBlocking);
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: kernel before malloc
    unsigned* device = nullptr;
    CALL(cudaMalloc(&device, small));          // at: malloc
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: kernel before free
    CALL(cudaFree(device));                    // at: free
}

void host_allocations_do_not_wait() {
    Stream stream(cudaStreamNonBlocking);
    PageableMemory ordinary(small);
    unsigned* pinned = nullptr;
    large_busy_kernel<<<whole_device_blocks, whole_device_threads, 0, stream>>>();
    small_busy_kernel<<<1, 1, 0, stream>>>();                                     // at: kernel before host alloc
    CALL(cudaHostAlloc(&pinned, small, cudaHostAllocDefault));                    // at: host alloc
    CALL(cudaHostRegister(ordinary, small, cudaHostRegisterDefault));             // at: host register
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaHostUnregister(ordinary));
    CALL(cudaFreeHost(pinned));
}

// --- waiting ---

void synchronizations() {
    Stream quick, slow;
    Event event;
    small_busy_kernel<<<1, 1, 0, quick>>>();  // at: quick kernel
    CALL(cudaEventRecord(event, quick));
    small_busy_kernel<<<1, 1, 0, quick>>>();  // at: after the event
    small_busy_kernel<<<1, 1, 0, slow>>>();
    small_busy_kernel<<<1, 1, 0, slow>>>();
    small_busy_kernel<<<1, 1, 0, slow>>>();  // at: slow kernel
    CALL(cudaEventSynchronize(event));       // at: event sync
    CALL(cudaStreamSynchronize(quick));      // at: stream sync
    CALL(cudaDeviceSynchronize());           // at: device sync
    CALL(cudaDeviceSynchronize());           // at: idle sync
}

void queries_end() {
    Stream stream;
    Event event;
    CALL(cudaStreamQuery(stream));
    CALL(cudaEventQuery(event));  // never recorded: an empty set of work
    small_busy_kernel<<<1, 1, 0, stream>>>();
    CALL(cudaEventRecord(event, stream));
    small_busy_kernel<<<1, 1, 0, stream>>>();                        // at: queried kernel
    EXPECT_ERROR(cudaErrorNotReady, cudaEventQuery(event));          // at: early query
    EXPECT_ERROR(cudaErrorNotReady, cudaStreamQuery(stream));
    EXPECT_ERROR(cudaErrorNotReady, cudaStreamQuery(nullptr));
    while (cudaEventQuery(event) == cudaErrorNotReady) {
    }
    EXPECT_ERROR(cudaErrorNotReady, cudaStreamQuery(stream));
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    CALL(cudaStreamSynchronize(stream));  // at: sync after queries
}

void destroying_a_stream_does_not_wait() {
    DeviceMemory device(large);
    PageableMemory host(large);
    cudaStream_t stream = nullptr;
    CALL(cudaStreamCreate(&stream));
    small_busy_kernel<<<1, 1, 0, stream>>>();         // at: kernel of the destroyed stream
    CALL(cudaMemsetAsync(device, 1, large, stream));
    CALL(cudaStreamDestroy(stream));                  // at: destroy
    CALL(cudaMemcpy(host, device, large, cudaMemcpyDeviceToHost));  // the legacy default stream still waits for it
    EXPECT(all_equal(host, large, 0x01010101));
}

// --- default streams ---

void legacy_default_stream(unsigned flags) {
    Stream first(flags), second(flags);
    small_busy_kernel<<<1, 1, 0, first>>>();   // at: kernel A
    small_busy_kernel<<<1, 1>>>();             // at: legacy kernel
    small_busy_kernel<<<1, 1, 0, second>>>();  // at: kernel B
    CALL(cudaDeviceSynchronize());
}

void legacy_stream_and_blocking_streams() { legacy_default_stream(cudaStreamDefault); }
void legacy_stream_and_non_blocking_streams() { legacy_default_stream(cudaStreamNonBlocking); }

void legacy_handle_is_the_default_stream() {
    Stream stream;
    unsigned flags = 99;
    small_busy_kernel<<<1, 1, 0, stream>>>();             // at: kernel before the handle
    small_busy_kernel<<<1, 1, 0, cudaStreamLegacy>>>();   // at: kernel by the handle
    CALL(cudaStreamSynchronize(cudaStreamLegacy));        // at: sync of the handle
    CALL(cudaStreamGetFlags(stream, &flags));
    EXPECT(flags == cudaStreamDefault);
}

void sync_copy_beside(unsigned flags) {
    Stream stream(flags);
    PinnedMemory host(small);
    DeviceMemory device(small);
    fill(host, small, 1);
    small_busy_kernel<<<1, 1, 0, stream>>>();                        // at: kernel beside the copy
    CALL(cudaMemcpy(device, host, small, cudaMemcpyHostToDevice));   // at: copy beside the kernel
    CALL(cudaDeviceSynchronize());
}

void sync_copy_beside_blocking_stream() { sync_copy_beside(cudaStreamDefault); }
void sync_copy_beside_non_blocking_stream() { sync_copy_beside(cudaStreamNonBlocking); }

void waiting_for_the_default_stream() {
    Stream blocking, other(cudaStreamNonBlocking);
    small_busy_kernel<<<1, 1, 0, blocking>>>();  // at: blocking kernel
    small_busy_kernel<<<1, 1, 0, other>>>();
    small_busy_kernel<<<1, 1, 0, other>>>();      // at: non-blocking kernel
    CALL(cudaStreamSynchronize(nullptr));        // at: default stream sync
    CALL(cudaDeviceSynchronize());
}

// --- events ---

void an_event_orders_two_streams() {
    Stream first, second;
    Event event;
    small_busy_kernel<<<1, 1, 0, first>>>();  // at: kernel before the event
    CALL(cudaEventRecord(event, first));                // at: record
    small_busy_kernel<<<1, 1, 0, first>>>();  // at: kernel beside the waiting one
    CALL(cudaStreamWaitEvent(second, event, 0));        // at: wait
    small_busy_kernel<<<1, 1, 0, second>>>();  // at: kernel after the event
    CALL(cudaDeviceSynchronize());
}

void only_later_work_waits() {
    Stream first, second;
    Event event;
    small_busy_kernel<<<1, 1, 0, first>>>();  // at: recorded kernel
    CALL(cudaEventRecord(event, first));
    small_busy_kernel<<<1, 1, 0, second>>>();  // at: earlier kernel of the waiting stream
    CALL(cudaStreamWaitEvent(second, event));
    CALL(cudaDeviceSynchronize());
}

void a_wait_uses_the_latest_recording_at_that_time() {
    Stream first, second;
    Event event;
    small_busy_kernel<<<1, 1, 0, first>>>();
    CALL(cudaEventRecord(event, first));
    small_busy_kernel<<<1, 1, 0, first>>>();  // at: kernel before the last recording
    CALL(cudaEventRecord(event, first));
    CALL(cudaStreamWaitEvent(second, event));
    small_busy_kernel<<<1, 1, 0, first>>>();  // at: kernel before a later recording
    CALL(cudaEventRecord(event, first));
    small_busy_kernel<<<1, 1, 0, second>>>();  // at: kernel that waits for the second recording
    CALL(cudaDeviceSynchronize());
}

void an_unrecorded_event_holds_nothing_up() {
    Stream first, second;
    Event event;
    small_busy_kernel<<<1, 1, 0, first>>>();  // at: kernel nobody waits for
    CALL(cudaStreamWaitEvent(second, event));
    CALL(cudaEventSynchronize(event));         // at: sync with an unrecorded event
    small_busy_kernel<<<1, 1, 0, second>>>();  // at: kernel that waits for nothing
    CALL(cudaDeviceSynchronize());
}

void elapsed_time() {
    Stream stream;
    Event start(cudaEventDefault), end(cudaEventDefault), untimed, never(cudaEventDefault);
    float milliseconds = -1;
    CALL(cudaEventRecord(start, stream));
    small_busy_kernel<<<1, 1, 0, stream>>>();  // at: timed kernel
    CALL(cudaEventRecord(end, stream));
    CALL(cudaEventRecord(untimed, stream));
    EXPECT_ERROR(cudaErrorNotReady, cudaEventElapsedTime(&milliseconds, start, end));
    CALL(cudaEventSynchronize(untimed));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, untimed));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, never, end));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, start, end));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CALL(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds > 3.7F && milliseconds < 3.9F);
    CALL(cudaEventElapsedTime(&milliseconds, end, start));
    EXPECT(milliseconds < 0);
    CALL(cudaEventElapsedTime(&milliseconds, start, start));
    EXPECT(milliseconds == 0);
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(sync_pinned_h2d),
    CASE(sync_pageable_h2d),
    CASE(sync_small_pageable_h2d),
    CASE(async_pageable_h2d),
    CASE(async_small_pageable_h2d),
    CASE(sync_pinned_d2h),
    CASE(sync_pageable_d2h),
    CASE(sync_small_pageable_d2h),
    CASE(async_pinned_d2h),
    CASE(async_pageable_d2h),
    CASE(async_small_pageable_d2h),
    CASE(async_pinned_h2d),
    CASE(small_pinned_h2d),
    CASE(sync_d2d),
    CASE(async_d2d),
    CASE(h2h),
    CASE(registered_memory_is_pinned),
    CASE(pageable_copies_do_not_overlap),
    CASE(pinned_copies_and_kernels_overlap),
    CASE(zero_bytes),
    CASE(memset_of_device_memory),
    CASE(memset_of_pinned_memory),
    CASE(launches_do_not_block),
    CASE(small_kernels_overlap),
    CASE(large_kernels_do_not_overlap),
    CASE(allocations_wait_for_everything),
    CASE(host_allocations_do_not_wait),
    CASE(synchronizations),
    CASE(queries_end),
    CASE(destroying_a_stream_does_not_wait),
    CASE(legacy_stream_and_blocking_streams),
    CASE(legacy_stream_and_non_blocking_streams),
    CASE(legacy_handle_is_the_default_stream),
    CASE(sync_copy_beside_blocking_stream),
    CASE(sync_copy_beside_non_blocking_stream),
    CASE(waiting_for_the_default_stream),
    CASE(an_event_orders_two_streams),
    CASE(only_later_work_waits),
    CASE(a_wait_uses_the_latest_recording_at_that_time),
    CASE(an_unrecorded_event_holds_nothing_up),
    CASE(elapsed_time),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
