// The part of every lab program that is not the student's: serves the check program's requests one after the other.
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "device/environment.hpp"
#include "device/hooks.h"
#include "lab/harness_interface.h"
#include "protocol/channel.hpp"
#include "protocol/messages.hpp"
#include "protocol/shared_memory.hpp"

namespace lab::harness {
namespace {

using protocol::Action;
using protocol::Refusal;
using protocol::Reply;
using protocol::Request;
using protocol::Status;

// Names a stretch of host time in the trace for as long as it lives.
class TracedRange {
public:
    explicit TracedRange(const char* name) { device_hooks_range_begin(name); }
    ~TracedRange() { device_hooks_range_end(); }
    TracedRange(const TracedRange&) = delete;
    TracedRange& operator=(const TracedRange&) = delete;
};

void store_name(char (&destination)[64], const char* name) {
    std::snprintf(destination, sizeof destination, "%s", name == nullptr ? "" : name);
}

// The pipeline of one problem, from prepare to release.
class Session {
public:
    Session(const Adapter& adapter, const Problem& problem)
        : adapter_(&adapter), problem_(problem), self_(adapter.create()) {}
    ~Session() { adapter_->destroy(self_); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Outcome allocate() const {
        const TracedRange range("allocate");
        return adapter_->allocate(self_, problem_);
    }

    Outcome run() const {
        const TracedRange range("run");
        return adapter_->run(self_, problem_);
    }

    Outcome release() const {
        const TracedRange range("release");
        return adapter_->release(self_);
    }

    Refusal missing_buffer() const {
        if (problem_.elements == 0) {
            return Refusal::none;
        }
        if (adapter_->host_input(self_) == nullptr) {
            return Refusal::no_host_input;
        }
        return adapter_->host_output(self_) == nullptr ? Refusal::no_host_output : Refusal::none;
    }

    // Copies the inputs in, and poisons the outputs.
    void fill(const std::byte* inputs) const {
        if (bytes() == 0) {
            return;
        }
        Element* const input = adapter_->host_input(self_);
        Element* const output = adapter_->host_output(self_);
        device_hooks_host_writes(input, bytes(), "host_input");
        device_hooks_trusted_copy(input, inputs, bytes());
        device_hooks_host_writes(output, bytes(), "host_output");
        std::fill_n(output, problem_.elements, protocol::poison);
    }

    void collect(std::byte* outputs) const {
        if (bytes() == 0) {
            return;
        }
        const Element* const output = adapter_->host_output(self_);
        device_hooks_host_reads(output, bytes(), "host_output");
        device_hooks_trusted_copy(outputs, output, bytes());
    }

    std::size_t bytes() const { return problem_.elements * sizeof(Element); }

private:
    const Adapter* adapter_;
    Problem problem_;
    void* self_;
};

class Server {
public:
    Server(const Adapter& adapter, int socket, protocol::SharedMemory memory)
        : adapter_(adapter), socket_(socket), memory_(std::move(memory)) {}

    int serve() {
        Request request;
        for (;;) {
            if (!protocol::receive(socket_, request).whole || request.version != protocol::version) {
                return 1;  // the check program is gone, or not one of this version
            }
            Reply reply = answer(request);
            reply.action = request.action;
            reply.nonce = request.nonce;
            reply.simulated = static_cast<std::uint32_t>(device_hooks_simulated());
            if (!protocol::send(socket_, reply)) {
                return 1;
            }
            if (request.action == Action::quit) {
                return 0;
            }
        }
    }

private:
    Reply answer(const Request& request) {
        switch (request.action) {
            case Action::hello:
            case Action::quit:
                return {};
            case Action::prepare:
                return prepare(request.problem);
            case Action::refill:
                return refill(request.problem);
            case Action::run:
                return run();
            case Action::collect:
                return collect(request.problem);
            case Action::release:
                return release();
            case Action::fail_call:
                return fail_call(request.fail_call);
            case Action::measure:
                return measure(request.measure);
        }
        return refuse(Refusal::not_supported);
    }

    static Reply refuse(Refusal refusal) {
        Reply reply;
        reply.status = Status::refused;
        reply.refusal = refusal;
        return reply;
    }

    static Reply from(const Outcome& outcome) {
        Reply reply;
        reply.status = outcome.code == 0 ? Status::ok : Status::student_error;
        reply.error_code = outcome.code;
        store_name(reply.error_name, outcome.name);
        return reply;
    }

    bool within_memory(const protocol::Problem& problem) const {
        const std::size_t bytes = problem.elements * sizeof(Element);
        return memory_.contains(problem.input_offset, bytes) && memory_.contains(problem.output_offset, bytes);
    }

    Reply prepare(const protocol::Problem& problem) {
        if (session_) {
            return refuse(Refusal::out_of_order);
        }
        if (!within_memory(problem)) {
            return refuse(Refusal::out_of_bounds);
        }
        adapter_.forget_errors();
        session_.emplace(adapter_, Problem{problem.elements, problem.chunk_elements, problem.rounds});
        const Reply reply = from(session_->allocate());
        return reply.status == Status::ok ? refill(problem) : reply;
    }

    // Why `problem` cannot be carried between the shared memory and the pipeline's buffers; none: it can.
    Refusal reason_against(const protocol::Problem& problem) const {
        if (!session_) {
            return Refusal::out_of_order;
        }
        if (!within_memory(problem) || problem.elements * sizeof(Element) != session_->bytes()) {
            return Refusal::out_of_bounds;
        }
        return session_->missing_buffer();
    }

    Reply refill(const protocol::Problem& problem) {
        if (const Refusal refusal = reason_against(problem); refusal != Refusal::none) {
            return refuse(refusal);
        }
        session_->fill(memory_.data() + problem.input_offset);
        return {};
    }

    Reply run() {
        if (!session_) {
            return refuse(Refusal::out_of_order);
        }
        const std::uint64_t begin = device_hooks_clock_ns();
        const Outcome outcome = session_->run();
        const std::uint64_t end = device_hooks_clock_ns();
        Reply reply = from(outcome);
        reply.elapsed_ns = end - begin;
        return reply;
    }

    Reply collect(const protocol::Problem& problem) {
        if (const Refusal refusal = reason_against(problem); refusal != Refusal::none) {
            return refuse(refusal);
        }
        session_->collect(memory_.data() + problem.output_offset);
        return {};
    }

    Reply release() {
        if (!session_) {
            return refuse(Refusal::out_of_order);
        }
        const Reply reply = from(session_->release());
        session_.reset();
        return reply;
    }

    static Reply fail_call(std::uint64_t n) {
        Reply reply;
        reply.calls = device_hooks_fail_call(n);
        return reply;
    }

    Reply measure(const protocol::MeasureRequest& request) const {
        if (adapter_.calibrate == nullptr) {
            return refuse(Refusal::not_supported);
        }
        Measurement result{};
        const Outcome outcome = adapter_.calibrate(request.chunk_elements, request.rounds, result);
        if (outcome.code != 0) {
            Reply reply = refuse(Refusal::device_error);
            reply.error_code = outcome.code;
            store_name(reply.error_name, outcome.name);
            return reply;
        }
        Reply reply;
        reply.measurement = {result.h2d_alone_ns, result.d2h_alone_ns, result.h2d_both_ns, result.d2h_both_ns,
                             result.kernel_ns,    result.rounds,       result.copy_engines};
        std::memcpy(reply.measurement.device, result.device, sizeof result.device);
        return reply;
    }

    const Adapter& adapter_;
    int socket_;
    protocol::SharedMemory memory_;
    std::optional<Session> session_;
};

int descriptor_from(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? -1 : std::atoi(text);
}

}  // namespace

int serve(const Adapter& adapter) {
    const int control = descriptor_from(device::environment::control_fd);
    const int memory = descriptor_from(device::environment::memory_fd);
    if (control < 0 || memory < 0) {
        return run_by_hand(adapter);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // do not outlive the check program
    ::unsetenv(device::environment::control_fd);
    ::unsetenv(device::environment::memory_fd);
    return Server(adapter, control, protocol::SharedMemory::open(protocol::Descriptor(memory))).serve();
}

}  // namespace lab::harness
