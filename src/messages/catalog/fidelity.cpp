// `course experiment fidelity`: the simulated device held to a GPU.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"fidelity.listed", "fidelity: how near the simulated device is to a GPU (takes a few minutes)",
     "fidelity：模拟设备与真实 GPU 有多接近（需要几分钟）"},
    {"fidelity.alone",
     "the experiment fidelity is run alone, and --record keeps nothing of it: leave out what else is named",
     "fidelity 只能单独运行，--record 也不保存它的结果：请去掉其他参数"},
    {"fidelity.measured_now", "The same programs on this GPU and on the simulated device ({profile})",
     "同样的程序，分别在本机 GPU 和模拟设备（{profile}）上运行"},
    {"fidelity.recorded", "No GPU is used here: the simulated device ({profile}) against the recorded times in {path}",
     "这里不使用 GPU：将模拟设备（{profile}）与 {path} 中记录的时间比较"},
    {"fidelity.heading",
     "  group                cases  simulated    measured   ratio:   least    most\n"
     "                              (ms, all)   (ms, all)   median",
     "  分组                  例数    模拟         实测     比值：   最小    最大\n"
     "                            （毫秒）    （毫秒）    中位"},
    {"fidelity.fitted", "The {cases} cases that constants were fitted to, 0.1 ms and longer:",
     "用来拟合常数的 {cases} 例（0.1 ms 及以上）："},
    {"fidelity.judged", "The {cases} other cases, 0.1 ms and longer:", "其余 {cases} 例（0.1 ms 及以上）："},
    {"fidelity.steady", "Of these, the {cases} that the GPU itself repeats within 10 %:",
     "其中 GPU 自身重复测量相差不超过 10 % 的 {cases} 例："},
    {"fidelity.median",
     "All {cases} against the median of the processes, on a server that others use too (the time above is their lower "
     "quartile):",
     "还是这 {cases} 例，改与各进程的中位数比较（服务器上另有其他用户；前面用的是下四分位数）："},
    {"fidelity.range",
     "All {cases} again, by their distance from what the GPU showed from process to process (without the fastest and "
     "the slowest one):",
     "还是这 {cases} 例，改看与 GPU 各进程测得的时间范围（去掉最快和最慢的进程）相距多远："},
    {"fidelity.figures", "median error {median}; within 10 %: {within_10} of the cases; within 20 %: {within_20}",
     "误差中位数 {median}；误差不超过 10 % 的占 {within_10}；不超过 20 % 的占 {within_20}"},
    {"fidelity.worst", "farthest: {case}", "偏差最大：{case}"},
    {"fidelity.case", "{case}: simulated {simulated} ms, measured {measured} ms, ratio {ratio}",
     "{case}：模拟 {simulated} ms，实测 {measured} ms，比值 {ratio}"},
};

}  // namespace

std::span<const Entry> fidelity() {
    return entries;
}

}  // namespace messages::catalog
