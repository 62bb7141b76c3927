// The trace as JSON: one operation, call, range or finding per line, so that two traces can be compared with diff.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "device/trace.hpp"

namespace device {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order in which members are written

constexpr std::string_view format_name = "keep-the-gpu-busy trace";
constexpr int format_version = 1;

template <typename Enum>
struct Name {
    Enum value;
    std::string_view name;
};

constexpr Name<OperationKind> operation_kinds[] = {
    {OperationKind::host_to_device, "host_to_device"},
    {OperationKind::device_to_host, "device_to_host"},
    {OperationKind::device_to_device, "device_to_device"},
    {OperationKind::host_to_host, "host_to_host"},
    {OperationKind::memset, "memset"},
    {OperationKind::kernel, "kernel"},
    {OperationKind::host_function, "host_function"},
};
constexpr Name<HostMemory> host_memories[] = {
    {HostMemory::none, "none"}, {HostMemory::pageable, "pageable"}, {HostMemory::pinned, "pinned"},
    {HostMemory::registered, "registered"}};
constexpr Name<Severity> severities[] = {{Severity::error, "error"}, {Severity::warning, "warning"}};

template <typename Enum, std::size_t count>
std::string name_of(const Name<Enum> (&names)[count], Enum value) {
    for (const auto& entry : names) {
        if (entry.value == value) {
            return std::string(entry.name);
        }
    }
    throw std::logic_error("a trace holds an enumerator that has no name: " + std::to_string(static_cast<int>(value)));
}

Json to_json(const SourceLine& at) {
    return at == SourceLine{} ? Json(nullptr) : Json{{"file", at.file}, {"line", at.line}};
}

Json to_json(const Operation& operation) {
    return {{"id", operation.id},
            {"kind", name_of(operation_kinds, operation.kind)},
            {"name", operation.name},
            {"stream", operation.stream},
            {"issued_ns", operation.issued.count()},
            {"start_ns", operation.start.count()},
            {"end_ns", operation.end.count()},
            {"bytes", operation.bytes},
            {"host_memory", name_of(host_memories, operation.host_memory)},
            {"asynchronous", operation.asynchronous},
            {"at", to_json(operation.at)}};
}

Json to_json(const HostCall& call) {
    return {
        {"name", call.name}, {"start_ns", call.start.count()}, {"end_ns", call.end.count()}, {"at", to_json(call.at)}};
}

Json to_json(const Range& range) {
    return {{"name", range.name}, {"start_ns", range.start.count()}, {"end_ns", range.end.count()}};
}

Json to_json(const Finding& finding) {
    Json details = Json::object();
    for (const auto& [name, value] : finding.details) {
        details[name] = value;
    }
    return {{"kind", finding.kind},
            {"severity", name_of(severities, finding.severity)},
            {"at", to_json(finding.at)},
            {"other", to_json(finding.other)},
            {"details", details}};
}

// Names come from programs and may hold any bytes; what is not UTF-8 is replaced instead of losing the whole trace.
std::string one_line(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write_member(std::ostream& out, std::string_view name, const Json& value) {
    out << "  " << one_line(Json(name)) << ": " << one_line(value) << ",\n";
}

template <typename Items>
void write_list(std::ostream& out, std::string_view name, const Items& items, std::string_view after) {
    out << "  " << one_line(Json(name)) << ": [";
    std::string_view separator = "\n    ";
    for (const auto& item : items) {
        out << separator << one_line(to_json(item));
        separator = ",\n    ";
    }
    out << (items.empty() ? "]" : "\n  ]") << after << '\n';
}

// A value of the file together with where it stands, so that every complaint names the file and the place.
class Node {
public:
    Node(const std::string& file, const Json& value, std::string path)
        : file_(&file), value_(&value), path_(std::move(path)) {}

    [[noreturn]] void fail(const std::string& expected) const { fail(expected, excerpt()); }

    [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
        throw std::runtime_error(*file_ + ": expected " + expected + (path_.empty() ? "" : " at " + path_) +
                                 ", found " + found);
    }

    Node member(const char* name) const {
        if (!value_->is_object()) {
            fail("an object");
        }
        const auto found = value_->find(name);
        if (found == value_->end()) {
            fail(std::string("a member \"") + name + "\"", "none");
        }
        return {*file_, *found, path_.empty() ? name : path_ + "." + name};
    }

    std::string string() const {
        if (!value_->is_string()) {
            fail("a string");
        }
        return value_->get<std::string>();
    }

    bool boolean() const {
        if (!value_->is_boolean()) {
            fail("true or false");
        }
        return value_->get<bool>();
    }

    template <typename Integer>
    Integer integer() const {
        const bool fits = value_->is_number_unsigned()
                              ? std::in_range<Integer>(value_->get<std::uint64_t>())
                              : value_->is_number_integer() && std::in_range<Integer>(value_->get<std::int64_t>());
        if (!fits) {
            fail("an integer from " + std::to_string(std::numeric_limits<Integer>::min()) + " to " +
                 std::to_string(std::numeric_limits<Integer>::max()));
        }
        return value_->get<Integer>();
    }

    std::chrono::nanoseconds nanoseconds() const { return std::chrono::nanoseconds(integer<std::int64_t>()); }

    template <typename Enum, std::size_t count>
    Enum one_of(const Name<Enum> (&names)[count]) const {
        std::string choices;
        for (const auto& entry : names) {
            if (value_->is_string() && value_->get_ref<const std::string&>() == entry.name) {
                return entry.value;
            }
            choices += (choices.empty() ? "\"" : ", \"") + std::string(entry.name) + "\"";
        }
        fail("one of " + choices);
    }

    SourceLine source_line() const {
        if (value_->is_null()) {
            return {};
        }
        return {member("file").string(), member("line").integer<int>()};
    }

    std::map<std::string, std::string> strings() const {
        if (!value_->is_object()) {
            fail("an object");
        }
        std::map<std::string, std::string> result;
        for (const auto& [name, value] : value_->items()) {
            result.emplace(name, Node(*file_, value, path_ + "." + name).string());
        }
        return result;
    }

    template <typename Item>
    std::vector<Item> list(Item (*read)(const Node&)) const {
        if (!value_->is_array()) {
            fail("an array");
        }
        std::vector<Item> result;
        result.reserve(value_->size());
        for (std::size_t index = 0; index < value_->size(); ++index) {
            result.push_back(read({*file_, (*value_)[index], path_ + "[" + std::to_string(index) + "]"}));
        }
        return result;
    }

private:
    std::string excerpt() const {
        constexpr std::size_t longest = 60;
        const std::string text = one_line(*value_);
        return text.size() <= longest ? text : text.substr(0, longest) + "...";
    }

    const std::string* file_;
    const Json* value_;
    std::string path_;
};

Operation read_operation(const Node& node) {
    return {.id = node.member("id").integer<std::uint64_t>(),
            .kind = node.member("kind").one_of(operation_kinds),
            .name = node.member("name").string(),
            .stream = node.member("stream").integer<std::uint32_t>(),
            .issued = node.member("issued_ns").nanoseconds(),
            .start = node.member("start_ns").nanoseconds(),
            .end = node.member("end_ns").nanoseconds(),
            .bytes = node.member("bytes").integer<std::uint64_t>(),
            .host_memory = node.member("host_memory").one_of(host_memories),
            .asynchronous = node.member("asynchronous").boolean(),
            .at = node.member("at").source_line()};
}

HostCall read_host_call(const Node& node) {
    return {.name = node.member("name").string(),
            .start = node.member("start_ns").nanoseconds(),
            .end = node.member("end_ns").nanoseconds(),
            .at = node.member("at").source_line()};
}

Range read_range(const Node& node) {
    return {.name = node.member("name").string(),
            .start = node.member("start_ns").nanoseconds(),
            .end = node.member("end_ns").nanoseconds()};
}

Finding read_finding(const Node& node) {
    return {.kind = node.member("kind").string(),
            .severity = node.member("severity").one_of(severities),
            .at = node.member("at").source_line(),
            .other = node.member("other").source_line(),
            .details = node.member("details").strings()};
}

void check_format(const Node& root) {
    const Node format = root.member("format");
    if (format.string() != format_name) {
        format.fail('"' + std::string(format_name) + '"');
    }
    const Node version = root.member("version");
    if (version.integer<int>() != format_version) {
        version.fail("version " + std::to_string(format_version));
    }
}

Json parse(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file)) {
        throw std::runtime_error(file.string() + ": expected a trace file, found " +
                                 (in ? "a directory" : std::strerror(errno)));
    }
    try {
        return Json::parse(in);
    } catch (const Json::parse_error& error) {
        throw std::runtime_error(file.string() + ": expected JSON, found an error at byte " +
                                 std::to_string(error.byte) + " (" + error.what() + ")");
    }
}

}  // namespace

Trace read_trace(const std::filesystem::path& file) {
    const Json json = parse(file);
    const std::string name = file.string();
    const Node root(name, json, "");
    check_format(root);
    return {.device = root.member("device").string(),
            .profile = root.member("profile").string(),
            .simulated = root.member("simulated").boolean(),
            .copy_engines = root.member("copy_engines").integer<unsigned>(),
            .operations = root.member("operations").list(read_operation),
            .host_calls = root.member("host_calls").list(read_host_call),
            .ranges = root.member("ranges").list(read_range),
            .findings = root.member("findings").list(read_finding)};
}

void write_trace(const std::filesystem::path& file, const Trace& trace) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << "{\n";
    write_member(out, "format", format_name);
    write_member(out, "version", format_version);
    write_member(out, "device", trace.device);
    write_member(out, "profile", trace.profile);
    write_member(out, "simulated", trace.simulated);
    write_member(out, "copy_engines", trace.copy_engines);
    write_list(out, "operations", trace.operations, ",");
    write_list(out, "host_calls", trace.host_calls, ",");
    write_list(out, "ranges", trace.ranges, ",");
    write_list(out, "findings", trace.findings, "");
    out << "}\n";
    out.close();
    if (!out) {
        throw std::runtime_error(file.string() + ": expected a file that can be written, found " +
                                 std::strerror(errno));
    }
}

}  // namespace device
