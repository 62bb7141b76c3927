// Whether this machine has an NVIDIA GPU, asked of the driver without linking to it.
#pragma once

#include <optional>
#include <string>

namespace course {

struct Gpu {
    int count = 0;
    std::string name;          // of the first
    std::string architecture;  // "sm_90"
    std::string driver;        // the newest CUDA version that the driver supports, "13.0"
};

// Empty when there is no driver, or no GPU that it can use.
std::optional<Gpu> find_gpu();

}  // namespace course
