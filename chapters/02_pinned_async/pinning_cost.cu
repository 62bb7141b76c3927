// What it costs to get pinned memory (cudaHostAlloc), to pin memory that exists (cudaHostRegister), and to get pageable
// memory (malloc); and how fast each is copied.
#include "experiment/experiment.h"

using namespace experiment;

double copy_us(void* to, const void* from, std::size_t bytes) {
    return median_of([&] { return host_us([&] { check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)); }); });
}

void measure(Report& report) {
    constexpr std::size_t bytes = choose(64 * mib, 256 * mib);
    const Memory device = Memory::device(bytes);

    void* pinned = nullptr;
    const double pinned_us = host_us([&] { check(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault)); });
    std::memset(pinned, 1, bytes);
    const double pinned_copy_us = copy_us(device.data(), pinned, bytes);
    check(cudaFreeHost(pinned));

    void* pageable = nullptr;
    const double pageable_us = host_us([&] { pageable = std::malloc(bytes); });
    const double touch_us = host_us([&] { std::memset(pageable, 1, bytes); });
    const double pageable_copy_us = copy_us(device.data(), pageable, bytes);
    const double register_us = host_us([&] { check(cudaHostRegister(pageable, bytes, cudaHostRegisterDefault)); });
    const double registered_copy_us = copy_us(device.data(), pageable, bytes);
    check(cudaHostUnregister(pageable));
    std::free(pageable);

    Table& table = report.table("What the memory costs, and its copy to the device",
                                {{"memory"}, {"size", "MiB"}, {"to get", "us"}, {"copy H2D", "us"}});
    table.row({"cudaHostAlloc", bytes / mib, pinned_us, pinned_copy_us});
    table.row({"malloc", bytes / mib, pageable_us, pageable_copy_us});
    table.row({"malloc, first use included", bytes / mib, pageable_us + touch_us, pageable_copy_us});
    table.row({"cudaHostRegister, memory in use", bytes / mib, register_us, registered_copy_us});

    report.claim("pinning-is-expensive", above(pinned_us / pinned_copy_us, 1), "cudaHostAlloc: to get / copy");
    report.claim("registering-is-cheaper", below(register_us / pinned_us, 0.8), "cudaHostRegister / cudaHostAlloc");
    report.claim("registered-is-as-fast", below(registered_copy_us / pinned_copy_us, 1.1),
                 "copy: registered / cudaHostAlloc");
    report.claim("host-alloc-instead-of-malloc", above(pageable_copy_us / pinned_copy_us, 1.5),
                 "the copy is faster: malloc / cudaHostAlloc");
    report.claim("host-alloc-instead-of-malloc", below(pinned_us / std::max(pageable_us, 1.0), 2),
                 "it is as cheap to get: cudaHostAlloc / malloc");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
