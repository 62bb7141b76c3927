// `course experiment`, and the ledger of claims that it writes.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"course.help.experiment", "Run the experiments behind the text; alone: list them",
     "运行正文所依据的小实验；不带参数时列出全部"},
    {"experiment.help.names", "Experiments by name: pageable-async", "小实验的名称，例如 pageable-async"},
    {"experiment.help.all", "Run every experiment", "运行全部小实验"},
    {"experiment.help.record", "Keep the results beside the chapter, and write the ledger of claims again",
     "把结果保存在各章目录中，并重新生成结论总表"},
    {"experiment.help.record_from", "Keep the results that run-all.sh left in DIR",
     "保存 run-all.sh 留在 DIR 中的结果"},
    {"experiment.help.ledger", "Write chapters/CLAIMS.md and CLAIMS.zh-CN.md from the recorded results",
     "根据已保存的结果生成 chapters/CLAIMS.md 和 CLAIMS.zh-CN.md"},
    {"experiment.help.build",
     "Build the experiments for a GPU into DIR, with run-all.sh, for a machine without a compiler",
     "为 GPU 构建全部小实验，连同 run-all.sh 放入 DIR，供没有编译器的机器使用"},
    {"experiment.help.arch", "With --build: a GPU architecture such as sm_90, or all",
     "与 --build 连用：GPU 架构，例如 sm_90，或 all"},
    {"experiment.help.arguments", "Arguments for the experiment, after --", "交给小实验的参数，写在 -- 之后"},

    {"experiment.none", "there is no experiment: no claims.json below {path} lists one",
     "没有任何小实验：{path} 下没有列出小实验的 claims.json"},
    {"experiment.none_written", "no experiment can be run: none of those listed in claims.json has its program",
     "没有可运行的小实验：claims.json 中列出的都还没有程序"},
    {"experiment.bad_claims", "{path} cannot be used: {reason}", "无法使用 {path}：{reason}"},
    {"experiment.bad_results", "{path} holds no results of an experiment: {reason}", "{path} 里没有小实验的结果：{reason}"},
    {"experiment.unknown", "there is no experiment \"{experiment}\" (./course experiment lists them)",
     "没有名为“{experiment}”的小实验（用 ./course experiment 列出全部）"},
    {"experiment.not_written", "the experiment {experiment} has no program yet: {path} is missing",
     "小实验 {experiment} 还没有程序：缺少 {path}"},
    {"experiment.not_reported",
     "the experiment {experiment} says nothing of \"{claim}\", which claims.json gives to it",
     "claims.json 把“{claim}”交给小实验 {experiment}，但它没有给出结论"},
    {"experiment.not_listed",
     "the experiment {experiment} reports on \"{claim}\", which claims.json does not give to it",
     "小实验 {experiment} 给出了“{claim}”的结论，但 claims.json 没有把它交给这个小实验"},
    {"experiment.broke", "the experiment {experiment} could not measure: it ended with status {status}",
     "小实验 {experiment} 没能完成测量：以状态 {status} 结束"},
    {"experiment.record_of_profile",
     "--record keeps results of the default simulated device or of a GPU: leave out --profile",
     "--record 只保存默认模拟设备或 GPU 的结果：请去掉 --profile"},
    {"experiment.no_results", "there are no results of a known experiment in {path}", "{path} 中没有已知小实验的结果"},

    {"experiment.on_simulated", "on the simulated device, profile {profile}: every time below is simulated",
     "在模拟设备上运行，配置 {profile}：以下时间均为模拟"},
    {"experiment.verdict", "expected: {expected}; here: {here}", "预期：{expected}；这里：{here}"},
    {"experiment.instead", "what holds: {text}", "实际情况：{text}"},
    {"experiment.verdict.true", "true", "成立"},
    {"experiment.verdict.false", "false", "不成立"},
    {"experiment.verdict.half_true", "half true", "部分成立"},
    {"experiment.verdict.cannot_be_shown", "cannot be shown on this device", "在此设备上无法验证"},
    {"experiment.faults", "The simulated device found something wrong with the experiment itself, {count} times:",
     "模拟设备发现小实验本身有 {count} 处问题："},
    {"experiment.as_expected", "Experiments run: {count}; every verdict is as expected.",
     "已运行 {count} 个小实验；所有结论都与预期一致。"},
    {"experiment.not_as_expected", "Not as expected: {experiments}.", "与预期不一致：{experiments}。"},
    {"experiment.built",
     "Experiments built: {count}. Carry {path} to the GPU machine, call run-all.sh there, and bring its results folder "
     "back.",
     "已构建 {count} 个小实验。把 {path} 带到有 GPU 的机器上运行 run-all.sh，再把其中的 results 目录带回来。"},
    {"experiment.recorded", "Results kept: {count} experiments.", "已保存 {count} 个小实验的结果。"},
    {"experiment.missing_results", "No results of: {experiments}.", "缺少以下小实验的结果：{experiments}。"},
    {"experiment.list.measured", "[measured: {devices}]", "[已测量：{devices}]"},
    {"experiment.list.not_measured", "[not measured yet]", "[尚未测量]"},
    {"experiment.list.not_written", "[no program yet]", "[还没有程序]"},
    {"experiment.list.how", "./course experiment NAME runs one, --all every one; --device sim or gpu chooses where.",
     "./course experiment NAME 运行其中一个，--all 运行全部；--device sim 或 gpu 选择设备。"},

    {"ledger.title", "# The ledger of claims", "# 结论总表"},
    {"ledger.about",
     "What the course text and the chapters state, and what was measured. This page is written by `./course experiment "
     "--ledger` "
     "from [`claims.json`](03_streams/claims.json) and the `measured` folder of each chapter: do not edit it. "
     "`./course experiment NAME` measures a "
     "statement again on your machine. Each verdict links to the figures that decided it.",
     "课程原文和各章的说法，以及测量得出的结论。本页由 `./course experiment --ledger` 根据各章的 "
     "[`claims.json`](03_streams/claims.json) 和 "
     "`measured` 目录生成，请勿手工修改。`./course experiment NAME` "
     "可在你的机器上重新测量。每个结论都链接到所依据的数据。"},
    {"ledger.summary", "Statements: {claims}; {measurable} of them can be measured.",
     "共 {claims} 条说法，其中 {measurable} 条可以测量。"},
    {"ledger.summary_device", "Measured on {device}: {measured}.", "已在 {device} 上测量：{measured} 条。"},
    {"ledger.section", "Course text, section {number}", "课程原文 {number} 节"},
    {"ledger.chapter", "Chapter {number}", "第 {number} 章"},
    {"ledger.statement", "Statement", "说法"},
    {"ledger.experiment", "Experiment", "小实验"},
    {"ledger.simulated", "Simulated device", "模拟设备"},
    {"ledger.instead", "*What holds: {text}*", "*实际情况：{text}*"},
    {"ledger.cannot_be_measured", "*Cannot be measured: {reason}*", "*无法测量：{reason}*"},
    {"ledger.not_measured", "not measured yet", "尚未测量"},
    {"ledger.verdict", "{verdict}, since {date}", "{verdict}（自 {date} 起）"},
    {"ledger.expected", "**expected: {verdict}**", "**预期：{verdict}**"},
};

}  // namespace

std::span<const Entry> experiments() {
    return entries;
}

}  // namespace messages::catalog
