#include "device/pipeline_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using device::StageTimes;
using device::Time;

constexpr double tolerance = 1e-6;

double ns(Time time) {
    return time.count();
}

StageTimes stages(double h2d, double kernel, double d2h) {
    return {Time(h2d), Time(kernel), Time(d2h)};
}

// Oracle: chunk after chunk through H2D engine, SM and D2H engine, each serving in order of issue; chunk i also waits
// until chunk i - streams, which is in the same stream, has come back.
double simulated_in_order(std::size_t chunks, const StageTimes& stages, std::size_t streams) {
    std::vector<double> back(chunks);
    double h2d_free = 0;
    double kernel_free = 0;
    double d2h_free = 0;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const double stream_free = chunk >= streams ? back[chunk - streams] : 0;
        h2d_free = std::max(h2d_free, stream_free) + ns(stages.h2d);
        kernel_free = std::max(kernel_free, h2d_free) + ns(stages.kernel);
        d2h_free = std::max(d2h_free, kernel_free) + ns(stages.d2h);
        back[chunk] = d2h_free;
    }
    return chunks == 0 ? 0 : d2h_free;
}

// Oracle: three role streams with `slots` buffers; H2D of chunk i waits for the kernel of chunk i - slots (its input
// slot), the kernel for the D2H of chunk i - slots (its output slot).
double simulated_roles(std::size_t chunks, const StageTimes& stages, std::size_t slots) {
    std::vector<double> computed(chunks);
    std::vector<double> back(chunks);
    double h2d_free = 0;
    double kernel_free = 0;
    double d2h_free = 0;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const double input_free = chunk >= slots ? computed[chunk - slots] : 0;
        const double output_free = chunk >= slots ? back[chunk - slots] : 0;
        h2d_free = std::max(h2d_free, input_free) + ns(stages.h2d);
        kernel_free = std::max({kernel_free, h2d_free, output_free}) + ns(stages.kernel);
        d2h_free = std::max(d2h_free, kernel_free) + ns(stages.d2h);
        computed[chunk] = kernel_free;
        back[chunk] = d2h_free;
    }
    return chunks == 0 ? 0 : d2h_free;
}

// Oracle for one copy engine: every order of copies in which chunk i's H2D comes before its D2H, chunks in order.
// Returns the time of the best order.
class OneEngineSearch {
public:
    OneEngineSearch(std::size_t chunks, const StageTimes& stages) : chunks_(chunks), stages_(stages) {}

    double best() {
        best_ = chunks_ == 0 ? 0 : 1e300;
        if (chunks_ > 0) {
            extend(0, 0, 0, 0, {});
        }
        return best_;
    }

private:
    void extend(std::size_t sent, std::size_t fetched, double copy_free, double kernel_free,
                const std::vector<double>& computed) {
        if (fetched == chunks_) {
            best_ = std::min(best_, copy_free);
            return;
        }
        if (sent < chunks_) {
            const double arrived = copy_free + ns(stages_.h2d);
            const double done = std::max(arrived, kernel_free) + ns(stages_.kernel);
            std::vector<double> more = computed;
            more.push_back(done);
            extend(sent + 1, fetched, arrived, done, more);
        }
        if (fetched < sent) {
            const double back = std::max(copy_free, computed[fetched]) + ns(stages_.d2h);
            extend(sent, fetched + 1, back, kernel_free, computed);
        }
    }

    std::size_t chunks_;
    StageTimes stages_;
    double best_ = 0;
};

// Random whole stage times, 0 among them, from a fixed seed.
class Random {
public:
    StageTimes stages() { return {Time(time_(engine_)), Time(time_(engine_)), Time(time_(engine_))}; }
    std::size_t up_to(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit)(engine_); }

private:
    std::mt19937 engine_{20261130};
    std::uniform_int_distribution<int> time_{0, 40};
};

TEST(PipelineBounds, NoChunksTakeNoTime) {
    const auto s = stages(3, 5, 7);
    EXPECT_EQ(ns(device::serial(0, s)), 0);
    EXPECT_EQ(ns(device::in_order_streams(0, s, 2)), 0);
    EXPECT_EQ(ns(device::role_streams(0, s)), 0);
    EXPECT_EQ(ns(device::one_copy_engine(0, s)), 0);
    EXPECT_EQ(ns(device::attainable(0, s, 2)), 0);
}

TEST(PipelineBounds, OneChunkIsSerialEverywhere) {
    const auto s = stages(3, 5, 7);
    EXPECT_EQ(ns(device::serial(1, s)), 15);
    EXPECT_EQ(ns(device::in_order_streams(1, s, 3)), 15);
    EXPECT_EQ(ns(device::role_streams(1, s)), 15);
    EXPECT_EQ(ns(device::one_copy_engine(1, s)), 15);
}

TEST(PipelineBounds, ClosedCases) {
    const auto equal = stages(1, 1, 1);
    EXPECT_EQ(ns(device::serial(32, equal)), 96);
    EXPECT_EQ(ns(device::in_order_streams(32, equal, 1)), 96);
    EXPECT_EQ(ns(device::in_order_streams(32, equal, 2)), 49);  // 16 rounds of 3, and one chunk more
    EXPECT_EQ(ns(device::in_order_streams(32, equal, 3)), 34);
    EXPECT_EQ(ns(device::in_order_streams(32, equal, 8)), 34);
    EXPECT_EQ(ns(device::role_streams(32, equal)), 34);
    EXPECT_EQ(ns(device::one_copy_engine(32, equal)), 64);
    EXPECT_EQ(ns(device::one_copy_engine(10, stages(1, 8, 1))), 82);
    EXPECT_EQ(ns(device::role_streams(10, stages(1, 8, 1))), 82);
}

TEST(PipelineBounds, AttainableDependsOnTheCopyEngines) {
    const auto s = stages(2, 3, 2);
    EXPECT_EQ(ns(device::attainable(8, s, 0)), ns(device::serial(8, s)));
    EXPECT_EQ(ns(device::attainable(8, s, 1)), ns(device::one_copy_engine(8, s)));
    EXPECT_EQ(ns(device::attainable(8, s, 2)), ns(device::role_streams(8, s)));
    EXPECT_EQ(ns(device::attainable(8, s, 3)), ns(device::role_streams(8, s)));
}

TEST(PipelineBounds, NoStreamsAreRefused) {
    EXPECT_THROW(device::in_order_streams(4, stages(1, 1, 1), 0), std::invalid_argument);
    EXPECT_THROW(device::in_order_streams(0, stages(1, 1, 1), 0), std::invalid_argument);
}

TEST(PipelineBounds, InOrderStreamsEqualTheSimulatedPipeline) {
    Random random;
    for (int trial = 0; trial < 3000; ++trial) {
        const auto s = random.stages();
        const std::size_t chunks = random.up_to(40);
        const std::size_t streams = 1 + random.up_to(8);
        ASSERT_NEAR(ns(device::in_order_streams(chunks, s, streams)), simulated_in_order(chunks, s, streams), tolerance)
            << chunks << " chunks, " << streams << " streams, " << ns(s.h2d) << ' ' << ns(s.kernel) << ' ' << ns(s.d2h);
    }
}

TEST(PipelineBounds, RoleStreamsEqualTheSimulatedPipelineFromTwoSlotsOn) {
    Random random;
    for (int trial = 0; trial < 3000; ++trial) {
        const auto s = random.stages();
        const std::size_t chunks = random.up_to(40);
        const std::size_t slots = 2 + random.up_to(3);
        ASSERT_NEAR(ns(device::role_streams(chunks, s)), simulated_roles(chunks, s, slots), tolerance)
            << chunks << " chunks, " << slots << " slots, " << ns(s.h2d) << ' ' << ns(s.kernel) << ' ' << ns(s.d2h);
    }
}

TEST(PipelineBounds, NoOrderOfCopiesBeatsOneCopyEngine) {
    Random random;
    int reached = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const auto s = random.stages();
        const std::size_t chunks = random.up_to(6);
        const double best = OneEngineSearch(chunks, s).best();
        const double bound = ns(device::one_copy_engine(chunks, s));
        ASSERT_LE(bound, best + tolerance) << chunks << ' ' << ns(s.h2d) << ' ' << ns(s.kernel) << ' ' << ns(s.d2h);
        ASSERT_LE(best, ns(device::serial(chunks, s)) + tolerance);
        reached += best < bound + tolerance ? 1 : 0;
    }
    EXPECT_GT(reached, 150) << "the bound should be reached more often than not";
}

TEST(PipelineBounds, BoundIsBelowEveryInOrderTimeAndSerialAbove) {
    Random random;
    for (int trial = 0; trial < 2000; ++trial) {
        const auto s = random.stages();
        const std::size_t chunks = random.up_to(50);
        const std::size_t streams = 1 + random.up_to(8);
        const double time = ns(device::in_order_streams(chunks, s, streams));
        ASSERT_LE(ns(device::attainable(chunks, s, 2)), time + tolerance);
        ASSERT_LE(time, ns(device::serial(chunks, s)) + tolerance);
        ASSERT_LE(ns(device::attainable(chunks, s, 2)), ns(device::attainable(chunks, s, 1)) + tolerance);
        ASSERT_LE(ns(device::attainable(chunks, s, 1)), ns(device::serial(chunks, s)) + tolerance);
    }
}

TEST(PipelineBounds, MoreStreamsAreNeverSlower) {
    Random random;
    for (int trial = 0; trial < 1000; ++trial) {
        const auto s = random.stages();
        const std::size_t chunks = random.up_to(50);
        for (std::size_t streams = 1; streams < 10; ++streams) {
            ASSERT_LE(ns(device::in_order_streams(chunks, s, streams + 1)),
                      ns(device::in_order_streams(chunks, s, streams)) + tolerance);
        }
        ASSERT_NEAR(ns(device::in_order_streams(chunks, s, 1)), ns(device::serial(chunks, s)), tolerance);
    }
}

TEST(SpeedBar, ShareTimeAndSpeedupAreOneScale) {
    const device::SpeedBar bar{Time(300), Time(100)};
    EXPECT_DOUBLE_EQ(bar.share(Time(300)), 0);
    EXPECT_DOUBLE_EQ(bar.share(Time(100)), 1);
    EXPECT_DOUBLE_EQ(bar.share(Time(150)), 0.75);
    EXPECT_DOUBLE_EQ(bar.share(Time(400)), -0.5);
    EXPECT_DOUBLE_EQ(ns(bar.time_at(0.75)), 150);
    EXPECT_DOUBLE_EQ(bar.speedup_at(0), 1);
    EXPECT_DOUBLE_EQ(bar.speedup_at(0.75), 2);
    EXPECT_DOUBLE_EQ(bar.speedup_at(1), 3);
    for (double share = -0.5; share < 1.3; share += 0.1) {
        EXPECT_NEAR(bar.share(bar.time_at(share)), share, 1e-12);
    }
}

TEST(SpeedBar, WithoutAnythingToGainThereIsNoShare) {
    const device::SpeedBar bar{Time(100), Time(100)};
    EXPECT_FALSE(bar.has_gain());
    EXPECT_THROW(bar.share(Time(100)), std::domain_error);
    EXPECT_THROW((device::SpeedBar{Time(300), Time(100)}.speedup_at(1.5)), std::domain_error);
}

// Measured on an H200, 2026-11-30: 256 MiB in 32 chunks of 8 MiB, h = k = d, serial 14.571 ms, both directions together
// 98.82 GB/s. Times are measured as shares of 5.291 ms (both directions without fill and drain).
class MeasuredH200 : public ::testing::Test {
protected:
    static Time ms(double value) { return std::chrono::duration<double, std::milli>(value); }
    static Time at_share_of_duplex(double share) { return ms(5.291 / share); }

    static StageTimes duplex_stages() {
        const double chunk_bytes = 8.0 * 1024 * 1024;
        const Time copy(chunk_bytes / (98.82 / 2));  // bytes per GB/s are nanoseconds
        return {copy, ms(4.861 / 32), copy};
    }

    const device::SpeedBar bar_{ms(14.571), device::attainable(32, duplex_stages(), 2)};
};

TEST_F(MeasuredH200, AttainableIsCloseAboveTheDuplexTime) {
    EXPECT_NEAR(ns(bar_.bound) * 1e-6, 5.755, 0.01);
    EXPECT_NEAR(bar_.speedup_at(1), 2.53, 0.01);
}

TEST_F(MeasuredH200, SharesOfTheMeasuredPipelines) {
    EXPECT_NEAR(bar_.share(at_share_of_duplex(0.655)), 0.736, 0.005);  // two streams pass at 0.60, and stay below 0.85
    EXPECT_NEAR(bar_.share(at_share_of_duplex(0.883)), 0.973, 0.005);  // three streams earn all
    EXPECT_NEAR(bar_.share(at_share_of_duplex(0.927)), 1.005, 0.005);  // role streams with three slots reach the bound
    EXPECT_LT(bar_.share(ms(14.571 / 0.951)), 0);                      // one stream is slower than serial
}

TEST_F(MeasuredH200, TwoAndThreeStreamsMatchTheFormula) {
    EXPECT_NEAR(ns(device::in_order_streams(32, duplex_stages(), 3)) / ns(ms(5.99)), 1, 0.05);
    EXPECT_NEAR(ns(device::in_order_streams(32, duplex_stages(), 2)) / ns(at_share_of_duplex(0.655)), 1, 0.03);
}

TEST(HostStages, AreOneMoreEngine) {
    const StageTimes stages{Time(1), Time(5), Time(1)};
    EXPECT_EQ(ns(device::with_host_stages(0, stages, 2, Time(2), Time(2))), 0);
    EXPECT_EQ(ns(device::with_host_stages(1, stages, 2, Time(2), Time(2))), 11);
    EXPECT_EQ(ns(device::with_host_stages(10, stages, 2, Time(2), Time(2))), 2 + 52 + 2);  // the kernel is the slowest
    EXPECT_EQ(ns(device::with_host_stages(10, stages, 2, Time(4), Time(4))), 80);          // the host is
}

}  // namespace
