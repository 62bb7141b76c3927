// The part of every lab program that is not the student's: serves the check program's requests one after the other.
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "device/environment.hpp"
#include "device/hooks.h"
#include "lab/harness_interface.h"
#include "lab/problem_session.hpp"
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

void store_name(char (&destination)[64], const char* name) {
    std::snprintf(destination, sizeof destination, "%s", name == nullptr ? "" : name);
}

class Server {
public:
    Server(const Adapter& adapter, int socket, protocol::SharedMemory memory)
        : adapter_(adapter), socket_(socket), memory_(std::move(memory)) {}

    int serve() {
        Request request;
        for (;;) {
            if (device_hooks_simulated() == 0) {  // times are taken around the next request
                protocol::spin_for_message(socket_, std::chrono::milliseconds(200));
            }
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
        // Else the first call of a function starts at the moment at which the function before it ended: in both.
        device_hooks_host_work_ns(1);
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
            case Action::measure_stages:
                return measure_stages();
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
        session_.emplace(adapter_, problem);
        device_bytes_ = problem.device_bytes;
        Reply reply = with_refused_bytes(from(session_->allocate()));
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
        session_->fill(memory_.data() + problem.input_offset, memory_.data() + problem.output_offset);
        return {};
    }

    Reply run() {
        if (!session_) {
            return refuse(Refusal::out_of_order);
        }
        const std::uint64_t begin = device_hooks_clock_ns();
        const Outcome outcome = session_->run();
        const std::uint64_t end = device_hooks_clock_ns();
        Reply reply = session_->host().asked_outside_data() ? refuse(Refusal::outside_data)
                                                            : with_refused_bytes(from(outcome));
        reply.elapsed_ns = end - begin;
        reply.host_work_ns = session_->host().work_done_ns();
        reply.reported_ms = session_->reported_ms();
        return reply;
    }

    Reply measure_stages() {
        if (!session_) {
            return refuse(Refusal::out_of_order);
        }
        if (adapter_.measure_stages == nullptr) {
            return refuse(Refusal::not_supported);
        }
        adapter_.forget_errors();  // what run() did not look at must not be reported here
        StageTimes times;
        Reply reply = from(session_->measure_stages(times));
        reply.stage_ms[0] = times.h2d_ms;
        reply.stage_ms[1] = times.kernel_ms;
        reply.stage_ms[2] = times.d2h_ms;
        return reply;
    }

    // Only an error that the budget explains is blamed on it; who tries and does with less has done nothing wrong.
    Reply with_refused_bytes(Reply reply) const {
        reply.refused_device_bytes = device_hooks_memory_budget(device_bytes_);
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
                             result.kernel_ns,    result.h2d_pageable_ns, result.d2h_pageable_ns, result.host_copy_ns, result.rounds, result.copy_engines, {}};
        std::memcpy(reply.measurement.device, result.device, sizeof result.device);
        return reply;
    }

    const Adapter& adapter_;
    int socket_;
    protocol::SharedMemory memory_;
    std::optional<ProblemSession> session_;
    std::uint64_t device_bytes_ = 0;  // the budget of the prepared problem
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
