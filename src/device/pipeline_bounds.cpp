#include "device/pipeline_bounds.hpp"

#include <algorithm>
#include <stdexcept>

namespace device {
namespace {

double count(std::size_t value) {
    return static_cast<double>(value);
}

}  // namespace

Time StageTimes::longest() const {
    return std::max({h2d, kernel, d2h});
}

Time serial(std::size_t chunks, const StageTimes& stages) {
    return count(chunks) * stages.sum();
}

Time in_order_streams(std::size_t chunks, const StageTimes& stages, std::size_t streams) {
    if (streams == 0) {
        throw std::invalid_argument("in_order_streams: expected at least 1 stream, found 0");
    }
    if (chunks == 0) {
        return Time{};
    }
    // The critical path either waits for the busiest engine all along, or as often as possible for its own stream:
    // chunk i cannot start before chunk i - streams has come back.
    const std::size_t rounds = (chunks - 1) / streams + 1;
    const std::size_t rest = (chunks - 1) % streams;
    const Time by_engine = stages.sum() + count(chunks - 1) * stages.longest();
    const Time by_stream = count(rounds) * stages.sum() + count(rest) * stages.longest();
    return std::max(by_engine, by_stream);
}

Time role_streams(std::size_t chunks, const StageTimes& stages) {
    return chunks == 0 ? Time{} : stages.sum() + count(chunks - 1) * stages.longest();
}

Time one_copy_engine(std::size_t chunks, const StageTimes& stages) {
    if (chunks == 0) {
        return Time{};
    }
    const Time copies = stages.h2d + stages.d2h;
    return std::max({count(chunks) * copies, copies + count(chunks) * stages.kernel, role_streams(chunks, stages)});
}

Time attainable(std::size_t chunks, const StageTimes& stages, unsigned copy_engines) {
    if (copy_engines == 0) {
        return serial(chunks, stages);
    }
    return copy_engines == 1 ? one_copy_engine(chunks, stages) : role_streams(chunks, stages);
}

Time with_host_stages(std::size_t chunks, const StageTimes& stages, unsigned copy_engines, Time produce, Time consume) {
    if (chunks == 0) {
        return Time{};
    }
    // The first chunk must be produced before any stage begins, and the last one consumed after all have ended.
    const Time by_device = produce + attainable(chunks, stages, copy_engines) + consume;
    const Time by_host = count(chunks) * (produce + consume);
    return std::max(by_device, by_host);
}

double SpeedBar::share(Time time) const {
    if (!has_gain()) {
        throw std::domain_error("SpeedBar::share: expected a bound below the serial time, found nothing to gain");
    }
    return (serial - time) / (serial - bound);
}

double SpeedBar::speedup_at(double share) const {
    const Time time = time_at(share);
    if (time <= Time{}) {
        throw std::domain_error("SpeedBar::speedup_at: expected a share whose time is above 0");
    }
    return serial / time;
}

}  // namespace device
