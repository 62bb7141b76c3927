// Accesses of the same memory, with and without the calls that put them in order.
#include "resources.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "device/hooks.h"

using namespace cases;

namespace {

constexpr std::size_t bytes = mib;
constexpr unsigned threads = 256;
constexpr unsigned blocks = 4;
constexpr std::size_t touched = blocks * threads * sizeof(unsigned);  // what a kernel below accesses

__global__ void write(unsigned* to, unsigned value) {
    to[blockIdx.x * blockDim.x + threadIdx.x] = value;  // at: write in a kernel
}

__global__ void copy(unsigned* to, const unsigned* from) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];  // at: read in a kernel
}

__global__ void add(unsigned* to) { atomicAdd(to + blockIdx.x * blockDim.x + threadIdx.x, 1U); }

__global__ void slow_copy(unsigned* to, const unsigned* from) {
    copy(to, from);
    simulator_charge_rounds(1000);  // longer than the launch of the next one takes
}

// --- every pair of accesses ---

// What two accesses share, and what each has for itself.
struct Shared {
    DeviceMemory device{bytes};
    PinnedMemory host{bytes};
    DeviceMemory own_device_first{bytes}, own_device_second{bytes};
    PinnedMemory own_host_first{bytes}, own_host_second{bytes};
    Stream first, second;
    Event event;

    unsigned* own_device(bool is_first) { return is_first ? own_device_first : own_device_second; }
    unsigned* own_host(bool is_first) { return is_first ? own_host_first : own_host_second; }
};

volatile unsigned sink = 0;

void read_sixth(void* memory) { sink = static_cast<unsigned*>(memory)[5]; }
void write_sixth(void* memory) { static_cast<unsigned*>(memory)[5] = 8; }

// One access of the shared device memory, or of the shared host memory.
void access(const std::string& what, Shared& shared, bool is_first, cudaStream_t stream) {
    constexpr cudaMemcpyKind within = cudaMemcpyDeviceToDevice;
    unsigned* const device = shared.own_device(is_first);
    unsigned* const host = shared.own_host(is_first);
    if (what == "kernel_reads_device") {
        copy<<<blocks, threads, 0, stream>>>(device, shared.device);  // at: kernel_reads_device
    } else if (what == "kernel_writes_device") {
        write<<<blocks, threads, 0, stream>>>(shared.device, 1);  // at: kernel_writes_device
    } else if (what == "copy_to_device") {
        CALL(cudaMemcpyAsync(shared.device, host, bytes, cudaMemcpyHostToDevice, stream));  // at: copy_to_device
    } else if (what == "copy_from_device") {
        CALL(cudaMemcpyAsync(host, shared.device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy_from_device
    } else if (what == "copy_within_device_reads") {
        CALL(cudaMemcpyAsync(device, shared.device, bytes, within, stream));  // at: copy_within_device_reads
    } else if (what == "copy_within_device_writes") {
        CALL(cudaMemcpyAsync(shared.device, device, bytes, within, stream));  // at: copy_within_device_writes
    } else if (what == "memset_device") {
        CALL(cudaMemsetAsync(shared.device, 2, bytes, stream));  // at: memset_device
    } else if (what == "kernel_reads_host") {
        copy<<<blocks, threads, 0, stream>>>(device, shared.host);  // at: kernel_reads_host
    } else if (what == "kernel_writes_host") {
        write<<<blocks, threads, 0, stream>>>(shared.host, 3);  // at: kernel_writes_host
    } else if (what == "copy_from_host") {
        CALL(cudaMemcpyAsync(device, shared.host, bytes, cudaMemcpyHostToDevice, stream));  // at: copy_from_host
    } else if (what == "copy_to_host") {
        CALL(cudaMemcpyAsync(shared.host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy_to_host
    } else if (what == "memset_host") {
        CALL(cudaMemsetAsync(shared.host, 4, bytes, stream));  // at: memset_host
    } else if (what == "function_reads_host") {
        CALL(cudaLaunchHostFunc(stream, read_sixth, (unsigned*)shared.host));  // at: function_reads_host
    } else if (what == "function_writes_host") {
        CALL(cudaLaunchHostFunc(stream, write_sixth, (unsigned*)shared.host));  // at: function_writes_host
    } else if (what == "kernel_adds_to_device") {
        add<<<blocks, threads, 0, stream>>>(shared.device);  // at: kernel_adds_to_device
    } else if (what == "host_reads") {
        sink = shared.host[5];  // at: host_reads
    } else if (what == "host_writes") {
        shared.host[5] = 6;  // at: host_writes
    } else {
        EXPECT(!"a known access");
    }
}

bool is_host(const std::string& what) { return what == "host_reads" || what == "host_writes"; }

// Puts the second access behind the first, by `how`. Returns the stream for the second.
cudaStream_t put_in_order(const std::string& how, Shared& shared) {
    if (how == "event") {
        CALL(cudaEventRecord(shared.event, shared.first));
        CALL(cudaStreamWaitEvent(shared.second, shared.event, 0));
    } else if (how == "same_stream") {
        return shared.first;
    } else if (how == "stream_synchronize") {
        CALL(cudaStreamSynchronize(shared.first));
    } else if (how == "device_synchronize") {
        CALL(cudaDeviceSynchronize());
    } else if (how == "event_synchronize") {
        CALL(cudaEventRecord(shared.event, shared.first));
        CALL(cudaEventSynchronize(shared.event));
    } else if (how == "stream_query") {
        while (cudaStreamQuery(shared.first) == cudaErrorNotReady) {
        }
    } else if (how == "event_query") {
        CALL(cudaEventRecord(shared.event, shared.first));
        while (cudaEventQuery(shared.event) == cudaErrorNotReady) {
        }
    } else if (how == "legacy_stream") {
        CALL(cudaMemsetAsync(shared.own_device_first, 0, 4, nullptr));
    } else if (how == "free") {
        unsigned* memory = nullptr;
        CALL(cudaMalloc(&memory, 4));
        CALL(cudaFree(memory));
    } else if (how == "failed_queries") {
        CALL(cudaEventRecord(shared.event, shared.first));
        EXPECT_ERROR(cudaErrorNotReady, cudaEventQuery(shared.event));
        EXPECT_ERROR(cudaErrorNotReady, cudaStreamQuery(shared.first));
    } else if (how == "event_recorded_where_it_waits") {
        CALL(cudaEventRecord(shared.event, shared.second));
        CALL(cudaStreamWaitEvent(shared.second, shared.event, 0));
    } else if (how == "event_recorded_too_early" || how == "nothing") {
    } else {
        EXPECT(!"a known order");
    }
    return shared.second;
}

// Each pair uses its own memory and ends before the next begins.
void pair(const std::string& first, const std::string& second, const std::string& how) {
    Shared shared;
    fill(shared.host, bytes, 7);
    for (unsigned* const memory : {(unsigned*)shared.device, shared.own_device(true), shared.own_device(false)}) {
        CALL(cudaMemset(memory, 0, bytes));
    }
    CALL(cudaDeviceSynchronize());
    if (how == "event_recorded_too_early") {
        CALL(cudaEventRecord(shared.event, shared.first));
    }
    access(first, shared, true, shared.first);
    const cudaStream_t stream = put_in_order(how, shared);
    if (how == "event_recorded_too_early") {
        CALL(cudaStreamWaitEvent(shared.second, shared.event, 0));
    }
    access(second, shared, false, stream);
    CALL(cudaDeviceSynchronize());
}

const char* const on_device[] = {"kernel_reads_device",      "kernel_writes_device",      "copy_to_device",
                                 "copy_from_device",         "copy_within_device_reads",  "copy_within_device_writes",
                                 "memset_device",            "kernel_adds_to_device"};
const char* const on_host[] = {"kernel_reads_host",   "kernel_writes_host",   "copy_from_host", "copy_to_host", "memset_host",
                               "function_reads_host", "function_writes_host", "host_reads",     "host_writes"};

template <class Function>
void for_each_second(const std::string& first, Function function) {
    for (const char* const second : on_device) {
        if (std::string(first).find("device") != std::string::npos) {
            function(second);
        }
    }
    for (const char* const second : on_host) {
        if (std::string(first).find("device") == std::string::npos) {
            function(second);
        }
    }
}

void pairs_in_order() {
    const auto with_each_second = [](const char* first) {
        for_each_second(first, [&](const std::string& second) {
            pair(first, second, is_host(second) ? "stream_synchronize" : "event");
        });
    };
    std::for_each(std::begin(on_device), std::end(on_device), with_each_second);
    std::for_each(std::begin(on_host), std::end(on_host), with_each_second);
}

// --- accesses by library functions ---

struct Pair {
    int first, second, third, fourth;
};

// What host code does with `shared`, while a copy may still bring it; `own` is memory that nobody else uses.
void access_by(const std::string& how, unsigned* shared, unsigned* own, std::size_t count) {
    char* const text = reinterpret_cast<char*>(shared);
    char* const own_text = reinterpret_cast<char*>(own);
    std::FILE* const file = std::tmpfile();
    std::fwrite(own, 1, 64, file);
    std::rewind(file);
    if (how == "load") {
        sink = shared[3];  // at: load
    } else if (how == "store") {
        shared[3] = 1;  // at: store
    } else if (how == "update") {
        shared[3] += 1;  // at: update
    } else if (how == "assign") {
        *reinterpret_cast<Pair*>(shared) = Pair{1, 2, 3, 4};  // at: assign
    } else if (how == "atomic_add") {
        std::atomic_ref<unsigned>(shared[3]).fetch_add(1);  // at: atomic_add
    } else if (how == "memcpy_from") {
        std::memcpy(own, shared, 64);  // at: memcpy_from
    } else if (how == "memcpy_to") {
        std::memcpy(shared, own, 64);  // at: memcpy_to
    } else if (how == "memmove_from") {
        std::memmove(own, shared, 64);  // at: memmove_from
    } else if (how == "memmove_to") {
        std::memmove(shared, own, 64);  // at: memmove_to
    } else if (how == "memset") {
        std::memset(shared, 0, 64);  // at: memset
    } else if (how == "memcmp") {
        sink = std::memcmp(shared, own, 64) == 0;  // at: memcmp
    } else if (how == "memchr") {
        sink = std::memchr(shared, 77, 64) != nullptr;  // at: memchr
    } else if (how == "copy_from") {
        std::copy(shared, shared + count, own);  // at: copy_from
    } else if (how == "copy_to") {
        std::copy(own, own + count, shared);  // at: copy_to
    } else if (how == "copy_n") {
        std::copy_n(shared, count, own);  // at: copy_n
    } else if (how == "fill") {
        std::fill(shared, shared + count, 5);  // at: fill
    } else if (how == "fill_bytes") {
        std::fill_n(text, count, 'x');  // at: fill_bytes
    } else if (how == "iota") {
        std::iota(shared, shared + count, 0);  // at: iota
    } else if (how == "transform") {
        std::transform(shared, shared + count, own, [](unsigned value) { return value + 1; });  // at: transform
    } else if (how == "accumulate") {
        sink = std::accumulate(shared, shared + count, 0U);  // at: accumulate
    } else if (how == "equal") {
        sink = std::equal(shared, shared + count, own);  // at: equal
    } else if (how == "sort") {
        std::sort(shared, shared + count);  // at: sort
    } else if (how == "sort_again") {
        std::sort(shared, shared + count);  // at: sort_again
    } else if (how == "ostream_write") {
        std::ofstream("/dev/null").write(text, 64);  // at: ostream_write
    } else if (how == "istream_read") {
        std::ifstream("/dev/zero").read(text, 64);  // at: istream_read
    } else if (how == "vector") {
        sink = std::vector<unsigned>(shared, shared + count).size();  // at: vector
    } else if (how == "strcpy_from") {
        std::strcpy(own_text, text);  // at: strcpy_from
    } else if (how == "strcpy_to") {
        std::strcpy(text, own_text);  // at: strcpy_to
    } else if (how == "strncpy_to") {
        std::strncpy(text, own_text, 64);  // at: strncpy_to
    } else if (how == "strcat_to") {
        std::strcat(text, own_text);  // at: strcat_to
    } else if (how == "strlen") {
        sink = std::strlen(text);  // at: strlen
    } else if (how == "strcmp") {
        sink = std::strcmp(text, own_text) == 0;  // at: strcmp
    } else if (how == "strncmp") {
        sink = std::strncmp(text, own_text, 64) == 0;  // at: strncmp
    } else if (how == "fread") {
        sink = std::fread(shared, 1, 64, file);  // at: fread
    } else if (how == "fwrite") {
        sink = std::fwrite(shared, 1, 64, file);  // at: fwrite
    } else if (how == "read") {
        sink = ::read(fileno(file), shared, 64);  // at: read
    } else if (how == "write") {
        sink = ::write(fileno(file), shared, 64);  // at: write
    } else {
        EXPECT(!"a known way to access memory");
    }
    std::fclose(file);
}

const char* const library_accesses[] = {
    "load",      "store",      "update", "assign",      "atomic_add", "memcpy_from", "memcpy_to", "memmove_from",
    "memmove_to", "memset",    "memcmp", "memchr",      "copy_from",  "copy_to",     "copy_n",    "fill",
    "fill_bytes", "iota",      "transform", "accumulate", "equal",    "sort",        "sort_again", "vector",
    "strcpy_from", "strcpy_to", "strncpy_to", "strcat_to", "strlen", "strcmp",      "strncmp",   "fread",
    "fwrite",    "read",       "write",      "ostream_write", "istream_read"};

void library_accesses_of_an_output(bool waits) {
    constexpr std::size_t size = 4096;
    static volatile std::size_t count = 512;  // not known to the compiler, which would put the functions' code inline
    for (const char* const how : library_accesses) {
        DeviceMemory device(size);
        PinnedMemory host(size);
        PageableMemory own(size);
        Stream stream;
        fill(own, 64, 0x00616161);  // short texts
        CALL(cudaMemset(device, 0, size));
        CALL(cudaMemcpyAsync(host, device, size, cudaMemcpyDeviceToHost, stream));  // at: output of every library access
        if (waits) {
            CALL(cudaStreamSynchronize(stream));
        } else {
            host[1023] = 0;  // at: end of the texts
        }
        access_by(how, host, own, count);
        CALL(cudaDeviceSynchronize());
    }
}
void library_accesses_after_waiting() { library_accesses_of_an_output(true); }
void library_accesses_too_early() { library_accesses_of_an_output(false); }

// --- memory that nobody wrote ---

__global__ void count_up(unsigned* counter) { atomicAdd(counter, 1U); }  // at: counter counted up

struct Padded {
    char small;
    double large;
};

__global__ void write_fields(Padded* to) {
    to[threadIdx.x].small = 1;
    to[threadIdx.x].large = 2;
}

__global__ void copy_padded(Padded* to, const Padded* from) { to[threadIdx.x] = from[threadIdx.x]; }

void kernel_reads_unwritten() {
    DeviceMemory input(bytes), result(bytes);
    CALL(cudaMemset(input, 0, touched - 64));
    copy<<<blocks, threads>>>(result, input);  // at: launch that reads too much
    CALL(cudaDeviceSynchronize());
}

__global__ void add_up(unsigned* sums, const unsigned* more) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned before = sums[i];  // at: sum that nobody set
    if (before < more[i]) {
        sums[i] = before + more[i];
    }
}

void sums_not_set_to_zero() {
    DeviceMemory sums(bytes), more(bytes);
    CALL(cudaMemset(more, 0x3f, bytes));
    CALL(cudaMemset(sums, 0, touched - 64));
    add_up<<<blocks, threads>>>(sums, more);  // at: launch that adds up
    CALL(cudaDeviceSynchronize());
}

__global__ void add_up_by_halves(unsigned* sums) {
    const unsigned i = threadIdx.x;
    sums[i] = i;
    sums[i] += 1;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (i < half) {
            sums[i] += sums[i + half];
        }
        __syncthreads();
    }
}

void sums_in_place_of_what_the_kernel_wrote() {
    DeviceMemory sums(bytes);
    add_up_by_halves<<<1, threads>>>(sums);
    add_up_by_halves<<<1, threads>>>(sums);
    CALL(cudaDeviceSynchronize());
}

void counter_not_set_to_zero() {
    DeviceMemory counter(4);
    count_up<<<1, 8>>>(counter);  // at: launch that counts
    CALL(cudaDeviceSynchronize());
}

void allocation_in_stream_order_writes_nothing() {
    unsigned* counter = nullptr;
    Stream stream;
    CALL(cudaMallocAsync(reinterpret_cast<void**>(&counter), 4, stream));
    count_up<<<1, 8, 0, stream>>>(counter);  // at: launch that counts in new memory
    CALL(cudaFreeAsync(counter, stream));
    CALL(cudaStreamSynchronize(stream));
}

void result_never_computed(std::size_t computed) {
    DeviceMemory result(bytes), copied(bytes);
    PinnedMemory host(bytes);
    CALL(cudaMemset(result, 1, computed));
    CALL(cudaMemcpy(copied, result, bytes, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(host, copied, bytes, cudaMemcpyDeviceToHost));  // at: copy of what was never computed
    sink = host[7];                                                 // at: read of what was never computed
}
void copied_result_never_computed() { result_never_computed(0); }
void copied_result_computed_in_part() { result_never_computed(4); }

__global__ void add_halves(unsigned* sums, const unsigned* values) {
    const unsigned i = threadIdx.x;
    const unsigned first = values[i];
    const unsigned second = values[i + blockDim.x];  // at: half that nobody wrote
    sums[i] = first + second;
}

void second_half_never_written() {
    DeviceMemory values(2 * threads * sizeof(unsigned)), sums(threads * sizeof(unsigned));
    CALL(cudaMemset(values, 0, threads * sizeof(unsigned)));
    add_halves<<<1, threads>>>(sums, values);  // at: launch that adds halves
    CALL(cudaDeviceSynchronize());
}

struct Record {
    int id;
    char name[60];
};

__global__ void name_records(Record* records) {
    records[threadIdx.x].id = threadIdx.x;
    records[threadIdx.x].name[0] = 0;
}

__global__ void copy_records(Record* to, const Record* from) {
    to[threadIdx.x] = from[threadIdx.x];  // at: structure copied
}

void structures_never_written() {
    DeviceMemory from(16 * sizeof(Record)), to(16 * sizeof(Record));
    name_records<<<1, 10>>>(reinterpret_cast<Record*>((unsigned*)from));
    copy_records<<<1, 16>>>(reinterpret_cast<Record*>((unsigned*)to),  // at: launch that copies structures
                            reinterpret_cast<Record*>((unsigned*)from));
    CALL(cudaDeviceSynchronize());
}

// Nothing of this is wrong, or enough so to say a word.
void memory_written_in_many_ways() {
    constexpr std::size_t size = 64 * sizeof(Padded);
    DeviceMemory first(size), second(size), third(size);
    PinnedMemory host(size);
    const auto as_padded = [](unsigned* memory) { return reinterpret_cast<Padded*>(memory); };
    write_fields<<<1, 64>>>(as_padded(first));
    copy_padded<<<1, 64>>>(as_padded(second), as_padded(first));  // its padding too
    CALL(cudaMemcpy(third, second, size, cudaMemcpyDeviceToDevice));
    copy_padded<<<1, 64>>>(as_padded(second), as_padded(third));
    CALL(cudaMemcpy(host, second, size, cudaMemcpyDeviceToHost));
    sink = host[0];
    for (const unsigned* memory : {(unsigned*)first, (unsigned*)third}) {
        CALL(cudaMemcpy(host, memory, size, cudaMemcpyDeviceToHost));
    }
    DeviceMemory counter(4), timed(bytes);
    PinnedMemory large(bytes);
    CALL(cudaMemset(counter, 0, 4));
    count_up<<<1, 8>>>(counter);
    CALL(cudaMemcpy(large, timed, bytes, cudaMemcpyDeviceToHost));  // to measure the copy alone
    CALL(cudaDeviceSynchronize());
}

// --- programs whose data shows it ---

// Some compilers announce no store of a structure that a call returns.
__device__ float4 next(float4 value) {
    value.x += value.y;
    if (value.w != 0) {
        std::printf("unexpected\n");
    }
    return value;
}

__global__ void advance(float4* to, const float4* from) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = next(from[i]);
}

void returned_structures_copied(bool waits) {
    constexpr std::size_t size = blocks * threads * sizeof(float4);
    DeviceMemory from(size), to(size);
    PinnedMemory host(size);
    Stream first, second;
    CALL(cudaMemset(from, 0, size));
    CALL(cudaDeviceSynchronize());
    const auto as_vectors = [](unsigned* memory) { return reinterpret_cast<float4*>(memory); };
    advance<<<blocks, threads, 0, first>>>(as_vectors(to), as_vectors(from));  // at: structures computed
    if (waits) {
        CALL(cudaStreamSynchronize(first));
    }
    CALL(cudaMemcpyAsync(host, to, size, cudaMemcpyDeviceToHost, second));  // at: structures copied
    CALL(cudaStreamSynchronize(second));
    sink = host[0];
    CALL(cudaDeviceSynchronize());
}
void returned_structures_copied_too_early() { returned_structures_copied(false); }
void returned_structures_copied_in_order() { returned_structures_copied(true); }

void output_read_too_early(bool waits) {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    fill(host, bytes, 1);
    write<<<blocks, threads, 0, stream>>>(device, 5);
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: output copied
    if (waits) {
        CALL(cudaStreamSynchronize(stream));
    }
    const unsigned found = host[3];  // at: output read
    EXPECT(found == (waits ? 5 : 0xA5A5A5A5));
}
void output_waited_for() { output_read_too_early(true); }
void output_not_waited_for() { output_read_too_early(false); }

void kernel_before_its_input(bool waits) {
    DeviceMemory device(bytes), result(bytes);
    PinnedMemory host(bytes), back(bytes);
    Stream copies, kernels;
    Event copied;
    fill(host, bytes, 9);
    CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, copies));  // at: input copied
    CALL(cudaEventRecord(copied, copies));
    if (waits) {
        CALL(cudaStreamWaitEvent(kernels, copied, 0));
    }
    copy<<<blocks, threads, 0, kernels>>>(result, device);  // at: input used
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(back, result, touched, cudaMemcpyDeviceToHost));
    EXPECT(all_equal(back, touched, 9) == waits);
}
void input_waited_for() { kernel_before_its_input(true); }
void input_not_waited_for() { kernel_before_its_input(false); }

void result_copied_too_early() {
    DeviceMemory device(bytes);
    PinnedMemory back(bytes);
    Stream kernels, copies;
    CALL(cudaMemset(device, 0, bytes));
    CALL(cudaDeviceSynchronize());
    write<<<blocks, threads, 0, kernels>>>(device, 9);                              // at: result computed
    CALL(cudaMemcpyAsync(back, device, bytes, cudaMemcpyDeviceToHost, copies));     // at: result copied
    CALL(cudaDeviceSynchronize());
    EXPECT(!all_equal(back, touched, 9));
}

// The kernel is issued first, and waits in its stream for another one while the copy goes ahead.
void result_copied_before_the_kernel_began() {
    DeviceMemory device(bytes), other(bytes), result(bytes);
    PinnedMemory back(bytes);
    Stream kernels, copies;
    CALL(cudaMemset(device, 0, bytes));
    CALL(cudaMemset(other, 0, bytes));
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 100; ++i) {
        slow_copy<<<blocks, threads, 0, kernels>>>(result, other);
    }
    write<<<blocks, threads, 0, kernels>>>(device, 9);                          // at: issued first
    CALL(cudaMemcpyAsync(back, device, 4, cudaMemcpyDeviceToHost, copies));     // at: copied first
    CALL(cudaDeviceSynchronize());
    EXPECT(back[0] == 0);
}

void kernel_input_overwritten() {
    DeviceMemory input(bytes), result(bytes);
    PinnedMemory host(bytes), back(bytes);
    Stream kernels, copies;
    fill(host, bytes, 2);
    CALL(cudaMemset(input, 0, bytes));
    CALL(cudaDeviceSynchronize());
    slow_copy<<<blocks, threads, 0, kernels>>>(result, input);                    // at: input still read
    CALL(cudaMemcpyAsync(input, host, bytes, cudaMemcpyHostToDevice, copies));    // at: input overwritten
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(back, result, touched, cudaMemcpyDeviceToHost));
    EXPECT(all_equal(back, touched, 0xA5A5A5A5));
}

void pinned_source_reused(bool waits) {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes), back(bytes);
    Stream stream;
    fill(host, bytes, 1);
    CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));  // at: source copied
    if (waits) {
        CALL(cudaStreamSynchronize(stream));
    }
    host[0] = 2;  // at: source reused
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
    EXPECT((back[0] == 1) == waits);
    EXPECT(back[1] == 1);
}
void pinned_source_reused_after_waiting() { pinned_source_reused(true); }
void pinned_source_reused_too_early() { pinned_source_reused(false); }

void pinned_source_reused_during_its_copy() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes), back(bytes);
    Stream stream;
    fill(host, bytes, 1);
    CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));  // at: source in flight
    device_hooks_host_work_ns(10'000);
    host[0] = 2;  // at: source reused in flight
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
    EXPECT(back[0] != 1 && back[0] != 2);  // neither value by luck
    EXPECT(back[1] == 1);
}

void pageable_source_reused() {
    for (const std::size_t size : {std::size_t{4096}, 64 * kib, 2 * mib}) {
        DeviceMemory device(size);
        PageableMemory host(size), back(size);
        Stream stream;
        fill(host, size, 1);
        CALL(cudaMemcpyAsync(device, host, size, cudaMemcpyHostToDevice, stream));
        fill(host, size, 2);
        CALL(cudaStreamSynchronize(stream));
        CALL(cudaMemcpy(device, host, 4, cudaMemcpyHostToDevice));
        fill(host, size, 3);
        CALL(cudaMemcpy(back, device, size, cudaMemcpyDeviceToHost));
        EXPECT(back[0] == 2 && back[1] == 1 && back[size / 4 - 1] == 1);
    }
}

void pageable_output_relied_upon() {
    DeviceMemory device(bytes);
    PageableMemory host(bytes);
    Stream stream;
    CALL(cudaMemset(device, 1, bytes));
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: pageable output copied
    EXPECT(host[0] == 0x01010101);  // at: pageable output read
    CALL(cudaStreamSynchronize(stream));
}

void pageable_output_waited_for() {
    DeviceMemory device(bytes);
    PageableMemory host(bytes);
    Stream stream;
    CALL(cudaMemset(device, 1, bytes));
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(host[0] == 0x01010101);
    CALL(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    EXPECT(host[1] == 0x01010101);
}

void pageable_input_relied_upon() {
    DeviceMemory device(bytes), result(bytes);
    PageableMemory host(bytes);
    Stream copies, kernels(cudaStreamNonBlocking);
    CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, copies));  // at: pageable input copied
    copy<<<blocks, threads, 0, kernels>>>(result, device);                       // at: pageable input used
    CALL(cudaDeviceSynchronize());
}

void sync_pageable_input_relied_upon() {
    DeviceMemory device(bytes), result(bytes);
    PageableMemory host(bytes);
    Stream kernels(cudaStreamNonBlocking);
    CALL(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));  // at: sync pageable input copied
    fill(host, bytes, 2);                                           // that much is promised
    copy<<<blocks, threads, 0, kernels>>>(result, device);          // at: sync pageable input used
    CALL(cudaDeviceSynchronize());
}

void sync_copies_are_done_when_they_return() {
    DeviceMemory device(bytes), result(bytes);
    PinnedMemory host(bytes);
    PageableMemory pageable(bytes);
    Stream kernels(cudaStreamNonBlocking);
    fill(host, bytes, 3);
    CALL(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    fill(host, bytes, 4);
    copy<<<blocks, threads, 0, kernels>>>(result, device);
    CALL(cudaStreamSynchronize(kernels));
    CALL(cudaMemcpy(host, result, touched, cudaMemcpyDeviceToHost));
    CALL(cudaMemcpy(pageable, result, touched, cudaMemcpyDeviceToHost));
    EXPECT(all_equal(host, touched, 3) && all_equal(pageable, touched, 3));
    write<<<blocks, threads, 0, kernels>>>(result, 5);  // behind both copies
    CALL(cudaMemcpy(pageable, host, bytes, cudaMemcpyHostToHost));
    fill(host, bytes, 6);
    CALL(cudaDeviceSynchronize());
}

// Calls without a stream that do not block the host, and a kernel of `flags` behind them.
void default_stream_before(const std::string& call, unsigned flags) {
    DeviceMemory data(bytes), other(bytes), result(bytes);
    Stream stream(flags);
    CALL(cudaMemset(other, 0, bytes));
    CALL(cudaDeviceSynchronize());
    if (call == "memset") {
        CALL(cudaMemset(data, 1, bytes));  // at: memset in the default stream
    } else {
        CALL(cudaMemcpy(data, other, bytes, cudaMemcpyDeviceToDevice));  // at: d2d in the default stream
    }
    copy<<<blocks, threads, 0, stream>>>(result, data);  // at: behind the default stream
    CALL(cudaDeviceSynchronize());
}
void memset_and_blocking_stream() { default_stream_before("memset", cudaStreamDefault); }
void memset_and_non_blocking_stream() { default_stream_before("memset", cudaStreamNonBlocking); }
void d2d_and_blocking_stream() { default_stream_before("d2d", cudaStreamDefault); }
void d2d_and_non_blocking_stream() { default_stream_before("d2d", cudaStreamNonBlocking); }

void host_allocation_does_not_order() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    unsigned* memory = nullptr;
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy before a host allocation
    CALL(cudaHostAlloc(&memory, 4, cudaHostAllocDefault));
    sink = host[0];  // at: read after a host allocation
    CALL(cudaFreeHost(memory));
}

void destroying_a_stream_does_not_order() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    cudaStream_t stream = nullptr;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy of a destroyed stream
    CALL(cudaStreamDestroy(stream));
    sink = host[0];  // at: read after a destroyed stream
    CALL(cudaDeviceSynchronize());
}

void small_pageable_input_not_waited_for() {
    DeviceMemory device(touched), result(touched);
    PageableMemory host(touched);
    Stream copies, kernels(cudaStreamNonBlocking);
    small_busy_kernel<<<1, 1, 0, copies>>>();
    CALL(cudaMemcpyAsync(device, host, touched, cudaMemcpyHostToDevice, copies));  // at: small input copied
    copy<<<blocks, threads, 0, kernels>>>(result, device);                         // at: small input used
    CALL(cudaDeviceSynchronize());
}

void event_recorded_again() {
    DeviceMemory first_data(bytes), second_data(bytes), result(bytes);
    Stream producer, consumer;
    Event event;
    write<<<blocks, threads, 0, producer>>>(first_data, 1);
    CALL(cudaEventRecord(event, producer));
    CALL(cudaStreamWaitEvent(consumer, event, 0));
    write<<<blocks, threads, 0, producer>>>(second_data, 2);  // at: produced after the wait
    CALL(cudaEventRecord(event, producer));                   // recorded again: the wait above is not about this
    copy<<<blocks, threads, 0, consumer>>>(result, first_data);
    copy<<<blocks, threads, 0, consumer>>>(result, second_data);  // at: consumed without a wait
    CALL(cudaDeviceSynchronize());
}

void events_used_twice() {
    DeviceMemory data(bytes), result(bytes);
    Stream producer, consumer;
    Event produced, consumed;
    for (unsigned i = 0; i < 3; ++i) {
        CALL(cudaStreamWaitEvent(producer, consumed, 0));  // not recorded yet in the first round
        write<<<blocks, threads, 0, producer>>>(data, i);
        CALL(cudaEventRecord(produced, producer));
        CALL(cudaStreamWaitEvent(consumer, produced, 0));
        copy<<<blocks, threads, 0, consumer>>>(result, data);
        CALL(cudaEventRecord(consumed, consumer));
    }
    CALL(cudaDeviceSynchronize());
}

void unrecorded_event() {
    DeviceMemory data(bytes), result(bytes);
    Stream producer, consumer;
    Event event;
    write<<<blocks, threads, 0, producer>>>(data, 1);  // at: never recorded after
    CALL(cudaStreamWaitEvent(consumer, event, 0));         // at: wait for an unrecorded event
    copy<<<blocks, threads, 0, consumer>>>(result, data);  // at: waits for nothing
    CALL(cudaDeviceSynchronize());
}

void host_waits_for_nothing() {
    Event never, before;
    CALL(cudaEventSynchronize(never));  // at: host waits for an unrecorded event
    CALL(cudaEventSynchronize(before));  // at: recorded after the wait
    CALL(cudaEventRecord(before, nullptr));
    CALL(cudaDeviceSynchronize());
}

// The same line waits again in each round; only in the first one there is nothing to wait for.
void host_waits_for_the_round_before() {
    Event done;
    for (int round = 0; round < 2; ++round) {
        CALL(cudaEventSynchronize(done));
        CALL(cudaEventRecord(done, nullptr));
    }
    CALL(cudaDeviceSynchronize());
}

void order(cudaEvent_t event, cudaStream_t first, cudaStream_t second) {
    CALL(cudaEventRecord(event, first));
    CALL(cudaStreamWaitEvent(second, event, 0));
}

void timing_events_that_order() {
    Stream first, second;
    cudaEvent_t one = nullptr, in_loop = nullptr, kept = nullptr;
    CALL(cudaEventCreate(&one));  // at: timing event
    order(one, first, second);
    CALL(cudaEventDestroy(one));
    for (int i = 0; i < 2; ++i) {
        CALL(cudaEventCreateWithFlags(&in_loop, cudaEventBlockingSync));  // at: timing events of a loop
        order(in_loop, first, second);
        CALL(cudaEventDestroy(in_loop));
    }
    CALL(cudaEventCreate(&kept));  // at: timing event that is kept
    order(kept, first, second);
    CALL(cudaDeviceSynchronize());
}

// With timing and used for it, or without timing, or never waited for by a stream.
void events_for_their_purpose() {
    Stream first, second;
    Event start(cudaEventDefault), end(cudaEventDefault), only_order(cudaEventDisableTiming),
        only_synchronize(cudaEventDefault);
    float milliseconds = 0;
    CALL(cudaEventRecord(start, first));
    order(end, first, second);
    order(only_order, second, first);
    CALL(cudaEventRecord(only_synchronize, first));
    CALL(cudaEventSynchronize(only_synchronize));
    CALL(cudaEventElapsedTime(&milliseconds, start, end));
}

void non_blocking_stream_beside_the_default_stream(unsigned flags) {
    DeviceMemory data(bytes), result(bytes);
    Stream stream(flags);
    write<<<blocks, threads, 0, stream>>>(data, 1);  // at: before the default stream
    copy<<<blocks, threads>>>(result, data);         // at: in the default stream
    CALL(cudaDeviceSynchronize());
}
void default_stream_orders_blocking_streams() { non_blocking_stream_beside_the_default_stream(cudaStreamDefault); }
void default_stream_and_non_blocking_stream() { non_blocking_stream_beside_the_default_stream(cudaStreamNonBlocking); }

void default_stream_after_a_destroyed_stream() {
    DeviceMemory data(bytes), result(bytes);
    cudaStream_t stream = nullptr;
    CALL(cudaStreamCreate(&stream));
    write<<<blocks, threads, 0, stream>>>(data, 1);
    device_hooks_host_work_ns(1'000'000);  // its work is over, but nobody waited for it
    CALL(cudaStreamDestroy(stream));
    copy<<<blocks, threads>>>(result, data);
    CALL(cudaDeviceSynchronize());
}

void chunks(std::size_t overlap) {
    constexpr std::size_t chunk = 100'000;  // no multiple of a page
    constexpr std::size_t chunk_bytes = chunk * sizeof(unsigned);
    DeviceMemory data(8 * chunk_bytes), results(8 * chunk_bytes);
    PinnedMemory in(8 * chunk_bytes), out(8 * chunk_bytes);
    Stream streams[2];
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t begin = i * chunk;
        const cudaStream_t stream = streams[i % 2];
        CALL(cudaMemcpyAsync(data + begin, in + begin, chunk_bytes, cudaMemcpyHostToDevice, stream));  // at: chunk in
        const std::size_t input = i == 3 ? begin - overlap : begin;
        copy<<<blocks, threads, 0, stream>>>(results + begin, data + input);  // at: chunk used
        CALL(cudaMemcpyAsync(out + begin, results + begin, chunk_bytes, cudaMemcpyDeviceToHost, stream));
    }
    CALL(cudaDeviceSynchronize());
}
void chunks_apart() { chunks(0); }
void chunks_that_overlap() { chunks(1); }

void source_of_two_copies() {
    DeviceMemory first(bytes), second(bytes);
    PinnedMemory host(bytes), back(bytes);
    Stream stream;
    fill(host, bytes, 4);
    CALL(cudaMemset(first, 0, bytes));
    CALL(cudaMemset(second, 0, bytes));
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpyAsync(first, host, bytes, cudaMemcpyHostToDevice, stream));
    CALL(cudaMemcpyAsync(second, host, bytes, cudaMemcpyHostToDevice, stream));
    Event first_done;
    device_hooks_host_work_ns(bytes / 50);  // about when the first copy ends, long before the second does
    CALL(cudaMemcpyAsync(host, first, 4, cudaMemcpyDeviceToHost, stream));  // ordered, so both copies see the source
    CALL(cudaMemcpyAsync(back, second, bytes, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(all_equal(back, bytes, 4));
}

void read_after_the_last_call() {
    static unsigned* host = nullptr;  // nothing is given back: no call follows the read
    unsigned* device = nullptr;
    cudaStream_t stream = nullptr;
    CALL(cudaMallocHost(&host, bytes));
    CALL(cudaMalloc(&device, bytes));
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: last copy
    sink = host[0];                                                              // at: last read
}

void allocation_does_not_order() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    unsigned* memory = nullptr;
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy before an allocation
    CALL(cudaMalloc(&memory, 4));
    sink = host[0];  // at: read after an allocation
    CALL(cudaFree(memory));
}

void sync_pageable_copy_waits_for_earlier_work() {
    DeviceMemory device(bytes), other(bytes);
    PinnedMemory host(bytes);
    PageableMemory pageable(64);
    Stream stream;
    CALL(cudaMemset(device, 1, bytes));
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    CALL(cudaMemcpy(other, pageable, 64, cudaMemcpyHostToDevice));
    EXPECT(host[0] == 0x01010101);
}

void host_copies_are_accesses() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    PageableMemory copied(bytes);
    Stream stream;
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy before memcpy
    std::memcpy(copied, host, bytes);                                            // at: memcpy of the output
    CALL(cudaDeviceSynchronize());
}

void host_to_host_copy_is_an_access() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    PageableMemory copied(bytes);
    Stream stream, other;
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));           // at: copy before h2h
    CALL(cudaMemcpyAsync(copied, host, bytes, cudaMemcpyHostToHost, other));              // at: h2h of the output
    CALL(cudaDeviceSynchronize());
}

void staged_copy_reads_its_source() {
    DeviceMemory device(bytes), other(bytes);
    PageableMemory host(bytes);
    Stream stream, second;
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));   // at: pageable output
    CALL(cudaMemcpyAsync(other, host, bytes, cudaMemcpyHostToDevice, second));    // at: pageable output sent on
    CALL(cudaDeviceSynchronize());
}

void memset_of_pinned_memory() {
    PinnedMemory host(bytes);
    CALL(cudaMemset(host, 1, bytes));
    EXPECT(host[0] == 0x01010101);
    CALL(cudaMemsetAsync(host, 2, bytes, nullptr));  // at: async memset of pinned memory
    sink = host[0];                                  // at: read of pinned memory
    CALL(cudaDeviceSynchronize());
}

void host_work_while_the_device_works() {
    DeviceMemory device(bytes), result(bytes);
    PinnedMemory host(bytes), back(bytes);
    Stream stream;
    fill(host, bytes, 3);
    CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    copy<<<blocks, threads, 0, stream>>>(result, device);
    CALL(cudaMemsetAsync(device, 0, bytes, stream));
    CALL(cudaMemcpyAsync(back, result, touched, cudaMemcpyDeviceToHost, stream));
    device_hooks_host_work_ns(1'000'000);  // all of that happens meanwhile
    CALL(cudaStreamSynchronize(stream));
    EXPECT(all_equal(back, touched, 3));
}

void trusted_code_reads_too_early() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy before the check
    device_hooks_host_reads(host, 64, "host_output");
    CALL(cudaDeviceSynchronize());
    device_hooks_host_writes(host, 64, "host_output");
}

void trusted_function_reads_too_early() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes);
    Stream stream;
    CALL(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));  // at: copy before the function
    device_hooks_host_reads(host, 64, "lab::consume");
    CALL(cudaDeviceSynchronize());
}

// Host code changes a result that a copy brought.
void results_without_copy() {
    DeviceMemory device(bytes);
    PinnedMemory input(bytes), output(bytes);
    device_hooks_host_writes(input, bytes, "host_input");
    device_hooks_host_writes(output, bytes, "host_output");
    CALL(cudaMemcpy(device, input, bytes, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(output, device, bytes, cudaMemcpyDeviceToHost));
    device_hooks_host_reads(output, bytes, "host_output");
    output[8] = 1;  // at: result written by the host
    device_hooks_host_reads(output, bytes, "host_output");
}

// The same in ordinary memory, which no copy touches.
void results_never_copied() {
    static unsigned output[64];
    device_hooks_host_writes(output, sizeof output, "host_output");
    device_hooks_host_reads(output, sizeof output, "host_output");
    output[8] = 1;  // at: ordinary result written by the host
    CALL(cudaDeviceSynchronize());
    device_hooks_host_reads(output, sizeof output, "host_output");
}

void input_written_by_host() {
    DeviceMemory device(bytes);
    PinnedMemory input(bytes), other(bytes);
    fill(other, 64, 1);
    CALL(cudaMemcpy(device, other, 64, cudaMemcpyHostToDevice));
    device_hooks_host_writes(input, bytes, "host_input");
    CALL(cudaMemcpy(device, input, bytes, cudaMemcpyHostToDevice));
    fill(other, 64, 2);
    CALL(cudaMemcpy(device, other, 64, cudaMemcpyHostToDevice));  // at: copy of what the host wrote
}

void many_overlapping_sources() {
    DeviceMemory device(bytes);
    PinnedMemory host(bytes), out(bytes);
    Stream stream;
    fill(host, bytes, 5);
    CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    CALL(cudaMemcpyAsync(device + 8, host + 8, 4, cudaMemcpyHostToDevice, stream));
    // Its bytes are still a source of the first copy.
    CALL(cudaMemcpyAsync(host + 1024, device + 16, 4096, cudaMemcpyDeviceToHost, stream));
    CALL(cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    EXPECT(all_equal(out, bytes, 5));
}

// --- memory ---

constexpr cudaError_t invalid = cudaErrorInvalidValue;

void leaks() {
    unsigned* memory = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    static unsigned registered[1024];
    CALL(cudaMalloc(&memory, 1000));               // at: leaked device memory
    CALL(cudaMallocHost(&memory, 2000));           // at: leaked host memory
    CALL(cudaHostRegister(registered, 4096, 0));   // at: leaked registration
    CALL(cudaStreamCreate(&stream));               // at: leaked stream
    CALL(cudaEventCreate(&event));                 // at: leaked event
}

__global__ void take_turns(unsigned* to, int shift) {
    __shared__ unsigned parts[threads];
    parts[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = parts[static_cast<int>(threadIdx.x) + shift];  // at: read beside a shared array
}

__global__ void take_turns_dynamically(unsigned* to) {
    extern __shared__ unsigned parts[];
    parts[threadIdx.x] = threadIdx.x;  // at: write beside dynamic shared memory
    __syncthreads();
    to[threadIdx.x] = parts[blockDim.x - 1 - threadIdx.x];
}

void shared_memory_left_at_its_end() {
    DeviceMemory to(bytes);
    take_turns<<<1, threads>>>(to, 1);
    CALL(cudaDeviceSynchronize());
}

void shared_memory_left_at_its_beginning() {
    DeviceMemory to(bytes);
    take_turns<<<1, threads>>>(to, -1);
    CALL(cudaDeviceSynchronize());
}

void too_little_dynamic_shared_memory() {
    DeviceMemory to(bytes);
    take_turns_dynamically<<<2, threads, (threads - 3) * sizeof(unsigned)>>>(to);
    CALL(cudaDeviceSynchronize());
}

void no_dynamic_shared_memory() {
    DeviceMemory to(bytes);
    take_turns_dynamically<<<1, threads>>>(to);
    CALL(cudaDeviceSynchronize());
}

void shared_memory_used_to_its_ends() {
    DeviceMemory to(bytes);
    for (unsigned times = 0; times < 2; ++times) {
        take_turns<<<blocks, threads>>>(to, 0);
        take_turns_dynamically<<<blocks, threads, threads * sizeof(unsigned)>>>(to);
        take_turns_dynamically<<<blocks, 8, 8 * sizeof(unsigned)>>>(to);
    }
    CALL(cudaDeviceSynchronize());
}

void use_after_free() {
    unsigned* device = nullptr;
    unsigned* host = nullptr;
    PinnedMemory other(4096);
    CALL(cudaMalloc(&device, 4096));
    CALL(cudaMallocHost(&host, 4096));
    CALL(cudaFree(device));
    CALL(cudaFreeHost(host));
    EXPECT_ERROR(invalid, cudaMemcpy(device, other, 4096, cudaMemcpyHostToDevice));  // at: copy to freed memory
    EXPECT_ERROR(invalid, cudaMemset(device, 0, 4096));  // at: memset of freed memory
    EXPECT_ERROR(invalid, cudaFree(device));  // at: freed again
    EXPECT_ERROR(invalid, cudaFreeHost(host));  // at: host memory freed again
    sink = host[0];  // at: read of freed memory
    write<<<1, 1>>>(device, 1);
    CALL(cudaDeviceSynchronize());
}

void unregistered_after_free() {
    void* const kept = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void* const freed = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CALL(cudaHostRegister(kept, bytes, cudaHostRegisterDefault));
    CALL(cudaHostRegister(freed, bytes, cudaHostRegisterDefault));
    munmap(freed, bytes);
    CALL(cudaHostUnregister(freed));  // at: unregistered after free
    CALL(cudaHostUnregister(kept));
    munmap(kept, bytes);
}

void copies_out_of_bounds() {
    DeviceMemory device(1000);
    PinnedMemory host(2000);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(device, host, 1001, cudaMemcpyHostToDevice));  // at: too many bytes
    EXPECT_ERROR(invalid, cudaMemcpyAsync(host, device, 1001, cudaMemcpyDeviceToHost));  // at: device too short
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(device + 200, 0, 201));                        // at: memset too long
    CALL(cudaMemcpy(device + 125, host + 250, 500, cudaMemcpyHostToDevice));
}

__global__ void write_beyond(unsigned* to, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        to[i] = i;  // at: write beyond
    }
}

void kernel_out_of_bounds() {
    DeviceMemory device(1000 * sizeof(unsigned));
    write_beyond<<<8, 128>>>(device, 1000);
    CALL(cudaDeviceSynchronize());
    write_beyond<<<8, 128>>>(device, 1003);
    CALL(cudaDeviceSynchronize());
}

__global__ void sum_of_neighbours(unsigned* to, const unsigned* from, unsigned count) {
    const unsigned i = threadIdx.x;
    if (i < count) {
        const unsigned own = from[i];
        const unsigned next = from[i + 1];  // at: neighbour beyond
        to[i] = own + next;
    }
}

void neighbour_out_of_bounds() {
    DeviceMemory from(250 * sizeof(unsigned)), to(250 * sizeof(unsigned));
    CALL(cudaMemset(from, 0, 250 * sizeof(unsigned)));
    sum_of_neighbours<<<1, 256>>>(to, from, 250);
    CALL(cudaDeviceSynchronize());
}

void wrong_direction() {
    DeviceMemory device(4096);
    PinnedMemory host(4096);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(device, host, 4096, cudaMemcpyDeviceToHost));  // at: wrong direction
    CALL(cudaMemcpy(device, host, 4096, cudaMemcpyDefault));
}

__global__ void write_far(unsigned* to, long index) {
    if (blockIdx.x == 1 && threadIdx.x == 2) {
        to[index] = 1;  // at: far outside
    }
}

void kernel_writes_far(unsigned* to, long index) {
    std::printf("before\n");
    write_far<<<2, 4>>>(to, index);
    CALL(cudaDeviceSynchronize());
    std::printf("never reached\n");
}
void kernel_uses_a_null_pointer() { kernel_writes_far(nullptr, 3); }
void kernel_uses_an_absurd_index() {
    DeviceMemory device(4096);
    kernel_writes_far(device, 1L << 40);
}
void kernel_uses_an_impossible_address() {
    DeviceMemory device(4096);
    kernel_writes_far(device, 1L << 50);
}

void kernel_writes_where_nothing_is_mapped() {
    void* const nothing = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    kernel_writes_far(static_cast<unsigned*>(nothing), 0);
}

__global__ void divide(unsigned* to, unsigned by) { to[threadIdx.x] = 7 / by; }  // at: division by zero

void kernel_divides_by_zero() {
    DeviceMemory device(4096);
    divide<<<1, 4>>>(device, 0);
    CALL(cudaDeviceSynchronize());
}

struct Used {
    volatile unsigned words[64];
};
// On one line: which of its instructions first leaves the stack is the compiler's choice.
__device__ __noinline__ unsigned fall(unsigned n) { Used u{{n}}; return n == ~0u ? 0 : fall(n + 1) + u.words[n % 64]; }  // at: endless recursion
__global__ void fall_for_ever(unsigned* to) { to[0] = fall(0); }

void kernel_uses_up_its_stack() {
    DeviceMemory device(4096);
    fall_for_ever<<<1, 1>>>(device);
    CALL(cudaDeviceSynchronize());
}

__global__ void call(void (*function)(unsigned*), unsigned* to) {
    function(to);  // at: call of no function
}

void kernel_calls_no_function() {
    DeviceMemory device(4096);
    call<<<1, 1>>>(nullptr, device);
    CALL(cudaDeviceSynchronize());
}

extern "C" void end_with_42(int) { std::_Exit(42); }

void signal_of_the_program_after_a_kernel() {
    DeviceMemory device(4096);
    std::signal(SIGSEGV, end_with_42);
    write_far<<<1, 1>>>(device, 0);
    CALL(cudaDeviceSynchronize());
    std::raise(SIGSEGV);
}

void kernel_uses_a_null_pointer_beside_a_handler() {
    DeviceMemory device(4096);
    write_far<<<1, 1>>>(device, 0);
    CALL(cudaDeviceSynchronize());
    std::signal(SIGSEGV, end_with_42);
    kernel_writes_far(nullptr, 3);
}

__global__ void copy_far(unsigned* to, const unsigned* from) {
    __syncthreads();  // so that the threads have stacks of their own
    memcpy(to, from, 16);  // at: copied from nowhere
}

void kernel_copies_from_a_null_pointer() {
    DeviceMemory device(4096);
    copy_far<<<1, 4>>>(device, nullptr);
    CALL(cudaDeviceSynchronize());
}

void host_uses_a_null_pointer() {
    DeviceMemory device(4096);
    write_far<<<1, 1>>>(device, 0);
    CALL(cudaDeviceSynchronize());
    static unsigned* volatile nothing = nullptr;
    *nothing = 1;
}

void device_pointer_on_host() {
    DeviceMemory device(4096);
    std::printf("before\n");
    CALL(cudaMemset(device, 0, 4096));
    device[0] = 1;  // at: device pointer on the host
    std::printf("never reached\n");
}

void launch_error_nobody_looked_at() {
    write<<<1, 2048>>>(nullptr, 1);  // at: launch nobody looked at
}

void launch_error_looked_at() {
    write<<<1, 2048>>>(nullptr, 1);
    EXPECT_ERROR(cudaErrorInvalidConfiguration, cudaGetLastError());
    write<<<1, 2048>>>(nullptr, 1);
    EXPECT_ERROR(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
}

// --- errors ---

#define TRY(call)                               \
    if (const cudaError_t error = (call); error != cudaSuccess) { \
        return error;                           \
    }

struct Pipeline {
    unsigned *device = nullptr, *host = nullptr, *registered = nullptr;
    cudaStream_t first = nullptr, second = nullptr;
    cudaEvent_t event = nullptr;

    cudaError_t run() {
        registered = new unsigned[1024];
        TRY(cudaMalloc(&device, 2 * touched));
        TRY(cudaMallocHost(&host, 2 * touched));
        TRY(cudaHostRegister(registered, 4096, 0));
        is_registered = true;
        TRY(cudaStreamCreate(&first));
        TRY(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
        TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        TRY(cudaMemcpy(device, registered, 4096, cudaMemcpyHostToDevice));
        TRY(cudaMemsetAsync(device, 0, touched, first));
        write<<<blocks, threads, 0, first>>>(device, 1);
        TRY(cudaGetLastError());
        TRY(cudaEventRecord(event, first));
        TRY(cudaStreamWaitEvent(second, event, 0));
        TRY(cudaMemcpyAsync(host, device, touched, cudaMemcpyDeviceToHost, second));
        TRY(cudaEventSynchronize(event));
        TRY(cudaStreamSynchronize(second));
        TRY(cudaDeviceSynchronize());
        return cudaSuccess;
    }

    cudaError_t release() {
        cudaError_t first_error = cudaSuccess;
        const auto keep = [&](cudaError_t error) { first_error = first_error == cudaSuccess ? error : first_error; };
        if (event != nullptr) {
            keep(cudaEventDestroy(event));
        }
        for (const cudaStream_t stream : {first, second}) {
            if (stream != nullptr) {
                keep(cudaStreamDestroy(stream));
            }
        }
        if (is_registered) {
            keep(cudaHostUnregister(registered));
        }
        keep(cudaFreeHost(host));
        keep(cudaFree(device));
        delete[] registered;
        return first_error;
    }

    bool is_registered = false;
};

void fails_once() {
    Pipeline pipeline;
    const cudaError_t run = pipeline.run();
    const cudaError_t release = pipeline.release();
    if (run != cudaSuccess || release != cudaSuccess) {
        std::exit(10);
    }
}

__device__ unsigned neighbours[2][3];
__device__ unsigned long long neighbour;
__device__ unsigned one_more;

__global__ void update_neighbours() {
    atomicAdd(&neighbours[0][0], 1U);
    for (unsigned i = 1; i < 6; ++i) {
        atomicAdd(&neighbours[i / 3][i % 3], 1U);
    }
    atomicAdd(&one_more, 1U);
    atomicMax(&neighbour, 5ULL);
}

void use_after_destruction() {
    constexpr cudaError_t invalid = cudaErrorInvalidResourceHandle;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CALL(cudaEventRecord(event, stream));
    CALL(cudaEventDestroy(event));  // its recorded work goes on
    CALL(cudaStreamDestroy(stream));
    EXPECT_ERROR(invalid, cudaStreamDestroy(stream));      // at: stream destroyed again
    EXPECT_ERROR(invalid, cudaStreamWaitEvent(0, event));  // at: wait for a destroyed event
}

struct Opaque;
__global__ void use_opaque(const Opaque* pointer, unsigned* to) { *to = pointer == nullptr ? 1 : 2; }

__global__ void write_elsewhere(unsigned* to) {
    *to = 3;  // at: write through a host pointer
}

void host_pointer_in_kernel() {
    std::vector<unsigned> host(10);
    write_elsewhere<<<1, 1>>>(host.data());  // at: launch with a host pointer
    CALL(cudaDeviceSynchronize());
}

void host_pointer_not_used_in_kernel() {
    DeviceMemory device(bytes);
    int here = 0;
    use_opaque<<<1, 1>>>(reinterpret_cast<const Opaque*>(&here), device);
    use_opaque<<<1, 1>>>(nullptr, device);
    CALL(cudaDeviceSynchronize());
}

void variables_side_by_side() {
    update_neighbours<<<1, 1>>>();
    CALL(cudaDeviceSynchronize());
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(pairs_in_order),
    CASE(library_accesses_after_waiting),
    CASE(library_accesses_too_early),
    CASE(kernel_reads_unwritten),
    CASE(sums_not_set_to_zero),
    CASE(shared_memory_left_at_its_end),
    CASE(shared_memory_left_at_its_beginning),
    CASE(too_little_dynamic_shared_memory),
    CASE(no_dynamic_shared_memory),
    CASE(shared_memory_used_to_its_ends),
    CASE(sums_in_place_of_what_the_kernel_wrote),
    CASE(counter_not_set_to_zero),
    CASE(second_half_never_written),
    CASE(structures_never_written),
    CASE(returned_structures_copied_too_early),
    CASE(returned_structures_copied_in_order),
    CASE(neighbour_out_of_bounds),
    CASE(allocation_in_stream_order_writes_nothing),
    CASE(copied_result_never_computed),
    CASE(copied_result_computed_in_part),
    CASE(memory_written_in_many_ways),
    CASE(output_waited_for),
    CASE(output_not_waited_for),
    CASE(input_waited_for),
    CASE(input_not_waited_for),
    CASE(result_copied_too_early),
    CASE(result_copied_before_the_kernel_began),
    CASE(kernel_input_overwritten),
    CASE(pinned_source_reused_after_waiting),
    CASE(pinned_source_reused_too_early),
    CASE(pinned_source_reused_during_its_copy),
    CASE(pageable_source_reused),
    CASE(pageable_output_relied_upon),
    CASE(pageable_output_waited_for),
    CASE(pageable_input_relied_upon),
    CASE(sync_pageable_input_relied_upon),
    CASE(sync_copies_are_done_when_they_return),
    CASE(memset_and_blocking_stream),
    CASE(memset_and_non_blocking_stream),
    CASE(d2d_and_blocking_stream),
    CASE(d2d_and_non_blocking_stream),
    CASE(host_allocation_does_not_order),
    CASE(destroying_a_stream_does_not_order),
    CASE(small_pageable_input_not_waited_for),
    CASE(event_recorded_again),
    CASE(events_used_twice),
    CASE(unrecorded_event),
    CASE(host_waits_for_nothing),
    CASE(host_waits_for_the_round_before),
    CASE(timing_events_that_order),
    CASE(events_for_their_purpose),
    CASE(default_stream_orders_blocking_streams),
    CASE(default_stream_and_non_blocking_stream),
    CASE(default_stream_after_a_destroyed_stream),
    CASE(chunks_apart),
    CASE(chunks_that_overlap),
    CASE(source_of_two_copies),
    CASE(read_after_the_last_call),
    CASE(allocation_does_not_order),
    CASE(sync_pageable_copy_waits_for_earlier_work),
    CASE(host_copies_are_accesses),
    CASE(host_to_host_copy_is_an_access),
    CASE(staged_copy_reads_its_source),
    CASE(memset_of_pinned_memory),
    CASE(host_work_while_the_device_works),
    CASE(trusted_code_reads_too_early),
    CASE(trusted_function_reads_too_early),
    CASE(results_without_copy),
    CASE(results_never_copied),
    CASE(input_written_by_host),
    CASE(many_overlapping_sources),
    CASE(leaks),
    CASE(use_after_free),
    CASE(unregistered_after_free),
    CASE(copies_out_of_bounds),
    CASE(kernel_out_of_bounds),
    CASE(variables_side_by_side),
    CASE(use_after_destruction),
    CASE(host_pointer_in_kernel),
    CASE(host_pointer_not_used_in_kernel),
    CASE(wrong_direction),
    CASE(device_pointer_on_host),
    CASE(kernel_uses_a_null_pointer),
    CASE(kernel_writes_where_nothing_is_mapped),
    CASE(kernel_divides_by_zero),
    CASE(kernel_uses_up_its_stack),
    CASE(kernel_calls_no_function),
    CASE(signal_of_the_program_after_a_kernel),
    CASE(kernel_uses_a_null_pointer_beside_a_handler),
    CASE(kernel_uses_an_absurd_index),
    CASE(kernel_uses_an_impossible_address),
    CASE(kernel_copies_from_a_null_pointer),
    CASE(host_uses_a_null_pointer),
    CASE(launch_error_nobody_looked_at),
    CASE(launch_error_looked_at),
    CASE(fails_once),
};

}  // namespace

int main(int argc, char** argv) {
    if (argc == 5 && std::string(argv[1]) == "pair") {
        pair(argv[2], argv[3], argv[4]);
        return failures == 0 ? 0 : 1;
    }
    if (argc == 3 && std::string(argv[1]) == "pairs_without_order") {
        for_each_second(argv[2], [&](const std::string& second) { pair(argv[2], second, "nothing"); });
        return failures == 0 ? 0 : 1;
    }
    return run_one(all_cases, argc, argv);
}
