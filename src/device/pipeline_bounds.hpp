// How long a chunked pipeline H2D -> kernel -> D2H takes at best: the speed bar's arithmetic.
//
// Every chunk is alike. With h, k, d the times of its three stages, n chunks, S = h + k + d and M = max(h, k, d):
//   serial                      n S
//   B in-order streams in turn  max( S + (n-1) M , ceil(n/B) S + ((n-1) mod B) M )    (two copy engines)
//   three role streams          S + (n-1) M                                           (two copy engines, two slots or
//   more) one copy engine             at least max( n (h+d) , h + n k + d ), and at least what two copy engines need
// Formulas: "The speed bar" of the design. h and d of a pipelined run are those with both directions busy.
// Compared with an H200 (PCIe 5 x16, 256 MiB in 8 MiB chunks, h = k = d, 2026-11-30): both directions together moved
// 98.82 GB/s, so S + (n-1) M is 5.77 ms; three in-order streams took 5.99 ms, two took 8.1 ms (formula: 8.15 ms).
#pragma once

#include <chrono>
#include <cstddef>

namespace device {

// Nanoseconds with fractions: stage times are means of measurements.
using Time = std::chrono::duration<double, std::nano>;

// The time of one chunk in each stage.
struct StageTimes {
    Time h2d{};
    Time kernel{};
    Time d2h{};

    Time sum() const { return h2d + kernel + d2h; }
    Time longest() const;
};

// Each function gives the time of n chunks, 0 for n = 0. Stage times must not be negative.

// One stage after the other, nothing overlaps.
Time serial(std::size_t chunks, const StageTimes& stages);

// Chunks dealt in turn to `streams` in-order streams, on a device with two copy engines.
// Throws std::invalid_argument when `streams` is 0.
Time in_order_streams(std::size_t chunks, const StageTimes& stages, std::size_t streams);

// One stream per stage, joined by events, with two slots or more, on a device with two copy engines.
Time role_streams(std::size_t chunks, const StageTimes& stages);

// What no schedule on a device with one copy engine can beat. (A bound, not always reached.)
Time one_copy_engine(std::size_t chunks, const StageTimes& stages);

// The time that the best schedule can hope for on a device with that many copy engines (0: copies and kernels
// never overlap, as cudaDeviceProp::asyncEngineCount says it).
Time attainable(std::size_t chunks, const StageTimes& stages, unsigned copy_engines);

// A pipeline whose host fills a chunk (`produce`) before its stages and takes it (`consume`) after them: attainable(), and
// the host thread is one more stage that has both to do for every chunk.
Time with_host_stages(std::size_t chunks, const StageTimes& stages, unsigned copy_engines, Time produce, Time consume);

// The speed bar: where a measured time stands between the serial time (share 0) and the bound (share 1).
struct SpeedBar {
    Time serial{};
    Time bound{};

    // False when overlap can gain nothing here (a single chunk, say); then there is no share to speak of.
    bool has_gain() const { return bound < serial; }

    // The share of the attainable gain, (serial - time) / (serial - bound); below 0 when slower than serial, above 1
    // when faster than the bound (stage times are measured too). Throws std::domain_error without has_gain().
    double share(Time time) const;

    // The time at which that share is reached.
    Time time_at(double share) const { return serial - share * (serial - bound); }

    // The same as a speedup over serial; speedup_at(1) is the attainable one. Throws std::domain_error when
    // time_at(share) is not above 0.
    double speedup_at(double share) const;
};

}  // namespace device
