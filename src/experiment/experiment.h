// For the experiments in chapters/: a table of what was measured, claims with what decided them, memory that gives
// itself back, and timing. An experiment is one function and a main:
//
//   #include "experiment/experiment.h"
//
//   void measure(experiment::Report& report) {
//       experiment::Table& table = report.table("A title", {{"size", "KiB"}, {"call", "us"}});
//       table.row({64, 2.5});
//       report.claim("id-in-claims.json", experiment::below(2.5, 10), "time of the call, in us");
//   }
//   int main(int argc, char** argv) { return experiment::run(argc, argv, measure); }
//
// Runs on both devices. `--results FILE` writes everything as JSON too, which `./course experiment` reads.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lab/lab.h"

namespace experiment {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

// Whether this is built for the simulated device, whose time is virtual and the same in every run.
constexpr bool simulated() {
#ifdef __SIMULATED_DEVICE__
    return true;
#else
    return false;
#endif
}

// Sizes: the simulated device runs every thread of every kernel on the CPU, and wants fewer of them.
template <typename Value>
constexpr Value choose(Value on_simulated, Value on_gpu) {
    return simulated() ? on_simulated : on_gpu;
}

// Throws when a call failed, naming the line that made it.
inline void check(cudaError_t error, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + cudaGetErrorString(error));
    }
}

// ---- What is used and given back ----

// Memory of one of the three kinds, filled once so that its pages exist.
class Memory {
public:
    static Memory device(std::size_t bytes) {
        void* data = nullptr;
        check(cudaMalloc(&data, bytes));
        Memory memory(data, bytes, &free_device);
        check(cudaMemset(data, 0, bytes));
        check(cudaDeviceSynchronize());
        return memory;
    }
    static Memory pinned(std::size_t bytes, unsigned flags = cudaHostAllocDefault) {
        void* data = nullptr;
        check(cudaHostAlloc(&data, bytes, flags));
        std::memset(data, 1, bytes);
        return Memory(data, bytes, &free_pinned);
    }
    static Memory pageable(std::size_t bytes) {
        void* const data = std::malloc(bytes);
        if (data == nullptr) {
            throw std::runtime_error("expected " + std::to_string(bytes) + " bytes of host memory, found none");
        }
        std::memset(data, 1, bytes);
        return Memory(data, bytes, &std::free);
    }

    Memory(Memory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), give_back_(other.give_back_) {}
    Memory& operator=(Memory&&) = delete;
    ~Memory() {
        if (data_ != nullptr) {
            give_back_(data_);
        }
    }

    template <typename Element = unsigned char>
    Element* data() const {
        return static_cast<Element*>(data_);
    }
    std::size_t bytes() const { return bytes_; }

private:
    using GiveBack = void (*)(void*);
    Memory(void* data, std::size_t bytes, GiveBack give_back) : data_(data), bytes_(bytes), give_back_(give_back) {}
    static void free_device(void* data) { (void)cudaFree(data); }
    static void free_pinned(void* data) { (void)cudaFreeHost(data); }

    void* data_;
    std::size_t bytes_;
    GiveBack give_back_;
};

class Stream {
public:
    explicit Stream(unsigned flags = cudaStreamNonBlocking) { check(cudaStreamCreateWithFlags(&stream_, flags)); }
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    Stream& operator=(Stream&&) = delete;
    ~Stream() {
        if (stream_ != nullptr) {
            (void)cudaStreamDestroy(stream_);
        }
    }

    operator cudaStream_t() const { return stream_; }
    void wait() const { check(cudaStreamSynchronize(stream_)); }

private:
    cudaStream_t stream_ = nullptr;
};

class Event {
public:
    explicit Event(unsigned flags = cudaEventDefault) { check(cudaEventCreateWithFlags(&event_, flags)); }
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&&) = delete;
    ~Event() {
        if (event_ != nullptr) {
            (void)cudaEventDestroy(event_);
        }
    }

    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

// ---- Timing ----

using Clock = std::chrono::steady_clock;  // virtual on the simulated device

// Host time of `work`, in microseconds.
template <typename Work>
double host_us(Work work) {
    const auto begin = Clock::now();
    work();
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// Device time from what `work` puts into `stream`, in microseconds: from one event to another.
template <typename Work>
double event_us(cudaStream_t stream, Work work) {
    const Event begin, end;
    check(cudaEventRecord(begin, stream));
    work();
    check(cudaEventRecord(end, stream));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    return static_cast<double>(milliseconds) * 1000;
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.at(values.size() / 2);
}

// How often to measure. Simulated time is the same every time.
constexpr int repeats() {
    return choose(1, 9);
}

// The median of what `once` returns. On a GPU after a run that does not count: it loads kernels and touches new pages.
template <typename Once>
double median_of(Once once) {
    if (!simulated()) {
        (void)once();
    }
    std::vector<double> values;
    for (int i = 0; i < repeats(); ++i) {
        values.push_back(once());
    }
    return median(std::move(values));
}

// How long a call kept the host, and how long it took until its work was done; medians, in microseconds.
struct CallAndWhole {
    double call_us = 0;
    double whole_us = 0;

    double share() const { return call_us / whole_us; }
};

template <typename Issue, typename Wait>
CallAndWhole time_call_and_whole(Issue issue, Wait wait) {
    std::vector<double> calls, wholes;
    for (int i = 0; i <= repeats(); ++i) {
        const auto begin = Clock::now();
        issue();
        const auto returned = Clock::now();
        wait();
        const auto done = Clock::now();
        if (i > 0) {  // the first run loads kernels and touches new pages
            calls.push_back(std::chrono::duration<double, std::micro>(returned - begin).count());
            wholes.push_back(std::chrono::duration<double, std::micro>(done - begin).count());
        }
    }
    return {median(std::move(calls)), median(std::move(wholes))};
}

// Keeps the host busy for so long. Reading the simulated device's clock takes time too, so this ends there as well.
inline void work_on_host(double us) {
    const auto end = Clock::now() + std::chrono::duration<double, std::micro>(us);
    while (Clock::now() < end) {
    }
}

// Bytes in microseconds, as GB/s (10^9 bytes).
inline double gb_per_s(std::size_t bytes, double us) {
    return static_cast<double>(bytes) / us / 1000;
}

// ---- A kernel of a chosen length ----

// One block: it leaves room for other kernels beside it, and touches no memory.
static __global__ void keep_busy(unsigned rounds, lab::Element* kept) {
    const lab::Element result = lab::work(threadIdx.x, rounds);
    if (kept != nullptr) {  // never, but the compiler leaves out work whose result goes nowhere
        kept[threadIdx.x] = result;
    }
}

class BusyKernel {
public:
    // Measures how long a round takes on this device, and takes as many as last `wanted_us`.
    explicit BusyKernel(double wanted_us) {
        constexpr unsigned few = 16384, many = 131072;
        const double few_us = time(few), many_us = time(many);
        const double us_per_round = (many_us - few_us) / (many - few);
        if (us_per_round <= 0) {
            throw std::runtime_error("expected a kernel to take longer with more rounds, found that it does not");
        }
        rounds_ = static_cast<unsigned>(std::max(1.0, few + (wanted_us - few_us) / us_per_round));
        us_ = time(rounds_);
    }

    void launch(cudaStream_t stream = nullptr) const {
        keep_busy<<<1, 32, 0, stream>>>(rounds_, nullptr);
        check(cudaGetLastError());
    }

    double us() const { return us_; }  // as measured with events

private:
    static double time(unsigned rounds) {
        const Stream stream;
        return median_of([&] {
            return event_us(stream, [&] {
                keep_busy<<<1, 32, 0, stream>>>(rounds, nullptr);
                check(cudaGetLastError());
            });
        });
    }

    unsigned rounds_ = 0;
    double us_ = 0;
};

// ---- The report ----

enum class Verdict { no, yes, cannot_be_shown };

// What decided: a figure and the threshold it was held against, or a reason why this device cannot show it.
struct Finding {
    Verdict verdict = Verdict::no;
    std::string decided_by;
};

// A number as people read it: about three digits.
inline std::string shown(double value) {
    char text[64];
    const double size = std::fabs(value);
    const bool whole = value == std::floor(value) && size < 1e12;
    const char* const format = whole || size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3g";
    std::snprintf(text, sizeof text, format, value);
    return text;
}

inline Finding above(double figure, double threshold) {
    const bool holds = figure > threshold;
    return {holds ? Verdict::yes : Verdict::no, shown(figure) + (holds ? " > " : " <= ") + shown(threshold)};
}
inline Finding below(double figure, double threshold) {
    const bool holds = figure < threshold;
    return {holds ? Verdict::yes : Verdict::no, shown(figure) + (holds ? " < " : " >= ") + shown(threshold)};
}
inline Finding holds(bool condition) {
    return {condition ? Verdict::yes : Verdict::no, condition ? "yes" : "no"};
}
inline Finding not_on_this_device(const std::string& reason) {
    return {Verdict::cannot_be_shown, reason};
}

struct Column {
    std::string name;
    std::string unit = "";  // in ASCII: us, ms, KiB, MiB, GB/s, x, %
};

struct Cell {
    Cell(double value) : number(value) {}
    Cell(int value) : number(value) {}
    Cell(unsigned value) : number(value) {}
    Cell(std::size_t value) : number(static_cast<double>(value)) {}
    Cell(const char* value) : text(value) {}
    Cell(std::string value) : text(std::move(value)) {}

    double number = 0;
    std::string text;  // instead of the number when not empty
};

// Where a table goes: to the terminal, into the CSV file, or both.
enum class Goes { everywhere, to_terminal, to_file };

class Table {
public:
    Table(std::string title, std::vector<Column> columns, Goes goes)
        : title_(std::move(title)), columns_(std::move(columns)), goes_(goes) {}

    void row(std::vector<Cell> cells) {
        if (cells.size() != columns_.size()) {
            throw std::logic_error("expected " + std::to_string(columns_.size()) + " cells in a row of \"" + title_ +
                                   "\", found " + std::to_string(cells.size()));
        }
        rows_.push_back(std::move(cells));
    }

private:
    friend class Report;
    std::string title_;
    std::vector<Column> columns_;
    Goes goes_;
    std::vector<std::vector<Cell>> rows_;
};

class Report {
public:
    // The table stays where it is: rows may be added as long as the report lives.
    Table& table(std::string title, std::vector<Column> columns, Goes goes = Goes::everywhere) {
        tables_.emplace_back(std::move(title), std::move(columns), goes);
        return tables_.back();
    }

    // A finding on the statement `id` of the chapter's claims.json; `seen` names the figure. Several findings on one
    // statement make it true when all hold, half true when some do.
    void claim(const std::string& id, Finding finding, const std::string& seen) {
        findings_.push_back({id, std::move(finding), seen});
    }

    void print(bool with_claims) const {
        for (const Table& table : tables_) {
            if (table.goes_ != Goes::to_file) {
                print(table);
            }
        }
        for (const Seen& seen : findings_) {
            if (with_claims) {
                std::printf("%s: %s: %s: %s\n", seen.id.c_str(), name(seen.finding.verdict), seen.what.c_str(),
                            seen.finding.decided_by.c_str());
            }
        }
    }

    // Writes the JSON file that `./course experiment` reads. By hand: a JSON library costs every experiment seconds of
    // compiling, and here it is only written.
    void write(const std::string& path) const {
        std::string out = "{\n" + device_facts();
        out += "  \"tables\": [";
        const char* before = "\n";
        for (const Table& table : tables_) {
            if (table.goes_ != Goes::to_terminal) {
                out += before + in_json(table);
                before = ",\n";
            }
        }
        out += "\n  ],\n  \"findings\": [";
        before = "\n";
        for (const Seen& seen : findings_) {
            out += before + ("    {\"claim\": " + quoted(seen.id)) +
                   ", \"verdict\": " + quoted(name(seen.finding.verdict)) + ", \"seen\": " + quoted(seen.what) +
                   ", \"decided_by\": " + quoted(seen.finding.decided_by) + "}";
            before = ",\n";
        }
        out += "\n  ]\n}\n";
        std::FILE* const file = std::fopen(path.c_str(), "w");
        const bool written = file != nullptr && std::fputs(out.c_str(), file) >= 0;
        const bool closed = file != nullptr && std::fclose(file) == 0;
        if (!written || !closed) {
            throw std::runtime_error("cannot write " + path);
        }
    }

private:
    struct Seen {
        std::string id;
        Finding finding;
        std::string what;
    };

    static const char* name(Verdict verdict) {
        return verdict == Verdict::yes ? "holds" : verdict == Verdict::no ? "does not hold" : "cannot be shown here";
    }

    static std::string heading(const Column& column) {
        return column.unit.empty() ? column.name : column.name + " (" + column.unit + ")";
    }

    static std::string in_cell(const Cell& cell) { return cell.text.empty() ? shown(cell.number) : cell.text; }

    static void print(const Table& table) {
        std::printf("\n%s%s\n", table.title_.c_str(), simulated() ? " (simulated)" : "");
        std::vector<std::size_t> widths;
        for (std::size_t i = 0; i < table.columns_.size(); ++i) {
            std::size_t width = heading(table.columns_[i]).size();
            for (const auto& row : table.rows_) {
                width = std::max(width, in_cell(row[i]).size());
            }
            widths.push_back(width);
            std::printf("%s%*s", i == 0 ? "" : "  ", static_cast<int>(width), heading(table.columns_[i]).c_str());
        }
        std::printf("\n");
        for (const auto& row : table.rows_) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                std::printf("%s%*s", i == 0 ? "" : "  ", static_cast<int>(widths[i]), in_cell(row[i]).c_str());
            }
            std::printf("\n");
        }
    }

    static std::string quoted(const std::string& text) {
        std::string out = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') {
                out += '\\';
            }
            out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        }
        return out + "\"";
    }

    static std::string in_json(const Cell& cell) {
        if (!cell.text.empty()) {
            return quoted(cell.text);
        }
        char number[32];
        std::snprintf(number, sizeof number, "%.7g", cell.number);
        return std::isfinite(cell.number) ? number : "null";
    }

    static std::string in_json(const Table& table) {
        std::string out = "    {\"title\": " + quoted(table.title_) + ",\n     \"columns\": [";
        const char* before = "";
        for (const Column& column : table.columns_) {
            out += before + ("{\"name\": " + quoted(column.name)) + ", \"unit\": " + quoted(column.unit) + "}";
            before = ", ";
        }
        out += "],\n     \"rows\": [";
        before = "\n      [";
        for (const auto& row : table.rows_) {
            for (const Cell& cell : row) {
                out += before + in_json(cell);
                before = ", ";
            }
            out += "]";
            before = ",\n      [";
        }
        return out + "]}";
    }

    static std::string version(int number) {  // 13000 is 13.0
        return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
    }

    // "580.159.04": the first word with two dots that the driver says of itself; otherwise the CUDA version it
    // supports.
    static std::string driver() {
        int supported = 0;
        check(cudaDriverGetVersion(&supported));
        char line[512] = "";
        std::FILE* const file = simulated() ? nullptr : std::fopen("/proc/driver/nvidia/version", "r");
        if (file != nullptr) {
            if (std::fgets(line, sizeof line, file) == nullptr) {
                line[0] = '\0';
            }
            std::fclose(file);
        }
        for (char* word = std::strtok(line, " \n"); word != nullptr; word = std::strtok(nullptr, " \n")) {
            if (std::strspn(word, "0123456789.") == std::strlen(word) && std::strchr(word, '.') != nullptr) {
                return word;
            }
        }
        return "CUDA " + version(supported);
    }

    static std::string device_facts() {
        int device = 0, runtime = 0;
        check(cudaGetDevice(&device));
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, device));
        check(cudaRuntimeGetVersion(&runtime));
        char date[16] = "";
        const std::time_t now = std::time(nullptr);
        std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
        return "  \"device\": " + quoted(properties.name) + ",\n  \"simulated\": " + (simulated() ? "true" : "false") +
               ",\n  \"copy_engines\": " + std::to_string(properties.asyncEngineCount) +
               ",\n  \"driver\": " + quoted(driver()) + ",\n  \"toolkit\": " + quoted(version(runtime)) +
               ",\n  \"date\": " + quoted(date) + ",\n";
    }

    std::deque<Table> tables_;
    std::vector<Seen> findings_;
};

// Measures, prints the tables and, unless `./course experiment` takes them from `results_file`, what was found.
// Returns the status of the program: 0, or 2 when it could not be measured.
template <typename Measure>
int run(const std::string& results_file, Measure measure) {
    try {
        Report report;
        measure(report);
        report.print(results_file.empty());
        if (!results_file.empty()) {
            report.write(results_file);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}

// The same for a program whose only option is --results FILE.
template <typename Measure>
int run(int argc, char** argv, Measure measure) {
    const bool with_results = argc == 3 && std::strcmp(argv[1], "--results") == 0;
    if (argc != 1 && !with_results) {
        std::fprintf(stderr, "usage: %s [--results FILE]\n", argv[0]);
        return 2;
    }
    return run(std::string(with_results ? argv[2] : ""), measure);
}

}  // namespace experiment
