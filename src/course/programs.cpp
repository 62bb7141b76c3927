#include "course/programs.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

#include "compiler/build.hpp"
#include "compiler/commands.hpp"
#include "course/console.hpp"
#include "course/failure.hpp"
#include "course/gpu_probe.hpp"
#include "course/process.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;

// FNV-1a, 64 bits: tells changed content from unchanged; nobody attacks a student's own cache.
class Fingerprint {
public:
    void add(std::string_view bytes) {
        for (const char byte : bytes) {
            value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
        }
        value_ = (value_ ^ 0xffU) * 0x100000001b3U;  // a border between two texts; 0xff is no UTF-8
    }

    void add_content(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream content;
        content << in.rdbuf();
        add(file.string());
        add(in ? content.str() : "missing");
    }

    // Of a large file: when it was written, and its size.
    void add_stamp(const fs::path& file) {
        std::error_code missing;
        const auto written = fs::last_write_time(file, missing).time_since_epoch().count();
        add(file.string());
        add(missing ? "missing" : std::to_string(written) + " " + std::to_string(fs::file_size(file, missing)));
    }

    std::string text() const {
        std::ostringstream out;
        out << std::hex << value_;
        return out.str();
    }

private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

compiler::BuildRequest compiler_request(const ProgramRequest& request) {
    compiler::BuildRequest build;
    build.device = request.target == Target::gpu ? compiler::Device::gpu : compiler::Device::simulated;
    build.lab = true;  // what is not used is not linked; experiments with their own main use lab::work
    build.sources = {request.source};
    build.sources.insert(build.sources.end(), request.options.more_sources.begin(), request.options.more_sources.end());
    build.include_directories = request.options.include_directories;
    build.definitions = request.options.definitions;
    build.standard = request.options.standard;
    return build;
}

// The files named after "target:" in make's syntax, where a blank within a name is written "\ ".
std::vector<fs::path> files_in_depfile(const fs::path& depfile) {
    std::ifstream in(depfile);
    std::ostringstream content;
    content << in.rdbuf();
    const std::string rules = content.str();
    std::vector<fs::path> files;
    std::string name;
    for (std::size_t i = rules.find(": ") + 1; i < rules.size(); ++i) {
        const bool escaped = rules[i] == '\\' && i + 1 < rules.size();
        if (escaped && rules[i + 1] != '\n') {
            name += rules[++i];
        } else if (rules[i] == ' ' || rules[i] == '\n' || escaped) {
            if (!name.empty() && !name.ends_with(':')) {
                files.emplace_back(name);
            }
            name.clear();
        } else {
            name += rules[i];
        }
    }
    return files;
}

// What the program is linked with, and this program, which compiles it: when one of these is new, so must the program be.
std::vector<fs::path> linked_files(const Project& project, const ProgramRequest& request) {
    std::vector<fs::path> files =
        compiler::linked_libraries(compiler_request(request), {project.root, project.build});
    files.push_back(fs::read_symlink("/proc/self/exe"));
    return files;
}

// Where a program and what is known of it are kept.
struct Slot {
    fs::path program;
    fs::path depfile;
    fs::path fingerprint;
};

Slot slot_of(const Project& project, const ProgramRequest& request) {
    Fingerprint key;
    key.add(fs::weakly_canonical(request.source).string());
    key.add(request.target == Target::gpu ? "gpu" : "sim");
    for (const fs::path& source : request.options.more_sources) {
        key.add("source " + fs::weakly_canonical(source).string());
    }
    for (const std::string& directory : request.options.include_directories) {
        key.add("-I " + fs::weakly_canonical(directory).string());
    }
    for (const std::string& definition : request.options.definitions) {
        key.add("-D " + definition);
    }
    key.add(request.options.standard);
    const fs::path folder = project.programs() / key.text();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw CannotProceed(text("course.cannot_write", {{"path", folder.string()}, {"reason", error.message()}}));
    }
    return {folder / request.source.stem(), folder / "depfile", folder / "fingerprint"};
}

// Held while a program is built. A second command that wants the same one waits, finds it built, and does not put another
// file in the place of one that runs: its debug information is read from there when it ends.
class SlotLock {
public:
    explicit SlotLock(const Slot& slot)
        : file_(open((slot.program.parent_path() / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
        if (file_ >= 0) {
            flock(file_, LOCK_EX);
        }
    }
    ~SlotLock() {
        if (file_ >= 0) {
            close(file_);
        }
    }
    SlotLock(const SlotLock&) = delete;
    SlotLock& operator=(const SlotLock&) = delete;

private:
    int file_;
};

std::string fingerprint_of(const Project& project, const ProgramRequest& request, const Slot& slot) {
    Fingerprint fingerprint;
    for (const fs::path& file : files_in_depfile(slot.depfile)) {
        fingerprint.add_content(file);
    }
    for (const fs::path& library : linked_files(project, request)) {
        fingerprint.add_stamp(library);
    }
    return fingerprint.text();
}

bool is_current(const Project& project, const ProgramRequest& request, const Slot& slot) {
    if (!fs::exists(slot.program) || !fs::exists(slot.depfile)) {
        return false;
    }
    std::string known;
    std::ifstream(slot.fingerprint) >> known;
    return known == fingerprint_of(project, request, slot);
}

// That of the GPU here; every one that nvcc knows where it does not know this GPU's.
std::string architecture() {
    const auto gpu = find_gpu();
    if (!gpu) {
        return "all";
    }
    const std::string listed = run_captured({{compiler::find_nvcc().string(), "--list-gpu-arch"}, {}, {}}).output;
    const std::string number = gpu->architecture.substr(gpu->architecture.find('_') + 1);
    return listed.find("compute_" + number) == std::string::npos ? "all" : gpu->architecture;
}

// The compiler says "error: what is missing\n"; on our line that stands after "course: ".
std::string bare_reason(std::string diagnostics) {
    constexpr std::string_view prefix = "error: ";
    if (diagnostics.starts_with(prefix)) {
        diagnostics.erase(0, prefix.size());
    }
    diagnostics.erase(diagnostics.find_last_not_of('\n') + 1);
    return diagnostics;
}

void compile(const Project& project, const ProgramRequest& request, const Slot& slot) {
    compiler::BuildRequest build = compiler_request(request);
    build.output = slot.program;
    build.depfile = slot.depfile;
    build.source_root = project.root;
    build.build_root = project.build;
    if (request.target == Target::gpu) {
        build.architecture = architecture();
    }
    build.color = isatty(STDERR_FILENO) == 1 && standard_output().colour;
    const compiler::BuildResult result = compiler::build_program(build);
    if (result.ok) {
        return;
    }
    if (result.exit_status == 2) {
        throw CannotProceed(bare_reason(result.diagnostics));
    }
    const std::string device = text(request.target == Target::gpu ? "course.device.gpu" : "course.device.simulated");
    throw DoesNotCompile(text("course.does_not_compile", {{"path", request.source.string()}, {"device", device}}),
                         result.diagnostics);
}

// Programs take megabytes; the ones that were not used for longest go.
void forget_old_programs(const Project& project) {
    constexpr std::size_t kept = 64;
    std::vector<std::pair<fs::file_time_type, fs::path>> slots;
    std::error_code ignored;  // another call may be cleaning up too
    for (const auto& entry : fs::directory_iterator(project.programs(), ignored)) {
        slots.emplace_back(entry.last_write_time(ignored), entry.path());
    }
    std::sort(slots.rbegin(), slots.rend());
    for (std::size_t i = kept; i < slots.size(); ++i) {
        fs::remove_all(slots[i].second, ignored);
    }
}

}  // namespace

fs::path build_program(const Project& project, const ProgramRequest& request) {
    const Slot slot = slot_of(project, request);
    const SlotLock lock(slot);
    std::error_code ignored;
    fs::last_write_time(slot.program.parent_path(), fs::file_time_type::clock::now(), ignored);  // used just now
    if (!is_current(project, request, slot)) {
        std::error_code error;
        fs::remove(slot.fingerprint, error);
        if (error) {
            throw CannotProceed(
                text("course.cannot_write", {{"path", slot.fingerprint.string()}, {"reason", error.message()}}));
        }
        compile(project, request, slot);
        std::ofstream(slot.fingerprint) << fingerprint_of(project, request, slot) << '\n';
        forget_old_programs(project);
    }
    return slot.program;
}

void require_file(const fs::path& file) {
    if (!fs::exists(file)) {
        throw CannotProceed(text("course.missing_file", {{"path", file.string()}}));
    }
    if (!fs::is_regular_file(file)) {
        throw CannotProceed(text("course.not_a_file", {{"path", file.string()}}));
    }
}

Subject find_subject(const Project& project, const std::string& target, bool solution) {
    if (const std::string_view lab = find_lab(target); !lab.empty()) {
        const fs::path source = solution ? project.solution(lab) : project.starter(lab);
        require_file(source);
        return {source, true};
    }
    if (solution) {
        throw CannotProceed(text("course.solution_of_file"));
    }
    const bool looks_like_a_path = target.find('/') != std::string::npos || target.find('.') != std::string::npos;
    if (!looks_like_a_path && !fs::exists(target)) {
        std::string labs;
        for (const std::string_view lab : lab_names()) {
            labs += (labs.empty() ? "" : ", ") + std::string(lab);
        }
        throw CannotProceed(text("course.unknown_target", {{"target", target}, {"labs", labs}}));
    }
    require_file(target);
    return {target, false};
}

}  // namespace course
