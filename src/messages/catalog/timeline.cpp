// The drawn trace: rows, scale, title and facts.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"timeline.title.gpu", "{device}", "{device}"},
    {"timeline.title.simulated", "{device}, simulated (profile {profile})", "{device}，模拟（配置 {profile}）"},
    {"timeline.title.whole", "{device}: {time}", "{device}：{time}"},
    {"timeline.title.range", "{device}: \"{range}\", {time}", "{device}：“{range}”，{time}"},

    {"timeline.kind.host_to_device", "H2D", "H2D"},
    {"timeline.kind.device_to_host", "D2H", "D2H"},
    {"timeline.kind.device_to_device", "D2D", "D2D"},
    {"timeline.kind.host_to_host", "H2H", "H2H"},
    {"timeline.kind.memset", "memset", "memset"},
    {"timeline.kind.kernel", "kernel", "核函数"},
    {"timeline.kind.host_function", "host function", "主机函数"},
    {"timeline.host", "host", "主机"},
    {"timeline.stream", "stream {stream}", "流 {stream}"},
    {"timeline.more_streams", "and {count} more streams, not shown", "另有 {count} 个流未画出"},

    {"timeline.busy", "busy: H2D {h2d} %, kernel {kernel} %, D2H {d2h} % of the time",
     "忙碌时间占比：H2D {h2d} %，核函数 {kernel} %，D2H {d2h} %"},
    {"timeline.overlap", "a copy and a kernel at once: {time} ({share} %)",
     "拷贝与核函数同时进行：{time}（{share} %）"},
    {"timeline.both_directions", "H2D and D2H at once: {time} ({share} %)", "H2D 与 D2H 同时进行：{time}（{share} %）"},
    {"timeline.nothing", "no operations on the device", "设备上没有任何操作"},

    {"timeline.legend.host_call", "{letter} = {call} ({count}x, {time})", "{letter} = {call}（{count} 次，{time}）"},
    {"timeline.legend.host", "host is in: {calls}", "主机在执行：{calls}"},
    {"timeline.legend.host_separator", ", ", "，"},
    {"timeline.legend.streams", "each operation begins with its stream: {streams}",
     "每个操作以所在流的编号开头：{streams}"},
    {"timeline.legend.kinds", "H = H2D, K = kernel, D = D2H, S = memset, C = D2D, M = H2H, F = host function",
     "H = H2D，K = 核函数，D = D2H，S = memset，C = D2D，M = H2H，F = 主机函数"},
    {"timeline.legend.shades", "{shades} = busy up to 25, 50, 75, 100 % of that time",
     "{shades} = 忙碌时间占这一小段的 25、50、75、100 % 以内"},

    {"timeline.svg.copy", "{name} ({kind}, {memory}) on stream {stream}: {bytes} bytes, {rate} GB/s",
     "{name}（{kind}，{memory}），流 {stream}：{bytes} 字节，{rate} GB/s"},
    {"timeline.svg.memset", "{name} on stream {stream}: {bytes} bytes", "{name}，流 {stream}：{bytes} 字节"},
    {"timeline.svg.host_function", "host function ({name}) on stream {stream}", "主机函数（{name}），流 {stream}"},
    {"timeline.svg.kernel", "kernel {name} on stream {stream}", "核函数 {name}，流 {stream}"},
    {"timeline.svg.times", "from {start} to {end}, {duration}; issued at {issued}",
     "{start} 至 {end}，历时 {duration}；提交于 {issued}"},
    {"timeline.svg.line", "{file}, line {line}", "{file} 第 {line} 行"},
    {"timeline.svg.several", "{count} operations on stream {stream}", "流 {stream} 上的 {count} 个操作"},
    {"timeline.svg.host_call", "host in {call}: {duration}", "主机在 {call} 中：{duration}"},
    {"timeline.memory.none", "no host memory", "不涉及主机内存"},
    {"timeline.memory.pageable", "pageable", "可分页内存"},
    {"timeline.memory.pinned", "pinned", "锁页内存"},
};

}  // namespace

std::span<const Entry> timeline() {
    return entries;
}

}  // namespace messages::catalog
