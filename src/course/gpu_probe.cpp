#include "course/gpu_probe.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>

namespace course {
namespace {

// CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
constexpr int capability_major = 75;
constexpr int capability_minor = 76;

struct CloseLibrary {
    void operator()(void* library) const { dlclose(library); }
};

// The functions of the driver interface that are needed here; their types are stable since CUDA 2.
class Driver {
public:
    Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}

    template <typename... Arguments>
    bool call(const char* name, Arguments... arguments) const {
        if (library_ == nullptr) {
            return false;
        }
        const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_.get(), name));
        return function != nullptr && function(arguments...) == 0;
    }

private:
    std::unique_ptr<void, CloseLibrary> library_;
};

}  // namespace

std::optional<Gpu> find_gpu() {
    const Driver driver;
    Gpu gpu;
    int version = 0;
    int major = 0;
    int minor = 0;
    int device = 0;
    std::array<char, 256> name{};
    if (!driver.call("cuInit", 0U) || !driver.call("cuDeviceGetCount", &gpu.count) || gpu.count == 0 ||
        !driver.call("cuDeviceGet", &device, 0) ||
        !driver.call("cuDeviceGetName", name.data(), static_cast<int>(name.size()), device) ||
        !driver.call("cuDeviceGetAttribute", &major, capability_major, device) ||
        !driver.call("cuDeviceGetAttribute", &minor, capability_minor, device) ||
        !driver.call("cuDriverGetVersion", &version)) {
        return std::nullopt;
    }
    gpu.name = name.data();
    gpu.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
    gpu.driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    return gpu;
}

}  // namespace course
