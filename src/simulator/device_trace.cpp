// What the simulated device tells: findings, leaks, and the trace file at exit.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "device/environment.hpp"
#include "simulator/ordering/call_sites.hpp"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/ordering/symbols.hpp"
#include "simulator/simulated_device.hpp"

namespace simulator {

void SimulatedDevice::add_finding(const char* kind, device::Severity severity, std::uintptr_t at,
                                  std::map<std::string, std::string> details) {
    device::Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.at = at == 0 ? device::SourceLine{} : source_line(at);
    finding.details = std::move(details);
    findings_.add(std::move(finding));
}

void SimulatedDevice::find_unchecked_errors() {
    for (const LaunchError& launch : unseen_launch_errors_) {
        add_finding("unchecked_error", device::Severity::error, launch.called_from,
                    {{"call", launch.kernel + "<<<...>>>"}, {"error", cudaGetErrorName(launch.error)}});
    }
    unseen_launch_errors_.clear();
}

void SimulatedDevice::find_leaks() {
    // Warnings: the system takes everything back at exit, and many correct programs rely on that.
    constexpr auto severity = device::Severity::warning;
    for (const auto& [begin, allocation] : memory_.live()) {
        const char* const kind = allocation.kind == MemoryKind::device    ? "leaked_device_memory"
                                 : allocation.kind == MemoryKind::managed ? "leaked_managed_memory"
                                                                          : "leaked_host_memory";
        add_finding(kind, severity, allocation.allocated_at, {{"bytes", std::to_string(allocation.bytes)}});
    }
    for (const auto& [number, stream] : stream_order_) {
        if (number != 0 && stream->alive && !stream->of_thread) {
            add_finding("leaked_stream", severity, stream->created_from);
        }
    }
    std::set<std::uintptr_t> graphs_created_from;
    for (const auto& [handle, graph] : graphs_) {
        graphs_created_from.insert(graph->created_from);
    }
    for (const auto& [handle, exec] : graph_execs_) {
        graphs_created_from.insert(exec->created_from);
    }
    for (const std::uintptr_t created_from : graphs_created_from) {
        add_finding("leaked_graph", severity, created_from);
    }
    std::set<std::uintptr_t> events_created_from;  // handles are addresses: their order is not the same every time
    for (const auto& [handle, event] : events_) {
        events_created_from.insert(event->created_from);
    }
    for (const std::uintptr_t created_from : events_created_from) {
        add_finding("leaked_event", severity, created_from);
    }
}

void SimulatedDevice::note_purpose(const Event& event) {
    if (event.orders_streams && !event.times && (event.flags & cudaEventDisableTiming) == 0) {
        timing_events_that_order_.insert(event.created_from);
    }
}

// Judged at the end: only then it is known that an event was never timed, and that a wait never had anything to wait
// for. (A wait that finds its event unrecorded in the first round of a loop and recorded later is a common pattern.)
void SimulatedDevice::find_misused_events() {
    for (const auto& [handle, event] : events_) {
        note_purpose(*event);
    }
    for (const std::uintptr_t created_from : timing_events_that_order_) {
        add_finding("timing_event_orders", device::Severity::warning, created_from);
    }
    for (const auto& [called_from, waits] : event_waits_) {
        if (!waits.found_work) {
            add_finding("waits_for_nothing", device::Severity::warning, called_from, {{"call", waits.call}});
        }
    }
}

device::Trace SimulatedDevice::trace() const {
    device::Trace trace;
    trace.device = profile_.device;
    trace.profile = profile_.name;
    trace.simulated = true;
    trace.copy_engines = profile_.copy_engines;
    for (const OperationRecord& record : operations_) {
        if (record.role != OperationRole::on_device) {
            continue;
        }
        trace.operations.push_back(record.operation);
        trace.operations.back().id = trace.operations.size();
        trace.operations.back().at = source_line(record.called_from);
    }
    for (const CallRecord& call : calls_) {
        trace.host_calls.push_back({call.name, call.start, call.end, source_line(call.called_from)});
    }
    trace.ranges = ranges_;
    trace.findings = findings_.all();
    return trace;
}

void SimulatedDevice::finish() {
    const RecordingPaused paused;
    begin_call();
    engine_.run_until_idle();
    checker_.report_unwritten_reads();
}

void SimulatedDevice::write_trace_file() const {
    const char* const file = std::getenv(device::environment::trace_file);
    if (file == nullptr) {
        return;
    }
    try {
        device::write_trace(file, trace());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
}

void SimulatedDevice::at_exit() {
    ::on_exit(
        [](int status, void*) {
            set_recorder(nullptr);
            SimulatedDevice& device = instance();
            device.finish();
            device.find_unchecked_errors();
            device.find_misused_events();
            device.find_leaks();
            device.write_trace_file();
            if (device.findings_.quiet()) {
                // Under a check nothing of the program runs once its trace is written.
                std::fflush(nullptr);
                std::_Exit(status);
            }
        },
        nullptr);
}

void SimulatedDevice::end_at_device_pointer(std::uintptr_t pc) {
    // A real machine stops here with a segmentation fault, so this does too; but first it says why.
    add_finding("device_pointer_on_host", device::Severity::error, users_return_address(pc));
    finish();
    end_with_signal(SIGSEGV);
}

void SimulatedDevice::end_at_assertion(const char* condition, std::uintptr_t called_from) {
    add_finding("device_assertion", device::Severity::error, called_from,
                {{"condition", condition}, {"block", text_of(blockIdx)}, {"thread", text_of(threadIdx)}});
    end_with_signal(SIGABRT);
}

void SimulatedDevice::end_with_signal(int signal) {
    write_trace_file();
    std::fflush(nullptr);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    std::_Exit(128 + signal);
}

}  // namespace simulator
