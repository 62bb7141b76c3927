/* Calls that both devices offer beside the CUDA runtime API, for src/lab and the calibration. The simulator implements
   them on virtual time; on a GPU, src/gpu implements them on the steady clock and CUPTI. Not for students' code. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Host time in nanoseconds since the program started: virtual on the simulator, steady on a GPU. */
uint64_t device_hooks_clock_ns(void);

/* Name a stretch of host time in the trace. Ranges nest. */
void device_hooks_range_begin(const char* name);
void device_hooks_range_end(void);

/* Tell the ordering checker that trusted, uninstrumented host code reads or writes [address, address + bytes).
   A no-op on a GPU. `what` names the access for people ("host_output"). */
void device_hooks_host_reads(const void* address, size_t bytes, const char* what);
void device_hooks_host_writes(void* address, size_t bytes, const char* what);

/* memcpy by trusted code: not taken for an access by the program. Announce it with the two calls above. */
void device_hooks_trusted_copy(void* to, const void* from, size_t bytes);

/* Let virtual time pass for declared host work; on a GPU, busy-wait that long. */
void device_hooks_host_work_ns(uint64_t nanoseconds);

/* From now on an allocation of device memory fails (cudaErrorMemoryAllocation) when it would bring what the program holds
   above `bytes`; 0 takes the limit away. Returns how many bytes the largest allocation that was refused since the
   previous call asked for. */
uint64_t device_hooks_memory_budget(uint64_t bytes);

/* 1 on the simulated device, 0 on a GPU. */
int device_hooks_simulated(void);

/* Arm fault injection: the n-th call from now (n >= 1) that can fail fails; 0 disarms.
   Returns how many calls that can fail were made since the previous arming. A no-op returning 0 on a GPU. */
uint64_t device_hooks_fail_call(uint64_t n);

#ifdef __cplusplus
}
#endif
