// When does cudaMemcpyAsync return? The time of the call against the time until the copy is done, for pinned and for
// pageable host memory, in both directions.
#include "experiment/experiment.h"

using namespace experiment;

CallAndWhole time_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind direction) {
    const Stream stream;
    return time_call_and_whole([&] { check(cudaMemcpyAsync(to, from, bytes, direction, stream)); },
                               [&] { stream.wait(); });
}

// Whether memory from malloc, given to cudaMemcpyAsync, arrives on the device and comes back.
bool arrives(const Memory& device, std::size_t bytes) {
    const Memory sent = Memory::pageable(bytes);
    const Memory received = Memory::pageable(bytes);
    for (std::size_t i = 0; i < bytes / sizeof(unsigned); ++i) {
        sent.data<unsigned>()[i] = static_cast<unsigned>(i) * 2654435761u;
    }
    const Stream stream;
    check(cudaMemcpyAsync(device.data(), sent.data(), bytes, cudaMemcpyHostToDevice, stream));
    check(cudaMemcpyAsync(received.data(), device.data(), bytes, cudaMemcpyDeviceToHost, stream));
    stream.wait();
    return std::memcmp(sent.data(), received.data(), bytes) == 0;
}

void measure(Report& report) {
    Table& table =
        report.table("How long cudaMemcpyAsync keeps the host",
                     {{"memory"}, {"direction"}, {"size", "KiB"}, {"call", "us"}, {"copy", "us"}, {"call/copy", "%"}});
    constexpr std::size_t most = 16 * mib;
    const Memory device = Memory::device(most);
    const Memory pinned = Memory::pinned(most);
    const Memory pageable = Memory::pageable(most);
    const auto both_ways = [&](const std::string& kind, const Memory& host, std::size_t bytes) {
        const CallAndWhole in = time_copy(device.data(), host.data(), bytes, cudaMemcpyHostToDevice);
        const CallAndWhole out = time_copy(host.data(), device.data(), bytes, cudaMemcpyDeviceToHost);
        table.row({kind, "H2D", bytes / kib, in.call_us, in.whole_us, 100 * in.share()});
        table.row({kind, "D2H", bytes / kib, out.call_us, out.whole_us, 100 * out.share()});
        return std::pair(in.share(), out.share());
    };
    for (const std::size_t bytes : {32 * kib, 1 * mib}) {
        (void)both_ways("pinned", pinned, bytes);
        (void)both_ways("pageable", pageable, bytes);
    }
    const auto [pinned_in, pinned_out] = both_ways("pinned", pinned, most);
    const auto [pageable_in, pageable_out] = both_ways("pageable", pageable, most);

    const std::string what = ", 16 MiB: call / copy";
    report.claim("async-returns-at-once", below(pinned_in, 0.1), "pinned H2D" + what);
    report.claim("async-returns-at-once", below(pinned_out, 0.1), "pinned D2H" + what);
    report.claim("async-returns-at-once", below(pageable_in, 0.1), "pageable H2D" + what);
    report.claim("async-returns-at-once", below(pageable_out, 0.1), "pageable D2H" + what);
    report.claim("async-needs-pinned", below(std::max(pinned_in, pinned_out), 0.5), "pinned" + what);
    report.claim("async-needs-pinned", above(pageable_in, 0.5), "pageable H2D" + what);
    report.claim("async-needs-pinned", above(pageable_out, 0.5), "pageable D2H" + what);
    report.claim("malloc-crashes", holds(!arrives(device, 1 * mib)), "the data did not arrive");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
