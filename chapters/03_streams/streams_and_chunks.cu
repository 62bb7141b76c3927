// Experiment: how many streams, and how large a chunk?
//
// The same work, 256 MiB in, a kernel that takes as long as that copy, 256 MiB out, first serial (one stream, one copy
// in, one kernel, one copy out), then pipelined for each number of streams and each chunk size. Prints the speedup over
// the serial version, and writes CSV. Both versions use pinned memory, and every result is compared.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/hooks.h"
#include "lab/lab.h"

namespace {

using lab::Element;

constexpr unsigned threads_per_block = 256;
constexpr std::size_t bytes_per_mib = 1024 * 1024;
constexpr double ns_per_ms = 1e6;

__global__ void process(const Element* input, Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
    }
}

struct FreePinned {
    void operator()(Element* memory) const { (void)cudaFreeHost(memory); }
};
struct FreeDevice {
    void operator()(Element* memory) const { (void)cudaFree(memory); }
};
struct DestroyStream {
    void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
};
using PinnedMemory = std::unique_ptr<Element[], FreePinned>;
using DeviceMemory = std::unique_ptr<Element[], FreeDevice>;
using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream>;

PinnedMemory pinned_memory(std::size_t elements) {
    Element* memory = nullptr;
    check(cudaMallocHost(&memory, elements * sizeof(Element)), "cudaMallocHost");
    return PinnedMemory(memory);
}

DeviceMemory device_memory(std::size_t elements) {
    Element* memory = nullptr;
    check(cudaMalloc(&memory, elements * sizeof(Element)), "cudaMalloc");
    return DeviceMemory(memory);
}

Stream make_stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return Stream(stream);
}

struct Options {
    std::size_t total_mib = 0;
    std::vector<unsigned> streams{1, 2, 3, 4, 8, 16, 32};
    std::vector<double> chunk_mib{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128};
    unsigned repeats = 0;
    std::string date = "not given";
    std::string csv;
};

// One point of the sweep.
struct Point {
    unsigned streams = 0;
    double chunk_mib = 0;
    double serial_ms = 0;
    double pipelined_ms = 0;

    double speedup() const { return serial_ms / pipelined_ms; }
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

class Experiment {
public:
    Experiment(std::size_t total_bytes, unsigned most_streams, unsigned repeats)
        : elements_(total_bytes / sizeof(Element)),
          repeats_(repeats),
          host_input_(pinned_memory(elements_)),
          host_output_(pinned_memory(elements_)),
          device_input_(device_memory(elements_)),
          device_output_(device_memory(elements_)) {
        for (unsigned i = 0; i < most_streams; ++i) {
            streams_.push_back(make_stream());
        }
        for (std::size_t i = 0; i < elements_; ++i) {
            host_input_[i] = static_cast<Element>(i) * 2654435761u;  // different in every element, hence in every chunk
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
        const auto chunk = static_cast<std::size_t>(chunk_mib * bytes_per_mib) / sizeof(Element);
        // The first run is compared in full; it also warms up.
        forget_results();
        const double first_ms = timed_ms(chunk, streams);
        compare();
        if (device_hooks_simulated()) {  // simulated time is the same every time: once is enough
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
        check(cudaMemcpyAsync(device_input_.get() + offset, host_input_.get() + offset, count * sizeof(Element),
                              cudaMemcpyHostToDevice, streams_[stream].get()),
              "cudaMemcpyAsync H2D");
    }

    void issue_kernel(std::size_t offset, std::size_t count, unsigned rounds, std::size_t stream) {
        const auto blocks = static_cast<unsigned>((count + threads_per_block - 1) / threads_per_block);
        process<<<blocks, threads_per_block, 0, streams_[stream].get()>>>(device_input_.get() + offset,
                                                                          device_output_.get() + offset, count, rounds);
        check(cudaGetLastError(), "process<<<>>>");
    }

    void issue_d2h(std::size_t offset, std::size_t count, std::size_t stream) {
        check(cudaMemcpyAsync(host_output_.get() + offset, device_output_.get() + offset, count * sizeof(Element),
                              cudaMemcpyDeviceToHost, streams_[stream].get()),
              "cudaMemcpyAsync D2H");
    }

    void wait(std::size_t streams) {
        for (std::size_t i = 0; i < streams; ++i) {
            check(cudaStreamSynchronize(streams_[i].get()), "cudaStreamSynchronize");
        }
    }

    // The median time of one stage alone over all elements.
    template <typename Issue>
    double stage_ms(Issue issue) {
        std::vector<double> times;
        for (unsigned i = 0; i < repeats_; ++i) {
            const std::uint64_t begin = device_hooks_clock_ns();
            issue();
            wait(1);
            times.push_back(static_cast<double>(device_hooks_clock_ns() - begin) / ns_per_ms);
        }
        return median(times);
    }

    // One run: chunks of `chunk` elements, dealt in turn to `streams` streams. One chunk in one stream is the serial
    // version.
    double timed_ms(std::size_t chunk, unsigned streams) {
        const std::uint64_t begin = device_hooks_clock_ns();
        std::size_t stream = 0;
        for (std::size_t offset = 0; offset < elements_; offset += chunk) {
            const std::size_t count = std::min(chunk, elements_ - offset);
            issue_h2d(offset, count, stream);
            issue_kernel(offset, count, rounds_, stream);
            issue_d2h(offset, count, stream);
            stream = (stream + 1) % streams;
        }
        wait(streams);
        return static_cast<double>(device_hooks_clock_ns() - begin) / ns_per_ms;
    }

    // So that a run that forgets a chunk cannot find the previous run's result.
    void forget_results() {
        std::memset(host_output_.get(), 0xA5, elements_ * sizeof(Element));
        check(cudaMemset(device_output_.get(), 0x5A, elements_ * sizeof(Element)), "cudaMemset");
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }

    // Keeps the serial version's output, after recomputing some of it on the host, step by step.
    void keep_reference() {
        const std::size_t step = std::max<std::size_t>(1, elements_ / 1000);
        for (std::size_t i = 0; i < elements_; i += step) {
            Element expected = host_input_[i];
            for (unsigned round = 0; round < rounds_; ++round) {
                expected = 1664525u * expected + 1013904223u;
            }
            if (host_output_[i] != expected) {
                throw std::runtime_error("the serial version computes a wrong value at element " + std::to_string(i));
            }
        }
        reference_.resize(elements_);
        std::memcpy(reference_.data(), host_output_.get(), elements_ * sizeof(Element));
    }

    void compare() const {
        if (std::memcmp(reference_.data(), host_output_.get(), elements_ * sizeof(Element)) != 0) {
            throw std::runtime_error("the pipelined version computes other values than the serial one");
        }
    }

    std::size_t elements_;
    unsigned repeats_;
    PinnedMemory host_input_, host_output_;
    DeviceMemory device_input_, device_output_;
    std::vector<Stream> streams_;  // destroyed before the memory that their work uses
    std::vector<Element> reference_;
    unsigned rounds_ = 0;
    double h2d_ms_ = 0, kernel_ms_ = 0, d2h_ms_ = 0, serial_ms_ = 0;
};

std::string device_name() {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    return properties.name;  // a simulated device says so in its name
}

void print_table(const Options& options, const std::vector<Point>& points) {
    std::printf("\nSpeedup over the serial version (x), by chunk size (MiB) and number of streams\n%9s", "chunk MiB");
    for (const unsigned streams : options.streams) {
        std::printf("%8u", streams);
    }
    double row = -1;
    for (const Point& point : points) {
        if (point.chunk_mib != row) {
            row = point.chunk_mib;
            std::printf("\n%9.2f", row);
        }
        std::printf("%8.2f", point.speedup());
    }
    std::printf("\n");
}

void write_csv(const Options& options, const std::vector<std::string>& facts, const std::vector<Point>& points) {
    std::ofstream file(options.csv);
    for (const std::string& fact : facts) {
        file << "# " << fact << '\n';
    }
    file << "streams,chunk_mib,serial_ms,pipelined_ms,speedup\n";
    for (const Point& point : points) {
        std::array<char, 128> line{};
        std::snprintf(line.data(), line.size(), "%u,%g,%.6f,%.6f,%.4f\n", point.streams, point.chunk_mib,
                      point.serial_ms, point.pipelined_ms, point.speedup());
        file << line.data();
    }
    file.close();
    if (!file) {
        throw std::runtime_error("cannot write " + options.csv);
    }
}

std::vector<std::string> facts_of(const Options& options, const Experiment& experiment) {
    std::array<char, 256> stages{};
    std::snprintf(stages.data(), stages.size(),
                  "each stage alone: H2D %.3f ms, kernel %.3f ms (%u rounds), D2H %.3f ms", experiment.h2d_ms(),
                  experiment.kernel_ms(), experiment.rounds(), experiment.d2h_ms());
    return {"device: " + device_name(), "date: " + options.date,
            "total: " + std::to_string(options.total_mib) + " MiB in, the same out; median of " +
                std::to_string(options.repeats) + (options.repeats == 1 ? " run" : " runs"),
            stages.data()};
}

void run(const Options& options) {
    const unsigned most_streams = *std::max_element(options.streams.begin(), options.streams.end());
    Experiment experiment(options.total_mib * bytes_per_mib, most_streams, options.repeats);
    experiment.calibrate();
    const std::vector<std::string> facts = facts_of(options, experiment);
    for (const std::string& fact : facts) {
        std::printf("%s\n", fact.c_str());
    }
    std::vector<Point> points;
    for (const double chunk_mib : options.chunk_mib) {
        if (2 * chunk_mib > static_cast<double>(options.total_mib)) {
            std::printf("chunks of %g MiB left out: fewer than two in the total\n", chunk_mib);
            continue;
        }
        for (const unsigned streams : options.streams) {
            points.push_back(experiment.measure(streams, chunk_mib));
        }
    }
    print_table(options, points);
    if (!options.csv.empty()) {
        write_csv(options, facts, points);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    // The simulated device runs every thread of every kernel on the CPU: less data, and one run, as all are equal.
    options.total_mib = device_hooks_simulated() ? 64 : 256;
    options.repeats = device_hooks_simulated() ? 1 : 15;

    CLI::App app{"Measures the speedup of a chunked pipeline by number of streams and by chunk size."};
    app.add_option("--total-mib", options.total_mib, "MiB copied in, and out")->check(CLI::Range(1, 16384));
    app.add_option("--streams", options.streams, "numbers of streams")->delimiter(',')->check(CLI::Range(1, 128));
    app.add_option("--chunk-mib", options.chunk_mib, "chunk sizes in MiB")
        ->delimiter(',')
        ->check(CLI::Range(0.0625, 4096.0));
    app.add_option("--repeats", options.repeats, "runs per point; the median counts")->check(CLI::Range(1, 101));
    app.add_option("--date", options.date, "the date to write into the CSV file");
    app.add_option("--csv", options.csv, "write the points to this file");

    try {
        app.parse(argc, argv);
        run(options);
    } catch (const CLI::ParseError& usage) {
        return app.exit(usage) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "streams_and_chunks: %s\n", error.what());
        return 2;
    }
    return 0;
}
