// Experiment: how many streams, and how large a chunk?
//
// The same work, 256 MiB in, a kernel that takes as long as that copy, 256 MiB out, first serial (one stream, one copy
// in, one kernel, one copy out), then pipelined for each number of streams and each chunk size. Both versions use
// pinned memory, and every result is compared. The simulated device, which runs every thread on the CPU, takes a small
// part of that unless asked for more: `--total-mib 256 --streams 1,2,3,4,8,16,32 --chunk-mib
// 0.25,0.5,1,2,4,8,16,32,64,128`.
#include <getopt.h>

#include "experiment/experiment.h"

namespace {

using namespace experiment;
using lab::Element;

constexpr unsigned threads_per_block = 256;

__global__ void process(const Element* input, Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

struct Options {
    std::size_t total_mib = choose(16, 256);
    std::vector<unsigned> streams = choose<std::vector<unsigned>>({1, 2, 3, 4, 16}, {1, 2, 3, 4, 8, 16, 32});
    std::vector<double> chunk_mib = choose<std::vector<double>>({1}, {0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128});
    unsigned repeats = choose(1, 5);
    std::string results;
};

// One point of the sweep.
struct Point {
    unsigned streams = 0;
    double chunk_mib = 0;
    double serial_ms = 0;
    double pipelined_ms = 0;

    double speedup() const { return serial_ms / pipelined_ms; }
};

class Sweep {
public:
    Sweep(std::size_t total_bytes, unsigned most_streams, unsigned repeats)
        : elements_(total_bytes / sizeof(Element)),
          repeats_(repeats),
          host_input_(Memory::pinned(total_bytes)),
          host_output_(Memory::pinned(total_bytes)),
          device_input_(Memory::device(total_bytes)),
          device_output_(Memory::device(total_bytes)) {
        for (unsigned i = 0; i < most_streams; ++i) {
            streams_.emplace_back();
        }
        for (std::size_t i = 0; i < elements_; ++i) {  // different in every element, hence in every chunk
            host_input_.data<Element>()[i] = static_cast<Element>(i) * 2654435761u;
        }
    }

    // Times each stage alone, and chooses the rounds so that the kernel takes as long as the copy in.
    void calibrate() {
        (void)stage_ms([&] { issue_kernel(0, elements_, 1, 0); });  // the first launch loads the kernel
        h2d_ms_ = stage_ms([&] { issue_h2d(0, elements_, 0); });
        d2h_ms_ = stage_ms([&] { issue_d2h(0, elements_, 0); });
        constexpr unsigned few = 256, many = 1024;
        const double few_ms = stage_ms([&] { issue_kernel(0, elements_, few, 0); });
        const double many_ms = stage_ms([&] { issue_kernel(0, elements_, many, 0); });
        const double ms_per_round = (many_ms - few_ms) / (many - few);
        if (ms_per_round <= 0) {
            throw std::runtime_error("the kernel takes no longer with more rounds: cannot choose its length");
        }
        rounds_ = static_cast<unsigned>(std::max(1.0, few + (h2d_ms_ - few_ms) / ms_per_round));
        kernel_ms_ = stage_ms([&] { issue_kernel(0, elements_, rounds_, 0); });
        forget_results();
        serial_ms_ = timed_ms(elements_, 1);
        keep_reference();
    }

    Point measure(unsigned streams, double chunk_mib) {
        const auto chunk = static_cast<std::size_t>(chunk_mib * mib) / sizeof(Element);
        // The first run is compared in full; it also warms up.
        forget_results();
        const double first_ms = timed_ms(chunk, streams);
        compare();
        if (simulated()) {  // simulated time is the same every time: once is enough
            return {streams, chunk_mib, serial_ms_, first_ms};
        }
        std::vector<double> serial, pipelined;
        for (unsigned i = 0; i < repeats_; ++i) {  // in turn, so that a change of clocks meets both
            serial.push_back(timed_ms(elements_, 1));
            pipelined.push_back(timed_ms(chunk, streams));
        }
        return {streams, chunk_mib, median(serial), median(pipelined)};
    }

    double h2d_ms() const { return h2d_ms_; }
    double kernel_ms() const { return kernel_ms_; }
    double d2h_ms() const { return d2h_ms_; }
    unsigned rounds() const { return rounds_; }

private:
    void issue_h2d(std::size_t offset, std::size_t count, std::size_t stream) {
        check(cudaMemcpyAsync(device_input_.data<Element>() + offset, host_input_.data<Element>() + offset,
                              count * sizeof(Element), cudaMemcpyHostToDevice, streams_[stream]));
    }

    void issue_kernel(std::size_t offset, std::size_t count, unsigned rounds, std::size_t stream) {
        const auto blocks = static_cast<unsigned>((count + threads_per_block - 1) / threads_per_block);
        process<<<blocks, threads_per_block, 0, streams_[stream]>>>(
            device_input_.data<Element>() + offset, device_output_.data<Element>() + offset, count, rounds);
        check(cudaGetLastError());
    }

    void issue_d2h(std::size_t offset, std::size_t count, std::size_t stream) {
        check(cudaMemcpyAsync(host_output_.data<Element>() + offset, device_output_.data<Element>() + offset,
                              count * sizeof(Element), cudaMemcpyDeviceToHost, streams_[stream]));
    }

    void wait(std::size_t streams) {
        for (std::size_t i = 0; i < streams; ++i) {
            streams_[i].wait();
        }
    }

    // The median time of one stage alone over all elements.
    template <typename Issue>
    double stage_ms(Issue issue) {
        std::vector<double> times;
        for (unsigned i = 0; i < repeats_; ++i) {
            times.push_back(host_us([&] {
                                issue();
                                wait(1);
                            }) /
                            1000);
        }
        return median(times);
    }

    // One run: chunks of `chunk` elements, dealt in turn to `streams` streams. One chunk in one stream is the serial
    // version.
    double timed_ms(std::size_t chunk, unsigned streams) {
        const double us = host_us([&] {
            std::size_t stream = 0;
            for (std::size_t offset = 0; offset < elements_; offset += chunk) {
                const std::size_t count = std::min(chunk, elements_ - offset);
                issue_h2d(offset, count, stream);
                issue_kernel(offset, count, rounds_, stream);
                issue_d2h(offset, count, stream);
                stream = (stream + 1) % streams;
            }
            wait(streams);
        });
        return us / 1000;
    }

    // So that a run that forgets a chunk cannot find the previous run's result.
    void forget_results() {
        std::memset(host_output_.data(), 0xA5, host_output_.bytes());
        check(cudaMemset(device_output_.data(), 0x5A, device_output_.bytes()));
        check(cudaDeviceSynchronize());
    }

    // Keeps the serial version's output, after recomputing some of it on the host, step by step.
    void keep_reference() {
        const std::size_t step = std::max<std::size_t>(1, elements_ / 1000);
        for (std::size_t i = 0; i < elements_; i += step) {
            Element expected = host_input_.data<Element>()[i];
            for (unsigned round = 0; round < rounds_; ++round) {
                expected = 1664525u * expected + 1013904223u;
            }
            if (host_output_.data<Element>()[i] != expected) {
                throw std::runtime_error("the serial version computes a wrong value at element " + std::to_string(i));
            }
        }
        reference_.resize(elements_);
        std::memcpy(reference_.data(), host_output_.data(), host_output_.bytes());
    }

    void compare() const {
        if (std::memcmp(reference_.data(), host_output_.data(), host_output_.bytes()) != 0) {
            throw std::runtime_error("the pipelined version computes other values than the serial one");
        }
    }

    std::size_t elements_;
    unsigned repeats_;
    Memory host_input_, host_output_, device_input_, device_output_;
    std::vector<Stream> streams_;  // destroyed before the memory that their work uses
    std::vector<Element> reference_;
    unsigned rounds_ = 0;
    double h2d_ms_ = 0, kernel_ms_ = 0, d2h_ms_ = 0, serial_ms_ = 0;
};

void report_stages(Report& report, const Sweep& sweep) {
    Table& table = report.table("Each stage alone", {{"H2D", "ms"}, {"kernel", "ms"}, {"rounds"}, {"D2H", "ms"}});
    table.row({sweep.h2d_ms(), sweep.kernel_ms(), sweep.rounds(), sweep.d2h_ms()});
}

double speedup_at(const std::vector<Point>& points, unsigned streams, double chunk_mib) {
    for (const Point& point : points) {
        if (point.streams == streams && point.chunk_mib == chunk_mib) {
            return point.speedup();
        }
    }
    return 0;
}

void report_points(Report& report, const Options& options, const std::vector<Point>& points) {
    Table& all = report.table("Serial and pipelined times, by number of streams and chunk size",
                              {{"streams"}, {"chunk", "MiB"}, {"serial", "ms"}, {"pipelined", "ms"}, {"speedup", "x"}},
                              Goes::to_file);
    for (const Point& point : points) {
        all.row({point.streams, point.chunk_mib, point.serial_ms, point.pipelined_ms, point.speedup()});
    }
    std::vector<Column> columns{{"chunk", "MiB"}};
    for (const unsigned streams : options.streams) {
        columns.push_back({std::to_string(streams)});
    }
    Table& matrix = report.table("Speedup over the serial version, by chunk size and number of streams", columns,
                                 Goes::to_terminal);
    for (const double chunk_mib : options.chunk_mib) {
        std::vector<Cell> row{chunk_mib};
        for (const unsigned streams : options.streams) {
            row.emplace_back(speedup_at(points, streams, chunk_mib));
        }
        matrix.row(std::move(row));
    }
}

// Judged at the chunk size that is best with four streams.
void report_claims(Report& report, const Options& options, const std::vector<Point>& points) {
    double chunk_mib = 0;
    for (const double candidate : options.chunk_mib) {
        if (speedup_at(points, 4, candidate) > speedup_at(points, 4, chunk_mib)) {
            chunk_mib = candidate;
        }
    }
    const auto at = [&](unsigned streams) { return speedup_at(points, streams, chunk_mib); };
    double best = 0, best_of_many = 0;
    for (const unsigned streams : options.streams) {
        best = std::max(best, at(streams));
        best_of_many = streams > 4 ? std::max(best_of_many, at(streams)) : best_of_many;
    }
    for (const unsigned needed : {1u, 2u, 3u, 4u, 16u}) {
        if (at(needed) == 0) {  // a sweep over other numbers of streams, asked for by hand, decides nothing
            return;
        }
    }
    report.claim("streams-over-chunks-are-faster", above(at(4) / at(1), 1.3), "4 streams: speed / that of 1");
    report.claim("one-stream-gains-nothing", below(at(1), 1.05), "1 stream: speedup over serial");
    for (const unsigned streams : {2u, 3u, 4u}) {
        for (const char* const id : {"two-to-four-streams", "two-to-four-streams-usually-best"}) {
            report.claim(id, above(at(streams) / best, 0.9), std::to_string(streams) + " streams: speed / best");
        }
    }
    report.claim("more-streams-gain-nothing", below(best_of_many / at(4), 1.1),
                 "more than 4 streams: speed / that of 4");
    report.claim("sixteen-streams-are-slower", below(at(16) / at(4), 0.95), "16 streams: speed / that of 4");
}

void measure(Report& report, Options options) {
    std::erase_if(options.chunk_mib,  // fewer than two chunks are no pipeline
                  [&](double chunk_mib) { return 2 * chunk_mib > static_cast<double>(options.total_mib); });
    const unsigned most_streams = *std::max_element(options.streams.begin(), options.streams.end());
    Sweep sweep(options.total_mib * mib, most_streams, options.repeats);
    sweep.calibrate();
    std::vector<Point> points;
    for (const double chunk_mib : options.chunk_mib) {
        for (const unsigned streams : options.streams) {
            points.push_back(sweep.measure(streams, chunk_mib));
        }
    }
    report_points(report, options, points);
    report_stages(report, sweep);
    report_claims(report, options, points);
}

}  // namespace

namespace {

// "1,2,3" as numbers. Throws when one is not above 0.
template <typename Number>
std::vector<Number> numbers(const char* text) {
    std::vector<Number> found;
    for (char* end = nullptr; found.empty() || *text == ','; text = end) {
        const double number = std::strtod(text + (found.empty() ? 0 : 1), &end);
        found.push_back(static_cast<Number>(number));
        if (number <= 0 || (*end != ',' && *end != '\0')) {
            throw std::runtime_error(std::string("expected numbers above 0, with commas between, found ") + text);
        }
    }
    return found;
}

Options options_from(int argc, char** argv) {
    constexpr option known[] = {{"total-mib", required_argument, nullptr, 't'},
                                {"streams", required_argument, nullptr, 's'},
                                {"chunk-mib", required_argument, nullptr, 'c'},
                                {"results", required_argument, nullptr, 'r'},
                                {}};
    Options options;
    for (int found = 0; (found = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        switch (found) {
            case 't':
                options.total_mib = numbers<std::size_t>(optarg).front();
                break;
            case 's':
                options.streams = numbers<unsigned>(optarg);
                break;
            case 'c':
                options.chunk_mib = numbers<double>(optarg);
                break;
            case 'r':
                options.results = optarg;
                break;
            default:
                throw std::runtime_error(
                    "usage: [--total-mib N] [--streams N,...] [--chunk-mib N,...] [--results FILE]");
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Options options = options_from(argc, argv);
        return run(options.results, [&](Report& report) { measure(report, options); });
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
