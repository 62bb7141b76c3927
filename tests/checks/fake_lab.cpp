// A lab program without a device, for testing the checks: it speaks the protocol, computes on the CPU, and misbehaves
// as the environment variable FAKE_LAB says.
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "device/environment.hpp"
#include "device/trace.hpp"
#include "protocol/channel.hpp"
#include "protocol/messages.hpp"
#include "protocol/reference_work.hpp"
#include "protocol/shared_memory.hpp"

namespace {

using protocol::Action;
using protocol::Reply;
using protocol::Request;

std::string mode() {
    const char* text = std::getenv("FAKE_LAB");
    return text == nullptr ? "" : text;
}

int number_in(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? -1 : std::atoi(text);
}

[[noreturn]] void hang() {
    for (;;) {
        ::pause();
    }
}

class FakeLab {
public:
    FakeLab()
        : mode_(mode()),
          socket_(number_in(device::environment::control_fd)),
          memory_(protocol::SharedMemory::open(protocol::Descriptor(number_in(device::environment::memory_fd)))) {}

    int serve() {
        Request request;
        while (protocol::receive(socket_, request).whole) {
            Reply reply;
            reply.action = request.action;
            reply.nonce = request.nonce;
            reply.simulated = 1;
            act(request, reply);
            answer(reply);
            if (request.action == Action::quit) {
                return finish();
            }
        }
        return 1;
    }

private:
    void act(const Request& request, Reply& reply) {
        switch (request.action) {
            case Action::prepare:
                prepare(request, reply);
                break;
            case Action::refill:
                inputs_ = inputs(request);
                break;
            case Action::run:
                run(reply);
                break;
            case Action::collect:
                collect(request);
                break;
            case Action::release:
                call(reply);
                break;
            case Action::fail_call:
                arm(request, reply);
                break;
            case Action::measure:
                measure(reply);
                break;
            case Action::measure_stages:
                reply.stage_ms[0] = 1.5F;
                reply.stage_ms[1] = 2.5F;
                reply.stage_ms[2] = 3.5F;
                break;
            default:
                break;
        }
    }

    void measure(Reply& reply) const {
        if (mode_ == "no_device") {
            reply.status = protocol::Status::refused;
            reply.refusal = protocol::Refusal::device_error;
        }
    }

    void prepare(const Request& request, Reply& reply) {
        problem_ = request.problem;
        inputs_ = inputs(request);
        if (mode_ == "over_budget") {
            fail(reply);
            reply.refused_device_bytes = 4096;
        }
        if (call(reply) && call(reply) && mode_ == "no_output") {
            reply.status = protocol::Status::refused;
            reply.refusal = protocol::Refusal::no_host_output;
        }
    }

    void run(Reply& reply) {
        misbehave(reply);
        for (int i = 0; i < (mode_ == "many_calls" ? 600 : 3) && call(reply); ++i) {
        }
        compute();
        reply.host_work_ns = problem_.host_work_ns;
        reply.reported_ms = 0.25F;
        reply.elapsed_ns = mode_ == "wrong_clock" ? 10 : 1000;
        previous_ = inputs_;
    }

    void misbehave(Reply& reply) {
        if (mode_ == "crash") {
            std::raise(SIGSEGV);
        } else if (mode_ == "fake_pass") {
            std::printf("[  PASSED  ] all tests\n");
            std::exit(0);
        } else if (mode_ == "hang") {
            hang();
        } else if (mode_ == "prints_for_ever") {
            for (;;) {
                std::puts("still busy");
            }
        } else if (mode_ == "error") {
            fail(reply);
        }
    }

    // One CUDA call that can fail; false when it did, and the program noticed.
    bool call(Reply& reply) {
        ++calls_ever_;
        if (++calls_ != failing_) {
            return reply.status == protocol::Status::ok;
        }
        injected_.push_back({"injected_failure",
                             device::Severity::warning,
                             {"lab.cu", static_cast<int>(100 + calls_)},
                             {},
                             {{"call", "cudaMemcpyAsync"}, {"n", std::to_string(calls_)}}});
        if (mode_ == "crashes_after_error") {
            std::abort();
        }
        if (mode_ == "hangs_after_error") {
            hang();
        }
        leaked_ = leaked_ || mode_ == "leaks_after_error";
        if (mode_ == "ignores_errors" && calls_ == 4) {
            return true;
        }
        fail(reply);
        return false;
    }

    static void fail(Reply& reply) {
        reply.status = protocol::Status::student_error;
        reply.error_code = 2;
        std::strcpy(reply.error_name, "cudaErrorMemoryAllocation");
    }

    void arm(const Request& request, Reply& reply) {
        reply.calls = calls_;
        calls_ = 0;
        failing_ = request.fail_call;
    }

    std::vector<std::uint32_t> inputs(const Request& request) const {
        const auto* first = reinterpret_cast<const std::uint32_t*>(memory_.data() + request.problem.input_offset);
        return {first, first + request.problem.elements};
    }

    void compute() {
        const auto work = [this](std::uint32_t value) { return protocol::reference_work(value, problem_.rounds); };
        const std::size_t n = inputs_.size();
        const std::size_t chunk = problem_.chunk_elements;
        outputs_.assign(n, protocol::poison);
        for (std::size_t i = 0; i < n; ++i) {
            if (mode_ == "never_written" || (mode_ == "partly_unwritten" && i % 4 == 3) ||
                (mode_ == "last_chunk" && i >= n / chunk * chunk)) {
                continue;
            }
            const std::size_t from = mode_ == "offset" ? (i + chunk) % n : i;
            outputs_[i] = mode_ == "copies" ? inputs_[i] : work(inputs_[from]);
            if (mode_ == "wrong" && i == 5) {
                outputs_[i] += 1;
            }
            if (mode_ == "stale" && !previous_.empty()) {
                outputs_[i] = work(previous_[i]);
            }
        }
    }

    void collect(const Request& request) const {
        std::memcpy(memory_.data() + request.problem.output_offset, outputs_.data(),
                    outputs_.size() * sizeof outputs_[0]);
    }

    void answer(Reply reply) const {
        if (reply.action == Action::prepare && mode_ == "early_reply") {
            protocol::send(socket_, reply);
            reply.action = Action::run;  // the answer to the next question, before it is asked
        }
        if (reply.action == Action::run && mode_ == "wrong_nonce") {
            ++reply.nonce;
        }
        if (reply.action == Action::run && mode_ == "wrong_size") {
            ::send(socket_, &reply, 10, MSG_NOSIGNAL);
            return;
        }
        protocol::send(socket_, reply);
    }

    int finish() const {
        if (mode_ == "hang_at_exit") {
            hang();
        }
        if (mode_ == "many_calls" && calls_ever_ > 110'000) {
            std::abort();  // stands for a trace that cannot be written in time
        }
        const char* file = std::getenv(device::environment::trace_file);
        if (file != nullptr) {
            device::Trace trace;
            trace.simulated = true;
            trace.ranges.push_back({"run", {}, std::chrono::nanoseconds(1000)});
            trace.findings = injected_;
            if (leaked_) {
                trace.findings.push_back({"leaked_stream", device::Severity::error, {"lab.cu", 7}, {}, {}});
            }
            device::write_trace(file, trace);
        }
        return 0;
    }

    std::string mode_;
    int socket_;
    protocol::SharedMemory memory_;
    protocol::Problem problem_;
    std::vector<std::uint32_t> inputs_;
    std::vector<std::uint32_t> previous_;
    std::vector<std::uint32_t> outputs_;
    std::uint64_t calls_ = 0;
    std::uint64_t calls_ever_ = 0;
    std::uint64_t failing_ = 0;
    bool leaked_ = false;
    std::vector<device::Finding> injected_;
};

}  // namespace

int main() {
    return FakeLab().serve();
}
