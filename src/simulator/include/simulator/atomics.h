// Atomic functions of kernels. Included by device_code.h.
#pragma once

#include <stddef.h>

extern "C" {
// An atomic read-modify-write of `bytes` at `address`: one thread of the device at a time, never a race by itself.
void simulator_atomic_access(const volatile void* address, size_t bytes);

// The same for one that sets the bytes whatever they were.
void simulator_atomic_set(const volatile void* address, size_t bytes);
}

// The update is plain code that is not instrumented: the simulated device runs one thread at a time, and the access is
// declared as atomic instead. What declares it is always inlined, so that its line is that of the call.
#define SIMULATOR_ATOMIC_UPDATE __attribute__((no_sanitize("thread"), noinline)) inline
#define SIMULATOR_ATOMIC_CALL __attribute__((always_inline)) inline

#define SIMULATOR_ATOMIC_SCOPE(name, function, type, access)          \
    SIMULATOR_ATOMIC_CALL type function(type* address, type value) {  \
        access(address, sizeof(type));                                \
        return simulator::name(address, value);                       \
    }
#define SIMULATOR_ATOMIC(name, type, update) SIMULATOR_ATOMIC_WITH(name, type, update, simulator_atomic_access)
#define SIMULATOR_ATOMIC_WITH(name, type, update, access)                       \
    namespace simulator {                                                       \
    SIMULATOR_ATOMIC_UPDATE type name(type* address, type value) {              \
        const type old = *address;                                              \
        *address = (update);                                                    \
        return old;                                                             \
    }                                                                           \
    }                                                                           \
    SIMULATOR_ATOMIC_SCOPE(name, name, type, access)                            \
    SIMULATOR_ATOMIC_SCOPE(name, name##_block, type, access)                    \
    SIMULATOR_ATOMIC_SCOPE(name, name##_system, type, access)
#define SIMULATOR_ATOMIC_INTEGERS(name, update)      \
    SIMULATOR_ATOMIC(name, int, update)              \
    SIMULATOR_ATOMIC(name, unsigned int, update)     \
    SIMULATOR_ATOMIC(name, unsigned long long, update)

SIMULATOR_ATOMIC_INTEGERS(atomicAdd, old + value)
SIMULATOR_ATOMIC(atomicAdd, float, old + value)
SIMULATOR_ATOMIC(atomicAdd, double, old + value)
SIMULATOR_ATOMIC(atomicSub, int, old - value)
SIMULATOR_ATOMIC(atomicSub, unsigned int, old - value)
SIMULATOR_ATOMIC_WITH(atomicExch, int, value, simulator_atomic_set)
SIMULATOR_ATOMIC_WITH(atomicExch, unsigned int, value, simulator_atomic_set)
SIMULATOR_ATOMIC_WITH(atomicExch, unsigned long long, value, simulator_atomic_set)
SIMULATOR_ATOMIC_WITH(atomicExch, float, value, simulator_atomic_set)
SIMULATOR_ATOMIC_INTEGERS(atomicMin, value < old ? value : old)
SIMULATOR_ATOMIC(atomicMin, long long, value < old ? value : old)
SIMULATOR_ATOMIC_INTEGERS(atomicMax, old < value ? value : old)
SIMULATOR_ATOMIC(atomicMax, long long, old < value ? value : old)
SIMULATOR_ATOMIC_INTEGERS(atomicAnd, old & value)
SIMULATOR_ATOMIC_INTEGERS(atomicOr, old | value)
SIMULATOR_ATOMIC_INTEGERS(atomicXor, old ^ value)
SIMULATOR_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
SIMULATOR_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)

#define SIMULATOR_ATOMIC_CAS_SCOPE(function, type)                                  \
    SIMULATOR_ATOMIC_CALL type function(type* address, type compare, type value) {  \
        simulator_atomic_access(address, sizeof(type));                             \
        return simulator::atomicCAS(address, compare, value);                       \
    }
#define SIMULATOR_ATOMIC_CAS(type)                                                         \
    namespace simulator {                                                                  \
    SIMULATOR_ATOMIC_UPDATE type atomicCAS(type* address, type compare, type value) {      \
        const type old = *address;                                                         \
        *address = old == compare ? value : old;                                           \
        return old;                                                                        \
    }                                                                                      \
    }                                                                                      \
    SIMULATOR_ATOMIC_CAS_SCOPE(atomicCAS, type)                                            \
    SIMULATOR_ATOMIC_CAS_SCOPE(atomicCAS_block, type)                                      \
    SIMULATOR_ATOMIC_CAS_SCOPE(atomicCAS_system, type)
SIMULATOR_ATOMIC_CAS(unsigned short)
SIMULATOR_ATOMIC_CAS(int)
SIMULATOR_ATOMIC_CAS(unsigned int)
SIMULATOR_ATOMIC_CAS(unsigned long long)
