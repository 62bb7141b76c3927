// What the checks of the best-practices lab say: names of checks, causes, and what to try (see checks.cpp beside this).
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"check.nothing_allocated_in_run", "run() allocates and creates nothing", "run() 中不分配内存，也不创建流和事件"},
    {"check.nothing_allocated_in_run.expected", "memory, streams and events are made in set_up() and used again in every run()",
     "内存、流和事件都在 set_up() 中创建，每次 run() 重复使用"},
    {"check.no_default_stream", "Nothing runs in the legacy default stream", "没有操作在传统默认流里执行"},
    {"check.no_default_stream.expected", "every copy and every launch names a stream of its own",
     "每次拷贝和每次启动都指定自己创建的流"},
    {"check.no_device_wide_sync", "No wait for the whole device inside the loop", "循环中不等待整个设备"},
    {"check.no_device_wide_sync.expected", "streams and events order the work; the host waits once, after the loop",
     "先后由流和事件保证；主机只在循环之后等待一次"},
    {"check.copy_sizes", "Copies are neither too small nor too large for this device", "拷贝大小适合本设备，不过小也不过大"},
    {"check.copy_sizes.expected",
     "a copy reaches at least 75 % of the rate of large copies, and filling and draining the pipeline takes at most a quarter "
     "of the time",
     "单次拷贝至少达到大块拷贝速率的 75 %，流水线填充和排空的时间不超过总时间的四分之一"},
    {"check.enough_streams", "Enough streams to keep every engine busy", "流的数量足以让每个引擎都忙起来"},
    {"check.enough_streams.expected", "at least one stream for each copy engine, and one for the kernels",
     "每个拷贝引擎至少对应一个流，核函数再对应一个"},
    {"check.separate_directions", "H2D and D2H copies need not wait for each other", "H2D 与 D2H 拷贝不必互相等待"},
    {"check.separate_directions.expected",
     "where there are two copy engines, copies of the two directions are in more than one stream",
     "有两个拷贝引擎时，两个方向的拷贝不全在同一个流里"},
    {"check.reported_time", "elapsed_ms is what the device needed", "elapsed_ms 是设备实际所用的时间"},
    {"check.reported_time.expected",
     "elapsed_ms comes from two events, and agrees within 5 % with the time from the first operation's start to the last one's end",
     "elapsed_ms 由两个事件得出，与从第一个操作开始到最后一个操作结束的时间相差不超过 5 %"},
    {"check.measured_choice", "The chunk size is chosen by measurements on this device", "块大小由本设备上的测量选定"},
    {"check.measured_choice.expected",
     "choose() times copies of several sizes with events, and run() uses one of the sizes that were timed",
     "choose() 用事件测量几种大小的拷贝，run() 采用其中一种"},

    {"cause.throughput_inconclusive",
     "after {pairs} pairs of runs the throughput is between {low} and {high} of the attainable, and the bar is at "
     "{required_share}: too much noise to say",
     "测量 {pairs} 对运行之后，吞吐量占可达吞吐量的比例在 {low} 与 {high} 之间，而标准是 {required_share}：噪声太大，无法判断"},
    {"cause.throughput_inconclusive.next",
     "look for another process on the GPU (nvidia-smi), for changing clocks and for a slow link, and check again",
     "查看 GPU 上是否有其他进程（nvidia-smi）、频率是否在变化、链路是否过慢，然后再检查一次。"},
    {"cause.allocation_in_run", "calls in run() that allocate, create or give back something: {calls}; the first is {call}",
     "run() 中有 {calls} 次分配、创建或归还资源的调用，第一次是 {call}"},
    {"cause.allocation_in_run.next",
     "cudaMalloc and cudaFree wait for the work of all streams: call them in set_up() and tear_down(), and use the memory again",
     "cudaMalloc 和 cudaFree 会等待所有流的工作：请在 set_up() 和 tear_down() 中调用，并重复使用这些内存。"},
    {"cause.copies_too_small",
     "{copies} of {of} copies are too small, the first has {size}: on this device even {limit} reach less than 75 % of the "
     "rate of large copies",
     "{of} 次拷贝中有 {copies} 次过小，第一次为 {size}：在本设备上，即使 {limit} 也达不到大块拷贝速率的 75 %"},
    {"cause.copies_too_small.next",
     "each copy costs a few microseconds before its first byte moves: copy more elements at once",
     "每次拷贝在传输第一个字节之前都要花几微秒：每次多拷贝一些元素。"},
    {"cause.copies_too_large",
     "a copy has {size}: on this device, with {limit} already, filling and draining the pipeline takes more than a quarter "
     "of the time",
     "有一次拷贝为 {size}：在本设备上，单次拷贝达到 {limit} 时，流水线填充和排空的时间就超过总时间的四分之一"},
    {"cause.copies_too_large.next",
     "nothing overlaps with the first copy in and the last copy out: cut the data into more chunks, in both directions",
     "第一次拷入和最后一次拷出期间没有别的工作可以重叠：把两个方向的数据都切成更多的块。"},
    {"cause.too_few_streams", "only {streams} streams have work; to keep this device's engines busy takes {needed}",
     "只有 {streams} 个流有任务；要让本设备的各个引擎都忙起来，需要 {needed} 个"},
    {"cause.too_few_streams.next",
     "a stream does one thing at a time: let at least {needed} streams take the chunks in turn, or give each direction and the "
     "kernels a stream of their own",
     "一个流同一时刻只做一件事：让至少 {needed} 个流轮流处理各块，或者两个方向的拷贝和核函数各用一个流。"},
    {"cause.one_stream_for_both_directions",
     "all {copies} copies of both directions are in one stream, although this device has two copy engines",
     "两个方向的 {copies} 次拷贝全在同一个流里，而本设备有两个拷贝引擎"},
    {"cause.one_stream_for_both_directions.next",
     "within a stream a copy in waits for the copy out before it: use several streams in turn, or one for each direction",
     "同一个流里，拷入要等前面的拷出结束：让几个流轮流工作，或者每个方向各用一个流。"},
    {"cause.timed_by_host_clock",
     "elapsed_ms is {reported} ms, but run() never asks for the time between two events; its operations took {traced} ms",
     "elapsed_ms 为 {reported} ms，但 run() 从未查询两个事件之间的时间；其中各操作用时 {traced} ms"},
    {"cause.timed_by_host_clock.next",
     "a host clock around asynchronous calls measures how long it took to issue them: record an event before the first "
     "operation and one after the last of all streams, and take cudaEventElapsedTime",
     "在异步调用前后读主机时钟，量到的只是提交的时间：在第一个操作之前、所有流的最后一个操作之后各记录一个事件，再用 "
     "cudaEventElapsedTime。"},
    {"cause.wrong_reported_time", "elapsed_ms is {reported} ms, but the operations of run() took {traced} ms",
     "elapsed_ms 为 {reported} ms，而 run() 的各操作用时 {traced} ms"},
    {"cause.wrong_reported_time.next",
     "the first event belongs before the first operation; the last one belongs in a stream that has waited for all others "
     "(cudaStreamWaitEvent), or it misses what they still do",
     "第一个事件应在第一个操作之前；最后一个事件所在的流要先等待其他所有流（cudaStreamWaitEvent），否则会漏掉它们尚未完成的工作。"},
    {"cause.not_measured",
     "allocate() copied in {sizes} sizes and took {timings} times between events: that is no choice by measurement",
     "allocate() 中的拷贝有 {sizes} 种大小，查询了 {timings} 次事件之间的时间：这不是由测量作出的选择"},
    {"cause.not_measured.next",
     "in choose(), run the pipeline with a handful of chunk sizes, compare elapsed_ms, and keep the best",
     "在 choose() 中用几种块大小运行流水线，比较 elapsed_ms，保留最好的一种。"},
    {"cause.choice_not_measured", "run() mostly copies {size} at a time, which is none of the {sizes} sizes that choose() tried",
     "run() 多数拷贝每次为 {size}，不在 choose() 试过的 {sizes} 种大小之中"},
    {"cause.choice_not_measured.next", "keep the chunk size of the best measurement, and use it in run()",
     "记住测量结果最好的块大小，并在 run() 中使用它。"},
};

}  // namespace

std::span<const Entry> lab_best_practices() { return entries; }

}  // namespace messages::catalog
