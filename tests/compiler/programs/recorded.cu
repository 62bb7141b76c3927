// What the instrumentation of a kernel's thread records: the kernel's own accesses, not those that carry its arguments.
#include <cuda_runtime.h>

#include "recording_hooks.hpp"

struct Large {
    int values[4];
};

static __global__ void write_once(int* out, int value) {
    *out = value;
}
template <class T>
__global__ void copy(T* out, const T* in) {
    *out = *in;
}
static __global__ void last_of(int* out, Large large) {
    *out = large.values[3];
}

static void expect_recorded(simulator::KernelBody& body, int reads, int writes, int line) {
    const Recorded seen = recorded_by_a_thread(body);
    if (seen.reads != reads || seen.writes != writes || seen.blocks != 1) {
        std::printf("line %d: %d reads, %d writes, %d blocks\n", line, seen.reads, seen.writes, seen.blocks);
        ++failures;
    }
}

int main() {
    int out = 0;
    const int in = 5;
    write_once<<<1, 1>>>(&out, 3);
    copy<<<1, 1>>>(&out, &in);
    last_of<<<1, 1>>>(&out, Large{});
    expect_recorded(*simulator::launches[0].body, 0, 1, __LINE__);
    expect_recorded(*simulator::launches[1].body, 1, 1, __LINE__);
    expect_recorded(*simulator::launches[2].body, 0, 1, __LINE__);
    return failures == 0 ? 0 : 1;
}
