// Two ways to run a program: one step after the other, and on a simulated device.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "generated/program.hpp"
#include "simulator/simulated_device.hpp"

namespace simulator::generated {

using Buffer = std::array<unsigned char, buffer_bytes>;

// Each step in order of issue.
class Reference {
public:
    explicit Reference(const Program& program) : bodies_(program.bodies) {}

    void run(const Step& step);

    const Buffer& buffer(unsigned index) const { return memory_[index]; }

private:
    const std::vector<Steps>& bodies_;
    std::vector<Buffer> memory_ = std::vector<Buffer>(buffers, Buffer{});
};

class Simulation {
public:
    // A new device whose streams, events and memory are those of the program, with its graphs captured.
    Simulation(const device::Profile& profile, const Program& program);
    ~Simulation();
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    // `reads_right`, where given, is what the host must read.
    void run(const Step& step, const Reference* reads_right = nullptr);

    const std::vector<device::Finding>& finish();

    // The first byte in which the program's memory, or what its host code has read, is not as it should be.
    std::optional<std::string> wrong_data(const Reference& right);

private:
    class Kernel;

    void capture(const Steps& body);
    void run_in(Stream& stream, const Step& step);
    void copy(Stream& stream, const Step& step, bool asynchronous);
    void fill(Stream& stream, const Step& step, bool asynchronous);
    void compare(const Bytes& bytes, const Reference& right);
    void access_on_host(const Step& step, const Reference* reads_right);
    void run_host_function(const Step& step) const;
    void* allocate(MemoryKind kind, std::size_t bytes);
    const char* name(const Step& step);

    unsigned char* begin(unsigned buffer) const { return memory_[buffer]; }
    Rows rows(const Bytes& bytes) const {
        return {begin(bytes.buffer) + bytes.begin, bytes.pitch, bytes.width, bytes.height};
    }
    std::vector<unsigned char> values(const Bytes& bytes) const;
    void put(const Bytes& bytes, const std::vector<unsigned char>& values) const;

    std::vector<unsigned char> ordinary_memory_;
    SimulatedDevice device_;
    std::array<unsigned char*, buffers> memory_{};
    bool registered_ = false;
    std::array<cudaStream_t, streams> streams_{};
    std::array<cudaEvent_t, events> events_{};
    std::vector<cudaGraphExec_t> graphs_;
    std::deque<std::string> names_;
    std::optional<std::string> wrong_data_;
};

}  // namespace simulator::generated
