// What only the checks of the events lab say; checks.cpp says what they share with the other labs.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"check.stage_times", "measure_stages() reports how long each stage takes, timed by events",
     "measure_stages() 用事件计时，报告每个阶段的用时"},
    {"check.stage_times.expected",
     "each reported time is within 5 % of what the trace shows for that stage, on every simulated device",
     "报告的每个时间与记录中该阶段的用时相差不超过 5 %，在每个模拟设备上都是如此"},
    {"check.role_streams", "Copies in, kernels and copies out each have a stream of their own",
     "拷入、核函数、拷出各用自己的流"},
    {"check.role_streams.expected", "in run() each stream carries H2D copies only, kernels only, or D2H copies only",
     "在 run() 中，每个流要么只有 H2D 拷贝，要么只有核函数，要么只有 D2H 拷贝"},
    {"check.no_host_waits", "The host waits for nothing while there are chunks left to issue",
     "还有块没提交时，主机什么也不等"},
    {"check.no_host_waits.expected", "run() waits once, after it has issued all chunks",
     "run() 提交完所有的块之后才等待，而且只等一次"},
    {"check.recorded_before_waited", "Every event is recorded before something waits for it",
     "每个事件都先记录、后等待"},
    {"check.recorded_before_waited.expected", "no wait meets an event that was never recorded",
     "等待的时候，事件都已经记录过"},
    {"check.ordering_events", "Events that only order streams are made without timing", "只用来安排先后的事件不带计时"},
    {"check.ordering_events.expected", "an event that no time is asked of is made with cudaEventDisableTiming",
     "不用来计时的事件，创建时带 cudaEventDisableTiming"},

    {"cause.stage_not_run", "measure_stages() did not run the whole stage {stage}: it has to process all elements",
     "measure_stages() 没有完整执行 {stage} 阶段：全部元素都要处理"},
    {"cause.stage_not_run.next",
     "in measure_stages() copy all of the data in, launch one kernel over all elements with problem.rounds, and copy all "
     "of the results out",
     "在 measure_stages() 中拷入全部数据，以 problem.rounds 对全部元素启动一次核函数，再拷出全部结果。"},
    {"cause.not_timed_by_events",
     "measure_stages() asked for {calls} times between events (cudaEventElapsedTime), and there are three stages",
     "measure_stages() 只取了 {calls} 次事件之间的时间（cudaEventElapsedTime），而阶段有三个"},
    {"cause.not_timed_by_events.next",
     "record events with timing around each stage, in the stream of the stages, wait for the last one, and ask "
     "cudaEventElapsedTime: then the host need not wait between the stages",
     "在各阶段所在的流里，每个阶段前后都记录带计时的事件，等最后一个完成，再用 cudaEventElapsedTime "
     "取时间：这样主机在阶段之间就不用等。"},
    {"cause.stage_times_off", "{stage}: measure_stages() reports {reported} ms, the trace shows {traced} ms",
     "{stage}：measure_stages() 报告 {reported} ms，而记录显示为 {traced} ms"},
    {"cause.stage_times_off.next",
     "a clock on the host only sees how long the calls take. An event is reached when all earlier work of its stream is "
     "done: record one right before the stage and one right after it, in the stream that all three stages are in, and give "
     "cudaEventElapsedTime the two that enclose this stage, the earlier one first",
     "主机上的时钟只看到调用花了多久。流里先前的工作全部完成时，才算到达事件：紧挨着这个阶段，在它前后各记录一个，都在三个阶段所在的那个流里，"
     "再把这两个事件交给 cudaEventElapsedTime，先记录的在前。"},
    {"cause.roles_share_a_stream",
     "stream {stream} carries {first} and {second}: in one stream they run one after the other",
     "流 {stream} 里不止一类操作（{first}、{second}）：同一个流里它们只能依次执行"},
    {"cause.roles_share_a_stream.next",
     "issue every H2D copy in h2d_stream, every kernel in kernel_stream and every D2H copy in d2h_stream, and let events "
     "make each stage of a chunk wait for the one before it",
     "H2D 拷贝都提交到 h2d_stream，核函数都提交到 kernel_stream，D2H 拷贝都提交到 "
     "d2h_stream，再用事件让每一块的各阶段等待前一个阶段。"},
    {"cause.host_waits_in_loop", "calls of {call} and the like while there was work left to issue: {calls}",
     "还有工作没提交时，就调用了 {call} 一类的函数，共 {calls} 次"},
    {"cause.host_waits_in_loop.next",
     "let the stream wait instead of the host: cudaStreamWaitEvent returns at once, and the host goes on with the next "
     "chunk. Wait once, after the loop",
     "让流等，而不是让主机等：cudaStreamWaitEvent 立即返回，主机接着提交下一块。循环结束之后再等一次。"},
    {"cause.roles_take_turns", "the first {second} begins only after the last {first} has ended, so these two never overlap",
     "前一类操作（{first}）全部结束之后，后一类（{second}）才开始，所以二者从不重叠"},
    {"cause.roles_take_turns.next",
     "record and wait once for each chunk, right after the work of that chunk: an event stands for all that its stream "
     "was given up to that moment, later chunks included when it is recorded after the loop",
     "每一块都记录一次、等待一次，紧跟在该块的工作之后：事件代表记录之前提交到流里的全部工作，在循环之后记录就把后面的块也算进去了。"},
    {"cause.waits_for_nothing", "places that wait for an event that was never recorded: {count}",
     "有 {count} 处等待的是从未记录过的事件"},
    {"cause.timing_event_orders", "places that make an event with timing only to order streams: {count}",
     "有 {count} 处创建了带计时的事件，却只用来安排先后"},
};

}  // namespace

std::span<const Entry> lab_events() {
    return entries;
}

}  // namespace messages::catalog
