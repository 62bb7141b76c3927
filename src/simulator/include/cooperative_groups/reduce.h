// Reductions over tiles and coalesced threads.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

#define SIMULATOR_GROUP_OPERATION(name, expression) \
    template <class T>                              \
    struct name {                                   \
        T operator()(T a, T b) const { return expression; } \
    };
SIMULATOR_GROUP_OPERATION(plus, a + b)
SIMULATOR_GROUP_OPERATION(less, b < a ? b : a)
SIMULATOR_GROUP_OPERATION(greater, a < b ? b : a)
SIMULATOR_GROUP_OPERATION(bit_and, a & b)
SIMULATOR_GROUP_OPERATION(bit_or, a | b)
SIMULATOR_GROUP_OPERATION(bit_xor, a ^ b)

// Every thread of the group gets all values combined.
template <class Group, class T, class Operation>
SIMULATOR_DEVICE_FUNCTION T reduce(const Group& group, T value, Operation operation) {
    T combined = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.num_threads(); ++rank) {
        combined = operation(combined, group.shfl(value, static_cast<int>(rank)));
    }
    return combined;
}

SIMULATOR_DEVICE_NOT_SIMULATED(reduce_update_async)
SIMULATOR_DEVICE_NOT_SIMULATED(reduce_store_async)

}  // namespace cooperative_groups
