// Memory in rows, in stream order, mapped and managed.
#include "resources.h"

#include <vector>

using namespace cases;

namespace {

constexpr std::size_t bytes = mib;
constexpr unsigned threads = 256;
constexpr unsigned blocks = 4;
constexpr std::size_t touched = blocks * threads * sizeof(unsigned);  // what a kernel below accesses

__global__ void write(unsigned* to, unsigned value) {
    to[blockIdx.x * blockDim.x + threadIdx.x] = value;  // at: write in a kernel
}

__global__ void add_one(unsigned* values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

__global__ void write_rows(char* to, std::size_t pitch, unsigned width) {
    to[blockIdx.x * pitch + threadIdx.x] = static_cast<char>(10 * blockIdx.x + (threadIdx.x < width ? threadIdx.x : 0));
}

// --- rows ---

constexpr std::size_t width = 100;
constexpr std::size_t height = 5;

void rows_there_and_back() {
    char* device = nullptr;
    std::size_t pitch = 0;
    CALL(cudaMallocPitch(&device, &pitch, width, height));
    EXPECT(pitch == 512);
    std::vector<char> in(width * height), out(2 * width * height, 1);
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<char>(i);
    }
    CALL(cudaMemset2D(device, pitch, 9, width, height));                                             // at: memset 2d
    CALL(cudaMemcpy2D(device, pitch, in.data(), width, width, height - 1, cudaMemcpyHostToDevice));  // at: h2d 2d
    CALL(cudaMemcpy2D(out.data(), 2 * width, device, pitch, width, height, cudaMemcpyDeviceToHost));
    for (std::size_t row = 0; row < height; ++row) {
        for (std::size_t i = 0; i < width; ++i) {
            EXPECT(out[row * 2 * width + i] == (row == height - 1 ? 9 : in[row * width + i]));
            EXPECT(out[row * 2 * width + width + i] == 1);  // between the rows
        }
    }
    CALL(cudaFree(device));
}

void rows_between_device_buffers() {
    DeviceMemory from(bytes), to(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    CALL(cudaMemset(to, 0, bytes));
    write_rows<<<height, width>>>(reinterpret_cast<char*>(static_cast<unsigned*>(from)), 512, width);
    CALL(cudaMemcpy2DAsync(to, 1024, from, 512, width, height, cudaMemcpyDeviceToDevice, stream));
    CALL(cudaMemset2DAsync(to, 1024, 3, width, 1, stream));
    CALL(cudaMemcpy2DAsync(host, 128, to, 1024, width, height, cudaMemcpyDefault, stream));  // at: rows to the host
    CALL(cudaStreamSynchronize(stream));
    const char* const found = reinterpret_cast<const char*>(static_cast<unsigned*>(host));
    EXPECT(found[0] == 3 && found[width - 1] == 3);
    EXPECT(found[128] == 10 && found[128 + 7] == 17 && found[4 * 128 + 99] == static_cast<char>(40 + 99));
}

void errors_of_rows() {
    char* device = nullptr;
    std::size_t pitch = 0;
    PageableMemory host(bytes);
    constexpr cudaMemcpyKind in = cudaMemcpyHostToDevice;
    CALL(cudaMallocPitch(&device, &pitch, 513, 4));
    EXPECT(pitch == 1024);
    EXPECT_ERROR(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 512, host, 513, 513, 4, in));
    EXPECT_ERROR(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, pitch, host, 512, 513, 4, in));
    CALL(cudaMemcpy2D(nullptr, pitch, host, 513, 0, 4, in));
    CALL(cudaMemset2D(nullptr, pitch, 0, 0, 4));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy2D(nullptr, pitch, host, 513, 10, 4, in));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset2D(device, 10, 0, 513, 4));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset2D(host, 1024, 0, 513, 4));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpy2D(device, pitch, host, 513, 513, 4, static_cast<cudaMemcpyKind>(7)));
    CALL(cudaFree(device));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocPitch(&device, nullptr, 10, 1));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocPitch(static_cast<void**>(nullptr), &pitch, 10, 1));
    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMallocPitch(&device, &pitch, std::size_t{1} << 40, std::size_t{1} << 40));
    CALL(cudaMallocPitch(&device, &pitch, 0, 3));
    EXPECT(device == nullptr && pitch == 0);
}

void rows_out_of_bounds() {
    char* device = nullptr;
    std::size_t pitch = 0;
    PageableMemory host(bytes);
    CALL(cudaMallocPitch(&device, &pitch, width, height));
    constexpr cudaMemcpyKind in = cudaMemcpyHostToDevice;
    constexpr std::size_t more = height + 1;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy2D(device, pitch, host, width, width, more, in));  // at: too high
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset2D(device, pitch, 0, width, more));                // at: set too high
    CALL(cudaFree(device));
}

void columns(std::size_t second_begins) {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream first, second;
    char* const to = reinterpret_cast<char*>(static_cast<unsigned*>(device));
    CALL(cudaMemcpy2DAsync(to, 512, host, 100, 100, 8, cudaMemcpyHostToDevice, first));  // at: left columns
    CALL(cudaMemset2DAsync(to + second_begins, 512, 1, 100, 8, second));                 // at: right columns
    CALL(cudaDeviceSynchronize());
}
void columns_apart() { columns(100); }
void columns_that_overlap() { columns(99); }

void pageable_rows_may_be_reused() {
    DeviceMemory device(bytes);
    PageableMemory host(bytes), back(bytes);
    Stream stream;
    fill(host, bytes, 1);
    CALL(cudaMemcpy2DAsync(device, 512, host, 400, 400, 100, cudaMemcpyHostToDevice, stream));  // at: staged rows
    fill(host, bytes, 2);
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy2D(back, 400, device, 512, 400, 100, cudaMemcpyDeviceToHost));
    EXPECT(all_equal(back, 40000, 1));
}

// --- stream order ---

void memory_of_a_stream() {
    Stream stream;
    PinnedMemory host(touched);
    unsigned* memory = nullptr;
    small_busy_kernel<<<1, 1, 0, stream>>>();           // at: kernel before the allocation
    CALL(cudaMallocAsync(&memory, bytes, stream));      // at: async malloc
    write<<<blocks, threads, 0, stream>>>(memory, 4);   // at: kernel with the memory
    CALL(cudaMemcpyAsync(host, memory, touched, cudaMemcpyDeviceToHost, stream));
    CALL(cudaFreeAsync(memory, stream));                // at: async free
    CALL(cudaStreamSynchronize(stream));
    EXPECT(all_equal(host, touched, 4));
}

void memory_across_streams() {
    Stream first, second;
    Event allocated, used;
    unsigned* memory = nullptr;
    CALL(cudaMallocAsync(&memory, bytes, first));
    CALL(cudaEventRecord(allocated, first));
    CALL(cudaStreamWaitEvent(second, allocated, 0));
    write<<<blocks, threads, 0, second>>>(memory, 4);
    CALL(cudaEventRecord(used, second));
    CALL(cudaStreamWaitEvent(first, used, 0));
    CALL(cudaFreeAsync(memory, first));
    CALL(cudaDeviceSynchronize());
}

void memory_used_before_it_is_there() {
    Stream first, second;
    unsigned* memory = nullptr;
    small_busy_kernel<<<1, 1, 0, first>>>();
    CALL(cudaMallocAsync(&memory, bytes, first));      // at: allocation of the other stream
    write<<<blocks, threads, 0, second>>>(memory, 4);  // at: use before the allocation
    CALL(cudaDeviceSynchronize());
    CALL(cudaFree(memory));
}

void memory_freed_while_in_use() {
    Stream first, second;
    Event allocated;
    unsigned* memory = nullptr;
    CALL(cudaMallocAsync(&memory, bytes, first));
    CALL(cudaEventRecord(allocated, first));
    CALL(cudaStreamWaitEvent(second, allocated, 0));
    write<<<blocks, threads, 0, second>>>(memory, 4);  // at: use beside the free
    small_busy_kernel<<<1, 1, 0, first>>>();
    CALL(cudaFreeAsync(memory, first));  // at: free beside the use
    CALL(cudaDeviceSynchronize());
}

void kernel_after_the_free() {
    Stream stream;
    unsigned* memory = nullptr;
    CALL(cudaMallocAsync(&memory, bytes, stream));
    CALL(cudaFreeAsync(memory, stream));
    write<<<blocks, threads, 0, stream>>>(memory, 4);
    CALL(cudaStreamSynchronize(stream));
}

void copy_after_the_free() {
    Stream stream;
    PinnedMemory host(bytes);
    unsigned* memory = nullptr;
    CALL(cudaMallocAsync(&memory, bytes, stream));
    CALL(cudaFreeAsync(memory, stream));
    constexpr cudaMemcpyKind in = cudaMemcpyHostToDevice;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyAsync(memory, host, bytes, in, stream));  // at: copy after the free
    CALL(cudaStreamSynchronize(stream));
}

void freed_twice_in_stream() {
    Stream stream;
    unsigned* memory = nullptr;
    CALL(cudaMallocAsync(&memory, bytes, stream));
    CALL(cudaFreeAsync(memory, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFreeAsync(memory, stream));  // at: freed in stream again
    CALL(cudaStreamSynchronize(stream));
}

void errors_of_memory_in_streams() {
    Stream stream;
    PinnedMemory pinned(bytes);
    unsigned* memory = &*pinned;
    CALL(cudaMallocAsync(&memory, 0, stream));
    EXPECT(memory == nullptr);
    CALL(cudaFreeAsync(nullptr, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocAsync(static_cast<void**>(nullptr), bytes, stream));
    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMallocAsync(&memory, std::size_t{1} << 50, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFreeAsync(pinned, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFreeAsync(&stream, stream));
    CALL(cudaMalloc(&memory, bytes));
    CALL(cudaFreeAsync(memory, stream));  // memory of cudaMalloc may be freed so
    CALL(cudaMallocAsync(&memory, bytes, stream));
    CALL(cudaFree(memory));  // and the other way round
    std::size_t before = 0, after = 0, total = 0;
    CALL(cudaMemGetInfo(&before, &total));
    CALL(cudaMallocAsync(&memory, bytes, stream));
    CALL(cudaFreeAsync(memory, stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemGetInfo(&after, &total));
    EXPECT(before == after);
}

// --- mapped memory ---

void mapped_memory() {
    unsigned* host = nullptr;
    unsigned* device = nullptr;
    Stream stream;
    CALL(cudaHostAlloc(&host, 16 * mib, cudaHostAllocMapped));
    CALL(cudaHostGetDevicePointer(&device, host, 0));
    EXPECT(device == host);
    fill(host, 16 * mib, 1);
    add_one<<<4096, 1024, 0, stream>>>(device);  // at: kernel on mapped memory
    CALL(cudaStreamSynchronize(stream));
    EXPECT(all_equal(host, 16 * mib, 2));
    CALL(cudaFreeHost(host));
}

void mapped_memory_read_too_early() {
    PinnedMemory host(bytes);
    Stream stream;
    add_one<<<blocks, threads, 0, stream>>>(host);  // at: kernel on pinned memory
    const unsigned found = host[1];                 // at: read beside the kernel
    EXPECT(found != 1);
    CALL(cudaStreamSynchronize(stream));
}

void what_pointers_say() {
    unsigned flags = 99;
    for (const unsigned given : {0U, 1U, 2U, 4U, 7U}) {
        unsigned* host = nullptr;
        CALL(cudaHostAlloc(&host, bytes, given));
        CALL(cudaHostGetFlags(&flags, host + 2));
        EXPECT(flags == (2 | (given & 4)));  // as on an H200
        EXPECT_ERROR(cudaErrorInvalidValue, cudaHostGetFlags(nullptr, host));
        CALL(cudaFreeHost(host));
    }
    PageableMemory pageable(bytes), registered(bytes);
    PinnedMemory pinned(bytes);
    DeviceMemory device(bytes);
    unsigned* managed = nullptr;
    void* as_device = nullptr;
    CALL(cudaMallocManaged(&managed, bytes));
    CALL(cudaHostRegister(registered, bytes, cudaHostRegisterMapped));
    CALL(cudaHostGetFlags(&flags, registered));
    EXPECT(flags == 2);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostGetFlags(&flags, pageable));
    CALL(cudaHostGetDevicePointer(&as_device, registered, 0));
    EXPECT(as_device == registered);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostGetDevicePointer(&as_device, pageable, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostGetDevicePointer(&as_device, pinned, 1));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostGetDevicePointer(static_cast<void**>(nullptr), pinned, 0));

    struct {
        void* pointer;
        cudaMemoryType type;
        bool on_device, on_host;
    } const rows[] = {
        {pageable + 1, cudaMemoryTypeUnregistered, false, true}, {pinned + 1, cudaMemoryTypeHost, true, true},
        {registered + 1, cudaMemoryTypeHost, true, true},        {device + 1, cudaMemoryTypeDevice, true, false},
        {managed + 1, cudaMemoryTypeManaged, true, true},        {nullptr, cudaMemoryTypeUnregistered, false, false},
    };
    for (const auto& row : rows) {
        cudaPointerAttributes found{};
        CALL(cudaPointerGetAttributes(&found, row.pointer));
        EXPECT(found.type == row.type);
        EXPECT(found.device == (row.type == cudaMemoryTypeUnregistered ? cudaInvalidDeviceId : 0));
        EXPECT(found.devicePointer == (row.on_device ? row.pointer : nullptr));
        EXPECT(found.hostPointer == (row.on_host ? row.pointer : nullptr));
    }
    EXPECT_ERROR(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, device));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostAlloc(&as_device, bytes, 0x100));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostRegister(pageable, bytes, 0x100));
    CALL(cudaHostUnregister(registered));
    CALL(cudaFree(managed));
}

// --- managed memory ---

void managed_memory() {
    unsigned* managed = nullptr;
    PageableMemory host(bytes);
    CALL(cudaMallocManaged(&managed, bytes, cudaMemAttachGlobal));
    fill(managed, bytes, 1);
    add_one<<<blocks, threads>>>(managed);
    CALL(cudaDeviceSynchronize());
    EXPECT(all_equal(managed, touched, 2));
    EXPECT(managed[touched / 4] == 1);
    CALL(cudaMemcpy(host, managed, bytes, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(managed, host, bytes, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(host, managed, bytes, cudaMemcpyDefault));
    CALL(cudaMemset(managed, 1, 4));
    CALL(cudaDeviceSynchronize());
    EXPECT(managed[0] == 0x01010101 && host[0] == 2);
    CALL(cudaFree(managed));
}

void managed_memory_read_too_early() {
    unsigned* managed = nullptr;
    CALL(cudaMallocManaged(&managed, bytes));
    fill(managed, bytes, 1);
    add_one<<<blocks, threads>>>(managed);  // at: kernel on managed memory
    managed[3] = 7;                         // at: managed memory written beside it
    CALL(cudaDeviceSynchronize());
    CALL(cudaFree(managed));
}

void managed_memory_moves_when_told() {
    unsigned* managed = nullptr;
    Stream stream;
    CALL(cudaMallocManaged(&managed, bytes));
    fill(managed, bytes, 1);
    const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
    CALL(cudaMemAdvise(managed, bytes, cudaMemAdviseSetReadMostly, device));
    CALL(cudaMemAdvise(managed, bytes, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    CALL(cudaMemPrefetchAsync(managed, bytes, device, 0, stream));  // at: prefetch to the device
    CALL(cudaMemPrefetchAsync(managed, bytes, 0, stream));          // at: prefetch again
    add_one<<<blocks, threads, 0, stream>>>(managed);               // at: kernel after the prefetch
    CALL(cudaMemPrefetchAsync(managed, bytes, host, 0, stream));    // at: prefetch to the host
    CALL(cudaStreamSynchronize(stream));
    EXPECT(managed[0] == 2);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, bytes + 1, device, 0, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 0, device, 0, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, bytes, device, 1, stream));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, bytes, 5, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(&stream, 4, device, 0, stream));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemAdvise(managed, bytes, static_cast<cudaMemoryAdvise>(99), device));
    EXPECT_ERROR(cudaErrorNotSupported, cudaFreeAsync(managed, stream));
    CALL(cudaFree(managed));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocManaged(&managed, bytes, 3));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocManaged(static_cast<void**>(nullptr), bytes));
}

void leaks() {
    unsigned* memory = nullptr;
    CALL(cudaMallocManaged(&memory, bytes));        // at: leaked managed memory
    CALL(cudaMallocAsync(&memory, bytes, nullptr));  // at: leaked memory of a stream
}

// --- fault injection ---

#define TRY(call)              \
    if ((call) != cudaSuccess) \
    return false

bool use_all_calls(unsigned*& device, unsigned*& managed, unsigned*& ordered, unsigned* host) {
    std::size_t pitch = 0;
    unsigned flags = 0;
    cudaPointerAttributes attributes;
    void* mapped = nullptr;
    TRY(cudaMallocPitch(&device, &pitch, width, height));
    TRY(cudaMallocManaged(&managed, bytes));
    TRY(cudaMallocAsync(&ordered, bytes, nullptr));
    TRY(cudaMemcpy2D(device, pitch, host, width, width, height, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2DAsync(device, pitch, host, width, width, height, cudaMemcpyHostToDevice));
    TRY(cudaMemset2D(device, pitch, 0, width, height));
    TRY(cudaMemset2DAsync(device, pitch, 0, width, height));
    TRY(cudaMemPrefetchAsync(managed, bytes, 0));
    TRY(cudaMemAdvise(managed, bytes, cudaMemAdviseSetReadMostly, 0));
    TRY(cudaHostGetDevicePointer(&mapped, host, 0));
    TRY(cudaHostGetFlags(&flags, host));
    TRY(cudaPointerGetAttributes(&attributes, host));
    return true;
}

void fails_once() {
    unsigned* host = nullptr;
    unsigned *device = nullptr, *managed = nullptr, *ordered = nullptr;
    if (cudaMallocHost(&host, bytes) != cudaSuccess) {
        std::exit(10);
    }
    bool good = use_all_calls(device, managed, ordered, host);
    good = cudaFreeAsync(ordered, nullptr) == cudaSuccess && good;
    good = cudaFree(device) == cudaSuccess && good;
    good = cudaFree(managed) == cudaSuccess && good;
    good = cudaFreeHost(host) == cudaSuccess && good;
    std::exit(good ? 0 : 10);
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(rows_there_and_back),
    CASE(rows_between_device_buffers),
    CASE(errors_of_rows),
    CASE(rows_out_of_bounds),
    CASE(columns_apart),
    CASE(columns_that_overlap),
    CASE(pageable_rows_may_be_reused),
    CASE(memory_of_a_stream),
    CASE(memory_across_streams),
    CASE(memory_used_before_it_is_there),
    CASE(memory_freed_while_in_use),
    CASE(kernel_after_the_free),
    CASE(copy_after_the_free),
    CASE(freed_twice_in_stream),
    CASE(errors_of_memory_in_streams),
    CASE(mapped_memory),
    CASE(mapped_memory_read_too_early),
    CASE(what_pointers_say),
    CASE(managed_memory),
    CASE(managed_memory_read_too_early),
    CASE(managed_memory_moves_when_told),
    CASE(leaks),
    CASE(fails_once),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
