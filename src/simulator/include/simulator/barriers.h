// Where the threads of a kernel wait for each other: of a block, and of a warp.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum simulator_warp_operation {
    simulator_warp_synchronize,
    simulator_warp_shuffle,  // a lane gets the value of the lane `source`
    simulator_warp_ballot,   // every lane gets a bit for each lane with a value other than 0
    simulator_warp_match,    // a lane gets a bit for each lane with the same value
    simulator_warp_reduce,   // every lane gets all values combined
    simulator_warp_active    // every lane gets the lanes that are at the same call
};

typedef uint64_t (*simulator_combine)(uint64_t, uint64_t);

struct simulator_block_votes {
    uint32_t yes;
    uint32_t all;
};

extern "C" {

// Waits for all threads of the block that have not ended, and tells how many of them came with `vote` other than 0.
simulator_block_votes simulator_meet_block(int vote);

// Waits for all lanes of `mask` that have not ended.
uint64_t simulator_meet_warp(enum simulator_warp_operation operation, uint32_t mask, uint64_t value, uint32_t source,
                             simulator_combine combine);

// Cycles of the multiprocessor since the program started, as the calling thread sees them.
uint64_t simulator_read_clock(void);
void simulator_sleep(unsigned nanoseconds);

// Unused bytes before and behind shared memory, where accesses out of its bounds are seen.
#define SIMULATOR_SHARED_GUARD_BYTES 4096

// The first call in a block fills a __shared__ variable, which lies between guards, with poison; `*block` remembers
// which block that was.
void simulator_enter_shared(void* variable, size_t bytes, uint64_t* block);

// The __shared__ variables of one declaration, by the mangled name of the local type that the pass puts them in: it
// begins with that of the function.
void simulator_announce_shared(const char* type, size_t bytes);

// Where the running block's dynamic shared memory starts; it is aligned for every type.
void* simulator_dynamic_shared_memory(void);

}  // extern "C"
