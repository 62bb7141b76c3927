// What the command line says. The words of CLI11's own errors arrive as {reason} and stay English.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"course.language", "English", "简体中文"},

    // Help.
    {"course.help.about", "Keep the GPU Busy: labs on synchronous and asynchronous copies in CUDA. Alone: where you stand.",
     "让 GPU 保持忙碌：CUDA 同步与异步拷贝的实验。不带参数：显示你的进度。"},
    {"course.help.help", "Print this help", "显示本帮助"},
    {"course.help.check", "Check your work on a lab", "检查你的实验"},
    {"course.help.run", "Run a lab or any CUDA file, and show its timeline", "运行一个实验或任意 CUDA 文件，并显示时间线"},
    {"course.help.timeline", "Draw the timeline of a lab or of any CUDA file", "画出一个实验或任意 CUDA 文件的时间线"},
    {"course.help.hint", "Show the next hint for the check that failed", "针对未通过的检查给出下一条提示"},
    {"course.help.reset", "Put a lab's starter back; your file is kept as a backup", "恢复实验的初始代码；你的文件会保留为备份"},
    {"course.help.doctor", "What this machine can do, and what limits it", "这台机器能做什么、受什么限制"},
    {"course.help.calibrate", "Measure this machine's GPU and write a profile for the simulated device",
     "测量本机的 GPU，为模拟设备写出一份配置"},
    {"course.help.test", "Run the project's own tests; further arguments go to `meson test`",
     "运行本项目自身的测试；其余参数交给 `meson test`"},
    {"course.help.lab", "A lab by number or name: 3, 03, streams, 03_streams", "实验的编号或名称：3、03、streams、03_streams"},
    {"course.help.target", "A lab by number or name, or a CUDA file", "实验的编号或名称，或一个 CUDA 文件"},
    {"course.help.solution", "Take the reference solution instead of your file", "使用参考答案，而不是你的文件"},
    {"course.help.device", "auto takes the GPU when there is one, otherwise the simulated device",
     "auto：有 GPU 就用 GPU，否则用模拟设备"},
    {"course.help.profile", "Which device to simulate: a name in src/device/profiles, or a file",
     "模拟哪种设备：src/device/profiles 中的名称，或一个文件"},
    {"course.help.file", "Check this file instead of the lab's", "检查这个文件，而不是实验目录中的文件"},
    {"course.help.json", "Write the results here too", "同时把结果写到这个文件"},
    {"course.help.seed", "The seed of the inputs, to repeat a run", "输入数据的种子，用于重现一次运行"},
    {"course.help.arguments", "Arguments for the program, after --", "交给程序的参数，写在 -- 之后"},
    {"course.help.svg", "Draw the timeline into this SVG file", "把时间线画到这个 SVG 文件"},
    {"course.help.trace", "Write the trace (JSON) here", "把跟踪数据（JSON）写到这里"},
    {"course.help.check_id", "The check to get a hint for; otherwise one that failed last time",
     "要提示的检查；省略时取上次未通过的一项"},
    {"course.help.profile_name", "The name of the profile to write", "要写出的配置的名称"},

    // Usage.
    {"course.usage", "{reason} (`./course {command} --help` shows how)", "用法不对：{reason}（用法见 `./course {command} --help`）"},
    {"course.usage_general", "{reason} (`./course --help` shows how)", "用法不对：{reason}（用法见 `./course --help`）"},
    {"course.unknown_command", "there is no command \"{command}\"; the commands are: {commands}",
     "没有命令“{command}”；可用的命令：{commands}"},
    {"course.unexpected_argument", "`./course {command}` does not take \"{argument}\" (`./course {command} --help` shows how)",
     "`./course {command}` 不接受“{argument}”（用法见 `./course {command} --help`）"},
    {"course.unknown_lab", "there is no lab \"{lab}\"; the labs are: {labs}", "没有实验“{lab}”；现有的实验：{labs}"},
    {"course.unknown_target", "\"{target}\" is neither a lab ({labs}) nor a file", "“{target}”既不是实验（{labs}），也不是文件"},
    {"course.missing_file", "there is no file {path}", "没有文件 {path}"},
    {"course.not_a_file", "{path} is not a file", "{path} 不是文件"},
    {"course.solution_of_file", "--solution goes with a lab, not with a file", "--solution 只用于实验，不用于文件"},
    {"course.solution_and_file", "--solution and --file exclude each other", "--solution 与 --file 不能同时使用"},
    {"course.bad_seed", "expected a whole number from 0 to 18446744073709551615, found \"{seed}\"",
     "应为 0 到 18446744073709551615 之间的整数，得到的是“{seed}”"},
    {"course.bad_device", "expected auto, gpu or sim, found \"{device}\"", "应为 auto、gpu 或 sim，得到的是“{device}”"},
    {"course.unknown_profile", "there is no profile \"{profile}\"; the profiles are: {profiles} (or name a JSON file)",
     "没有配置“{profile}”；现有的配置：{profiles}（也可以给出一个 JSON 文件）"},
    {"course.profile_with_gpu", "--profile describes a simulated device and does not go with --device gpu",
     "--profile 描述的是模拟设备，不能与 --device gpu 同时使用"},
    {"course.no_gpu", "--device gpu: no usable NVIDIA GPU was found on this machine (--device sim simulates one)",
     "--device gpu：本机没有可用的 NVIDIA GPU（--device sim 可以模拟一个）"},
    {"course.no_nvcc", "--device gpu: nvcc was not found; install the CUDA Toolkit 12.0 or newer, or use --device sim",
     "--device gpu：找不到 nvcc；请安装 CUDA Toolkit 12.0 或更新版本，或使用 --device sim"},

    // What could not be done.
    {"course.not_a_checkout", "{path} is not a checkout of the course (no meson.build and labs/ there)",
     "{path} 不是本课程的代码库（那里没有 meson.build 和 labs/）"},
    {"course.cannot_start", "{program} could not be started: {reason}", "无法启动 {program}：{reason}"},
    {"course.cannot_write", "{path} could not be written: {reason}", "无法写入 {path}：{reason}"},
    {"course.does_not_compile", "{path} does not compile for the {device}; see the messages above",
     "{path} 在{device}上编译不通过；见上面的信息"},
    {"course.device.gpu", "GPU", "GPU"},
    {"course.device.simulated", "simulated device", "模拟设备"},
    {"course.not_built", "{path} was not built: call ./course without COURSE_NO_BUILD", "{path} 尚未构建：请不带 COURSE_NO_BUILD 运行 ./course"},
    {"course.checks_broke", "the check program ended with status {status} and left no results: {output}",
     "检查程序以状态 {status} 结束，没有留下结果：{output}"},

    // check.
    {"course.check.header", "Lab {lab} · {file}", "实验 {lab} · {file}"},
    {"course.check.on_gpu", "on {device}", "设备：{device}"},
    {"course.check.on_simulated", "on {device}, profile {profile}: every time below is simulated",
     "设备：{device}，配置 {profile}：下面的时间都是模拟的"},
    {"course.check.seed", "inputs from seed {seed}", "输入数据的种子：{seed}"},
    {"course.check.passed", "Passed: {points} of {possible} points.", "通过：{points}/{possible} 分。"},
    {"course.check.failed", "Not passed yet: {points} of {possible} points; {failed} of {checks} checks failed, {not_judged} not judged.",
     "尚未通过：{points}/{possible} 分；{checks} 项检查中有 {failed} 项未通过，{not_judged} 项未作判断。"},
    {"course.check.inconclusive",
     "Nothing failed; inconclusive: {count} of {checks} checks; {points} of {possible} points. Check again.",
     "没有失败；{checks} 项检查中有 {count} 项无定论：{points}/{possible} 分。请再检查一次。"},
    {"course.check.expected", "expected", "应为"},
    {"course.check.actual", "found", "实际"},
    {"course.check.values", "values", "数值"},
    {"course.check.output", "printed", "输出"},
    {"course.check.next", "next", "下一步"},
    {"course.check.more", "full points from {full}x on; `./course hint {lab}` says how",
     "达到 {full} 倍即可得满分；做法见 `./course hint {lab}`"},
    {"course.check.at", "at", "位置"},
    {"course.check.rerun", "again", "重试"},
    {"course.check.speed", "{speedup}×; required here {required}×, attainable here {attainable}×",
     "{speedup}×；此处要求 {required}×，此处可达 {attainable}×"},
    {"course.check.speed_simulated", "{speedup}× simulated; required here {required}×, attainable here {attainable}×",
     "{speedup}×（模拟）；此处要求 {required}×，此处可达 {attainable}×"},

    // run and timeline.
    {"course.run.no_trace", "the program left no trace: it made no CUDA call, or ended by a signal",
     "程序没有留下跟踪数据：它没有调用 CUDA，或被信号终止"},
    {"course.run.findings", "Errors found: {errors}, warnings: {warnings}; they are listed above.",
     "发现错误 {errors} 个、警告 {warnings} 个，已列在上面。"},
    {"course.run.no_findings", "Nothing wrong was found.", "没有发现问题。"},
    {"course.run.status", "the program ended with status {status}", "程序以状态 {status} 结束"},
    {"course.written", "written: {path}", "已写出：{path}"},

    // hint.
    {"course.hint.level", "Hint {level} of {levels} for \"{check}\":", "“{check}”的提示 {level}/{levels}："},
    {"course.hint.again", "That was the last hint; asking again starts over.", "这是最后一条提示；再问一次会从头开始。"},
    {"course.hint.none_for", "there is no hint for \"{check}\"; there are hints for: {checks}",
     "没有“{check}”的提示；有提示的检查：{checks}"},
    {"course.hint.nothing_failed", "No check of this lab failed last time.", "这个实验上次没有检查失败。"},
    {"course.hint.check_first", "Check the lab first: ./course check {lab}", "请先检查实验：./course check {lab}"},
    {"course.hint.reset",
     "lab.cu is the starter again, so the last result no longer applies; check it first: ./course check {lab}",
     "lab.cu 已恢复为初始代码，上次的结果不再适用；请先检查：./course check {lab}"},

    // reset.
    {"course.reset.not_git", "{path} is not a git checkout, so the starter cannot be fetched back; take it from a fresh copy of the course",
     "{path} 不是 git 代码库，无法取回初始代码；请从课程的新副本中拷贝"},
    {"course.reset.git_failed", "git could not give the starter of {lab}: {reason}", "git 无法取出 {lab} 的初始代码：{reason}"},
    {"course.reset.unchanged", "{path} is the starter already; nothing was changed.", "{path} 已经是初始代码，没有改动。"},
    {"course.reset.kept", "Your file is kept as {path}", "你的文件已保留为 {path}"},
    {"course.reset.done", "{path} is the starter again.", "{path} 已恢复为初始代码。"},

    // status.
    {"course.status.not_checked", "not checked yet", "尚未检查"},
    {"course.status.reset", "lab.cu is the starter again, not checked yet", "lab.cu 已恢复为初始代码，尚未检查"},
    {"course.status.passed", "passed", "已通过"},
    {"course.status.failed", "not passed", "未通过"},
    {"course.status.points", "{points} of {possible} points", "{points}/{possible} 分"},
    {"course.status.points_simulated", "{points} of {possible} points (simulated)", "{points}/{possible} 分（模拟）"},
    {"course.status.next_start", "Next: edit labs/{lab}/lab.cu, then ./course check {name}",
     "下一步：编辑 labs/{lab}/lab.cu，然后运行 ./course check {name}"},
    {"course.status.next_continue", "Next: go on with labs/{lab}/lab.cu; ./course hint {name} helps",
     "下一步：继续修改 labs/{lab}/lab.cu；需要帮助时运行 ./course hint {name}"},
    {"course.status.all_done", "All labs are passed.", "所有实验都已通过。"},

    // doctor.
    {"course.doctor.compiler", "C++ compiler", "C++ 编译器"},
    {"course.doctor.no_compiler", "none found; install g++ 12 or newer, or clang++ 14 or newer",
     "没有找到；请安装 g++ 12 或更新版本，或 clang++ 14 或更新版本"},
    {"course.doctor.toolkit", "CUDA Toolkit", "CUDA 工具包"},
    {"course.doctor.no_toolkit", "nvcc not found; only a real GPU needs it: CUDA Toolkit 12.0 or newer",
     "没有找到 nvcc；只有使用真实 GPU 时才需要：CUDA Toolkit 12.0 或更新版本"},
    {"course.doctor.gpu", "NVIDIA GPU", "NVIDIA GPU"},
    {"course.doctor.no_gpu", "none that the driver can use; the simulated device stands in for it",
     "没有驱动可用的 GPU；由模拟设备代替"},
    {"course.doctor.gpu_found", "{count} × {name}, driver for CUDA {driver}", "{count} × {name}，驱动支持 CUDA {driver}"},
    {"course.doctor.no_cupti", "not found; timelines of a real GPU need it (part of the CUDA Toolkit)",
     "没有找到；真实 GPU 的时间线需要它（CUDA 工具包的一部分）"},
    {"course.doctor.cores", "CPU cores", "CPU 核心"},
    {"course.doctor.cannot_build", "No lab can be built here: a C++ compiler is missing.", "这里无法构建实验：缺少 C++ 编译器。"},
    {"course.doctor.both_devices", "Labs run on the GPU and on the simulated device.", "实验可以在 GPU 和模拟设备上运行。"},
    {"course.doctor.simulated_only", "Labs run on the simulated device, which every check supports; a real GPU is not needed.",
     "实验在模拟设备上运行，所有检查都支持它；不需要真实的 GPU。"},

    // calibrate.
    {"course.calibrate.bad_name", "a profile's name has letters, digits, - and _ only; found \"{name}\"",
     "配置的名称只能含字母、数字、- 和 _；得到的是“{name}”"},
    {"course.calibrate.done", "Written to {path}; use it with --device sim --profile {name}",
     "已写入 {path}；用法：--device sim --profile {name}"},

    // test.
    {"course.test.build_failed", "the project does not build; see the messages above", "项目构建失败；见上面的信息"},
    {"course.test.nothing_ran", "no test was run", "没有运行任何测试"},
};

}  // namespace

std::span<const Entry> course() { return entries; }

}  // namespace messages::catalog
