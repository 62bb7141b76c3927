// Counts what instrumented code records; this file is compiled without instrumentation.
#include "recording_hooks.hpp"

static Recorded recorded;

Recorded recorded_by_a_thread(simulator::KernelBody& body) {
    recorded = {};
    body.run_thread();
    return recorded;
}

extern "C" {

#define ACCESS(bytes)                           \
    void __tsan_read##bytes(void*) {            \
        ++recorded.reads;                       \
    }                                           \
    void __tsan_write##bytes(void*) {           \
        ++recorded.writes;                      \
    }                                           \
    void __tsan_unaligned_read##bytes(void*) {  \
        ++recorded.reads;                       \
    }                                           \
    void __tsan_unaligned_write##bytes(void*) { \
        ++recorded.writes;                      \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void*, unsigned long) {
    ++recorded.reads;
}
void __tsan_write_range(void*, unsigned long) {
    ++recorded.writes;
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
unsigned char __tsan_atomic8_load(const volatile unsigned char* address, int) {
    return *address;
}
void __sanitizer_cov_trace_pc() {
    ++recorded.blocks;
}
}
