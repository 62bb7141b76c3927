// A job in three stages for experiments: copy in, a kernel that takes as long as that copy, copy out. It is cut into
// pieces, and an experiment decides which stream does what and what waits.
#pragma once

#include "experiment/experiment.h"

namespace experiment {

// Thread t works on element t * step, with `rounds` steps of lab::work.
static __global__ void work_on_piece(const lab::Element* input, lab::Element* output, std::size_t elements,
                                     std::size_t step, unsigned rounds) {
    const std::size_t i = (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * step;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

// What lab::work gives, found in one jump: x -> a x + c, `rounds` times.
inline lab::Element worked(lab::Element value, unsigned rounds) {
    lab::Element factor = 1, sum = 0, a = 1664525u, c = 1013904223u;
    for (; rounds != 0; rounds /= 2) {
        if (rounds % 2 != 0) {
            factor *= a;
            sum = sum * a + c;
        }
        c += c * a;
        a *= a;
    }
    return factor * value + sum;
}

// Some of the elements: `first` and `count` in host memory, from `place` on in device memory.
struct Piece {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t place = 0;
};

enum class HostMemory { pinned, pageable };

class Job {
public:
    // The kernel over all of it takes `kernel_per_copy` times as long as the copy in from pinned memory.
    explicit Job(std::size_t bytes, HostMemory kind = HostMemory::pinned, double kernel_per_copy = 1)
        : elements_(bytes / sizeof(lab::Element)),
          host_input_(host_memory(bytes, kind)),
          host_output_(host_memory(bytes, kind)),
          device_input_(Memory::device(bytes)),
          device_output_(Memory::device(bytes)) {
        for (std::size_t i = 0; i < elements_; i += value_step()) {
            host_input_.data<lab::Element>()[i] = static_cast<lab::Element>(i) * 2654435761u;
        }
        choose_rounds(kernel_per_copy);
    }

    std::size_t bytes() const { return elements_ * sizeof(lab::Element); }
    double kernel_us() const { return kernel_us_; }  // over all of it, at once

    // Pieces of this size, each in a device buffer of its own; with `buffers` they take turns in so many.
    std::vector<Piece> pieces(std::size_t piece_bytes, std::size_t buffers = 0) const {
        const std::size_t most = piece_bytes / sizeof(lab::Element);
        std::vector<Piece> found;
        for (std::size_t first = 0; first < elements_; first += most) {
            const std::size_t place = buffers == 0 ? first : found.size() % buffers * most;
            found.push_back({first, std::min(most, elements_ - first), place});
        }
        return found;
    }

    void copy_in(const Piece& piece, cudaStream_t stream) const {
        check(cudaMemcpyAsync(device_input_.data<lab::Element>() + piece.place,
                              host_input_.data<lab::Element>() + piece.first, piece.count * sizeof(lab::Element),
                              cudaMemcpyHostToDevice, stream));
    }
    void compute(const Piece& piece, cudaStream_t stream) const { launch(piece, rounds_of(piece), stream); }
    void copy_out(const Piece& piece, cudaStream_t stream) const {
        check(cudaMemcpyAsync(host_output_.data<lab::Element>() + piece.first,
                              device_output_.data<lab::Element>() + piece.place, piece.count * sizeof(lab::Element),
                              cudaMemcpyDeviceToHost, stream));
    }

    // All three stages of all of it with synchronous copies.
    void run_synchronously() const {
        const Piece all = pieces(bytes()).front();
        check(cudaMemcpy(device_input_.data(), host_input_.data(), bytes(), cudaMemcpyHostToDevice));
        launch(all, rounds_of(all), nullptr);
        check(cudaMemcpy(host_output_.data(), device_output_.data(), bytes(), cudaMemcpyDeviceToHost));
    }

    // So that a run that leaves something out cannot find an earlier run's results.
    void forget_results() const {
        std::memset(host_output_.data(), 0xA5, host_output_.bytes());
        check(cudaMemset(device_output_.data(), 0x5A, device_output_.bytes()));
        check(cudaDeviceSynchronize());
    }

    // The share of right results after a run over these pieces, from 0 to 1.
    double right(const std::vector<Piece>& pieces) const {
        std::size_t looked_at = 0, right = 0;
        for (const Piece& piece : pieces) {
            const unsigned rounds = rounds_of(piece);
            for (std::size_t i = 0; i < piece.count; i += step_of(piece) * choose(1, 61)) {
                const std::size_t at = piece.first + i;
                ++looked_at;
                right += host_output_.data<lab::Element>()[at] == worked(host_input_.data<lab::Element>()[at], rounds)
                             ? 1
                             : 0;
            }
        }
        return static_cast<double>(right) / static_cast<double>(looked_at);
    }

private:
    static Memory host_memory(std::size_t bytes, HostMemory kind) {
        return kind == HostMemory::pinned ? Memory::pinned(bytes) : Memory::pageable(bytes);
    }

    // The simulated device runs every thread on the CPU: there 256 threads stand for a whole piece, and do so much
    // longer work.
    static std::size_t step_of(const Piece& piece) {
        return choose<std::size_t>(std::max<std::size_t>(1, piece.count / 256), 1);
    }
    static constexpr std::size_t value_step() { return choose<std::size_t>(64, 1); }
    unsigned rounds_of(const Piece& piece) const {
        return simulated()
                   ? static_cast<unsigned>(rounds_ * static_cast<double>(piece.count) / static_cast<double>(elements_))
                   : static_cast<unsigned>(rounds_);
    }

    void launch(const Piece& piece, unsigned rounds, cudaStream_t stream) const {
        const std::size_t step = step_of(piece);
        const auto blocks = static_cast<unsigned>(((piece.count + step - 1) / step + 255) / 256);
        work_on_piece<<<blocks, 256, 0, stream>>>(device_input_.data<lab::Element>() + piece.place,
                                                  device_output_.data<lab::Element>() + piece.place, piece.count, step,
                                                  rounds);
        check(cudaGetLastError());
    }

    double kernel_us(unsigned rounds) const {
        const Stream stream;
        return median_of([&] { return event_us(stream, [&] { launch(pieces(bytes()).front(), rounds, stream); }); });
    }

    void choose_rounds(double kernel_per_copy) {
        const std::size_t sample = std::min(bytes(), 16 * mib);
        const Memory pinned = Memory::pinned(sample);
        const Stream stream;
        const double sample_us = median_of([&] {
            return event_us(stream, [&] {
                check(cudaMemcpyAsync(device_input_.data(), pinned.data(), sample, cudaMemcpyHostToDevice, stream));
            });
        });
        const double wanted_us =
            kernel_per_copy * sample_us * static_cast<double>(bytes()) / static_cast<double>(sample);
        constexpr unsigned few = choose(16384, 256), many = choose(131072, 1024);
        const double few_us = kernel_us(few), many_us = kernel_us(many);
        const double us_per_round = (many_us - few_us) / (many - few);
        if (us_per_round <= 0) {
            throw std::runtime_error("expected a kernel to take longer with more rounds, found that it does not");
        }
        rounds_ = std::max(1.0, few + (wanted_us - few_us) / us_per_round);
        kernel_us_ = kernel_us(static_cast<unsigned>(rounds_));
    }

    std::size_t elements_;
    Memory host_input_, host_output_, device_input_, device_output_;
    double rounds_ = 0;  // of a kernel over all of it
    double kernel_us_ = 0;
};

inline std::vector<Stream> streams(std::size_t count) {
    std::vector<Stream> made;
    for (std::size_t i = 0; i < count; ++i) {
        made.emplace_back();
    }
    return made;
}

inline void wait_for(const std::vector<Stream>& streams) {
    for (const Stream& stream : streams) {
        stream.wait();
    }
}

// Each piece with all its stages in one stream; the streams take turns. With as many streams as buffers a buffer is
// used again in the order of its stream.
inline void run_in_turn(const Job& job, const std::vector<Piece>& pieces, const std::vector<Stream>& streams) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Stream& stream = streams[i % streams.size()];
        job.copy_in(pieces[i], stream);
        job.compute(pieces[i], stream);
        job.copy_out(pieces[i], stream);
    }
    wait_for(streams);
}

// A stream for each stage, joined by events; the pieces take turns in `buffers` device buffers.
class StageStreams {
public:
    enum class Reuse { waits, does_not_wait };

    explicit StageStreams(std::size_t buffers) {
        for (std::size_t i = 0; i < buffers; ++i) {
            copied_in_.emplace_back(cudaEventDisableTiming);
            computed_.emplace_back(cudaEventDisableTiming);
            copied_out_.emplace_back(cudaEventDisableTiming);
        }
    }

    void run(const Job& job, const std::vector<Piece>& pieces, Reuse reuse = Reuse::waits) const {
        const std::size_t buffers = computed_.size();
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const std::size_t buffer = i % buffers;
            const bool used_before = reuse == Reuse::waits && i >= buffers;
            if (used_before) {
                check(cudaStreamWaitEvent(in_, computed_[buffer], 0));  // the input was read
            }
            job.copy_in(pieces[i], in_);
            check(cudaEventRecord(copied_in_[buffer], in_));
            check(cudaStreamWaitEvent(kernels_, copied_in_[buffer], 0));
            if (used_before) {
                check(cudaStreamWaitEvent(kernels_, copied_out_[buffer], 0));  // the output was taken
            }
            job.compute(pieces[i], kernels_);
            check(cudaEventRecord(computed_[buffer], kernels_));
            check(cudaStreamWaitEvent(out_, computed_[buffer], 0));
            job.copy_out(pieces[i], out_);
            check(cudaEventRecord(copied_out_[buffer], out_));
        }
        for (const Stream* stream : {&in_, &kernels_, &out_}) {
            stream->wait();
        }
    }

private:
    Stream in_, kernels_, out_;
    std::vector<Event> copied_in_, computed_, copied_out_;
};

// The median time of a whole run, in microseconds, after one whose results have to be right.
template <typename Run>
double time_right_run(const Job& job, const std::vector<Piece>& pieces, Run run) {
    job.forget_results();
    const double first_us = host_us(run);
    if (job.right(pieces) != 1) {
        throw std::runtime_error("expected every result to be right, found only a share of " +
                                 shown(job.right(pieces)));
    }
    if (simulated()) {  // simulated time is the same every time
        return first_us;
    }
    std::vector<double> times;
    for (int i = 0; i < repeats(); ++i) {
        times.push_back(host_us(run));
    }
    return median(std::move(times));
}

}  // namespace experiment
