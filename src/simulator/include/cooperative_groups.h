// Cooperative groups as far as they are simulated: the thread block, tiles of at most a warp, coalesced threads.
// Groups of a grid or a cluster are refused by name.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_block {
public:
    SIMULATOR_DEVICE_FUNCTION void sync() const { __syncthreads(); }
    unsigned thread_rank() const { return simulator::linear_thread(); }
    unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    unsigned num_threads() const { return size(); }
    dim3 group_index() const { return blockIdx; }
    dim3 thread_index() const { return threadIdx; }
    dim3 group_dim() const { return blockDim; }
    dim3 dim_threads() const { return blockDim; }
};

inline thread_block this_thread_block() { return {}; }

// The threads of one warp that `mask` names.
class coalesced_group {
public:
    explicit coalesced_group(unsigned mask) : mask_(mask) {}

    SIMULATOR_DEVICE_FUNCTION void sync() const { __syncwarp(mask_); }
    unsigned thread_rank() const { return rank_of(simulator::lane()); }
    unsigned size() const { return static_cast<unsigned>(__popc(mask_)); }
    unsigned num_threads() const { return size(); }
    unsigned meta_group_size() const { return 1; }
    unsigned meta_group_rank() const { return 0; }

    template <class T>
    SIMULATOR_DEVICE_FUNCTION T shfl(T value, unsigned rank) const {
        return simulator::shuffled(mask_, value, lane_of(rank % size()));
    }
    template <class T>
    SIMULATOR_DEVICE_FUNCTION T shfl_up(T value, unsigned delta) const {
        const unsigned own = thread_rank();
        return simulator::shuffled(mask_, value, lane_of(own < delta ? own : own - delta));
    }
    template <class T>
    SIMULATOR_DEVICE_FUNCTION T shfl_down(T value, unsigned delta) const {
        const unsigned own = thread_rank();
        return simulator::shuffled(mask_, value, lane_of(own + delta >= size() ? own : own + delta));
    }
    SIMULATOR_DEVICE_FUNCTION int any(int predicate) const { return __any_sync(mask_, predicate); }
    SIMULATOR_DEVICE_FUNCTION int all(int predicate) const { return __all_sync(mask_, predicate); }
    SIMULATOR_DEVICE_FUNCTION unsigned ballot(int predicate) const {
        const unsigned lanes = __ballot_sync(mask_, predicate);
        unsigned ranks = 0;
        for (unsigned rank = 0; rank < size(); ++rank) {
            ranks |= (lanes >> lane_of(rank) & 1u) << rank;
        }
        return ranks;
    }

private:
    unsigned rank_of(unsigned lane) const { return static_cast<unsigned>(__popc(mask_ & ((1u << lane) - 1))); }
    unsigned lane_of(unsigned rank) const {
        unsigned left = mask_;
        for (; rank > 0; --rank) {
            left &= left - 1;
        }
        return static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
    }

    unsigned mask_;
};

SIMULATOR_DEVICE_FUNCTION coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// `Size` neighbouring threads of a warp.
template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a simulated tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    SIMULATOR_DEVICE_FUNCTION void sync() const { __syncwarp(mask()); }
    unsigned thread_rank() const { return simulator::linear_thread() % Size; }
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    unsigned meta_group_rank() const { return simulator::linear_thread() / Size; }
    unsigned meta_group_size() const { return (thread_block().size() + Size - 1) / Size; }

    template <class T>
    SIMULATOR_DEVICE_FUNCTION T shfl(T value, int rank) const {
        return __shfl_sync(mask(), value, rank, Size);
    }
    template <class T>
    SIMULATOR_DEVICE_FUNCTION T shfl_up(T value, unsigned delta) const {
        return __shfl_up_sync(mask(), value, delta, Size);
    }
    template <class T>
    SIMULATOR_DEVICE_FUNCTION T shfl_down(T value, unsigned delta) const {
        return __shfl_down_sync(mask(), value, delta, Size);
    }
    template <class T>
    SIMULATOR_DEVICE_FUNCTION T shfl_xor(T value, int lane_mask) const {
        return __shfl_xor_sync(mask(), value, lane_mask, Size);
    }
    SIMULATOR_DEVICE_FUNCTION int any(int predicate) const { return __any_sync(mask(), predicate); }
    SIMULATOR_DEVICE_FUNCTION int all(int predicate) const { return __all_sync(mask(), predicate); }
    SIMULATOR_DEVICE_FUNCTION unsigned ballot(int predicate) const {
        return (__ballot_sync(mask(), predicate) & mask()) >> first_lane();
    }

private:
    static unsigned first_lane() { return simulator::lane() / Size * Size; }
    static unsigned mask() { return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << first_lane(); }
};

template <unsigned Size>
inline thread_block_tile<Size> tiled_partition(const thread_block&) {
    return {};
}
template <unsigned Size, unsigned ParentSize, class Parent>
inline thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent>&) {
    static_assert(Size <= ParentSize, "a tile is not larger than the one it is a part of");
    return {};
}

template <class Group>
SIMULATOR_DEVICE_FUNCTION void sync(const Group& group) {
    group.sync();
}

SIMULATOR_DEVICE_NOT_SIMULATED(this_grid)
SIMULATOR_DEVICE_NOT_SIMULATED(this_multi_grid)
SIMULATOR_DEVICE_NOT_SIMULATED(this_cluster)
SIMULATOR_DEVICE_NOT_SIMULATED(memcpy_async)
SIMULATOR_DEVICE_NOT_SIMULATED(wait)
SIMULATOR_DEVICE_NOT_SIMULATED(labeled_partition)
SIMULATOR_DEVICE_NOT_SIMULATED(binary_partition)

}  // namespace cooperative_groups
