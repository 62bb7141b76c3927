// Calls without "Async" in their name that return before their work is done: a copy within device memory, and setting
// device memory; beside them a copy from pinned memory, which does not. And the source of a copy from pageable memory
// may be changed as soon as the call has returned.
#include "experiment/experiment.h"

using namespace experiment;

constexpr std::size_t bytes = choose(64 * mib, 256 * mib);

// Whether the device gets what was in the source when cudaMemcpy was called, though the source is changed right after.
bool source_is_free(const Memory& device, std::size_t size) {
    const Memory host = Memory::pageable(size);
    std::memset(host.data(), 1, size);
    check(cudaMemcpy(device.data(), host.data(), size, cudaMemcpyHostToDevice));
    std::memset(host.data(), 2, size);
    check(cudaMemcpy(host.data(), device.data(), size, cudaMemcpyDeviceToHost));
    return std::all_of(host.data(), host.data() + size, [](unsigned char value) { return value == 1; });
}

void measure(Report& report) {
    const Memory from = Memory::device(bytes), to = Memory::device(bytes);
    const auto wait = [] { check(cudaDeviceSynchronize()); };
    const CallAndWhole copy =
        time_call_and_whole([&] { check(cudaMemcpy(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice)); }, wait);
    const Memory pinned = Memory::pinned(bytes);
    const CallAndWhole from_host =
        time_call_and_whole([&] { check(cudaMemcpy(to.data(), pinned.data(), bytes, cudaMemcpyHostToDevice)); }, wait);
    const CallAndWhole set = time_call_and_whole([&] { check(cudaMemset(to.data(), 0, bytes)); }, wait);
    Table& table = report.table("How long a call keeps the host",
                                {{"call"}, {"call", "us"}, {"until done", "us"}, {"call/done", "%"}});
    table.row({"cudaMemcpy within the device", copy.call_us, copy.whole_us, 100 * copy.share()});
    table.row({"cudaMemcpy H2D, pinned", from_host.call_us, from_host.whole_us, 100 * from_host.share()});
    table.row({"cudaMemset of device memory", set.call_us, set.whole_us, 100 * set.share()});

    report.claim("copy-within-device-not-waited-for", below(copy.share(), 0.5), "call / until done");
    report.claim("every-sync-copy-done-on-return", above(from_host.share(), 0.9), "H2D, pinned: call / until done");
    report.claim("every-sync-copy-done-on-return", above(copy.share(), 0.9), "within the device: call / until done");
    report.claim("memset-not-waited-for", below(set.share(), 0.5), "call / until done");
    report.claim("pageable-source-is-free", holds(source_is_free(to, 16 * mib)), "every byte is the old one");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
