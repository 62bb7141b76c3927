// What the lab on pinned memory says: what copy calls cost and wait for, and what is pinned when.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"check.asynchronous_calls", "Copy calls return before their copies are done", "拷贝调用不等拷贝完成就返回"},
    {"check.asynchronous_calls.expected", "the host spends less than a tenth of the time of the copies in the calls that issue them",
     "主机花在拷贝调用里的时间不到拷贝本身时间的十分之一"},
    {"check.bandwidth", "Copies reach the bandwidth of pinned memory", "拷贝达到锁页内存应有的带宽"},
    {"check.bandwidth.expected", "both directions reach four fifths of what pinned copies of this size reach here, or more",
     "同样大小的锁页内存拷贝在这里有多快，两个方向都至少达到它的五分之四"},
    {"check.registered_input", "host_output is allocated pinned, host_input is registered, both before run()",
     "host_output 分配为锁页内存，host_input 经过注册，都在 run() 之前完成"},
    {"check.registered_input.expected",
     "allocate() calls cudaMallocHost for host_output and cudaHostRegister for host_input; run() pins nothing",
     "allocate() 为 host_output 调用 cudaMallocHost，为 host_input 调用 cudaHostRegister；run() 里不再锁页"},
    {"check.own_stream", "One stream of its own, and a wait for that stream only", "使用自己的流，并且只等待这个流"},
    {"check.own_stream.expected", "copies and kernel are issued to a stream that the program created, and run() waits for that stream",
     "拷贝和核函数都提交到程序自己创建的流，run() 只等待这个流"},

    {"cause.blocking_copy_calls",
     "the host was in the copy calls for {share} % of the time that the copies took, the longest in {call}; expected less "
     "than {required} %",
     "主机在拷贝调用里的时间是拷贝本身时间的 {share} %，其中最长的是 {call}；应少于 {required} %"},
    {"cause.blocking_copy_calls.next",
     "use cudaMemcpyAsync, and pin the host memory of both copies: with pageable memory the call returns only when the "
     "data have been staged",
     "使用 cudaMemcpyAsync，并让两次拷贝的主机内存都是锁页的：如果内存可分页，要等数据经过中转之后调用才返回。"},
    {"cause.slow_copies",
     "{direction} reached {rate} GB/s, {times} times the rate of pageable memory here ({pageable} GB/s); expected {required} GB/s "
     "or more, pinned memory reaches {pinned} GB/s",
     "{direction} 只达到 {rate} GB/s，是这里可分页内存速度（{pageable} GB/s）的 {times} 倍；应至少 {required} GB/s，"
     "锁页内存能达到 {pinned} GB/s"},
    {"cause.slow_copies.next",
     "pin the host memory of this direction, and move all of the data in one copy: each copy costs some microseconds by itself",
     "把这个方向用到的主机内存变成锁页内存，并用一次拷贝传完全部数据：每次拷贝本身都要花几微秒。"},
    {"cause.pinning_in_run", "{call} is called in run(), where time counts; such calls: {calls}",
     "run() 是计时的，却在其中调用了 {call}；这类调用共 {calls} 次"},
    {"cause.pinning_in_run.next",
     "pin memory once, in allocate(), and give it back in release(): pinning a page costs more than copying it",
     "只在 allocate() 里锁页一次，在 release() 里归还：锁一页比拷贝一页还费时间。"},
    {"cause.nothing_registered", "allocate() never calls cudaHostRegister", "allocate() 没有调用 cudaHostRegister"},
    {"cause.nothing_registered.next",
     "host_input belongs to the library and stays where it is: pin it in place, "
     "cudaHostRegister(host_input, bytes, cudaHostRegisterDefault)",
     "host_input 归库所有，位置不能变：用 cudaHostRegister(host_input, bytes, cudaHostRegisterDefault) 就地锁页。"},
    {"cause.no_pinned_allocation", "allocate() never calls cudaMallocHost", "allocate() 没有调用 cudaMallocHost"},
    {"cause.no_pinned_allocation.next",
     "host_output is yours, so it can be pinned from the beginning: let cudaMallocHost allocate it, and cudaFreeHost free it",
     "host_output 是你自己的，可以一开始就是锁页内存：用 cudaMallocHost 分配，用 cudaFreeHost 释放。"},
    {"cause.another_pinned_buffer", "allocate() allocates {calls} pinned buffers; expected one, host_output",
     "allocate() 分配了 {calls} 块锁页内存；应该只有 host_output 一块"},
    {"cause.another_pinned_buffer.next",
     "leave the data in the library's memory and register that: a second buffer costs memory, and a copy by the host for "
     "each run()",
     "数据就留在库的内存里，把那块内存注册即可：再开一块缓冲区既占内存，每次 run() 又要主机多拷贝一遍。"},
    {"cause.input_not_in_place", "{copies} of {of} copies to the device do not read host_input where the library put it",
     "{of} 次到设备的拷贝中有 {copies} 次不是从库存放 host_input 的地方读取的"},
    {"cause.input_not_in_place.next",
     "copy to the device from the library's own memory, the one that cudaHostRegister pinned; no other buffer is needed",
     "直接从库自己的内存（已用 cudaHostRegister 锁页）拷贝到设备，不需要别的缓冲区。"},
    {"cause.device_wide_wait", "run() waits for the whole device with {call}; such calls: {calls}",
     "run() 用 {call} 等待了整个设备；这类调用共 {calls} 次"},
    {"cause.device_wide_wait.next",
     "wait for the stream that has your work, cudaStreamSynchronize(stream): other parts of a program may use the device too",
     "只等待有你的任务的那个流：cudaStreamSynchronize(stream)。程序的其他部分也可能在用这个设备。"},
    {"cause.no_wait", "run() makes no call that waits: it returns whether the stream is done or not",
     "run() 里没有任何等待的调用：不管流做没做完，它都会返回"},
    {"cause.no_wait.next", "wait after the host's own work, before run() returns: LAB_TRY(cudaStreamSynchronize(stream))",
     "在主机自己的工作之后、run() 返回之前等待：LAB_TRY(cudaStreamSynchronize(stream))。"},
    {"cause.host_work_before_device",
     "the host's own work was over before the device had anything to do: the device worked during {share} % of it, "
     "expected at least {required} %",
     "设备还没开始工作，主机自己的工作就做完了：这段时间里设备只有 {share} % 的时间在工作，至少应为 {required} %"},
    {"cause.host_work_before_device.next",
     "issue the copy in, the kernel and the copy out first; then call lab::host_work(problem), then wait",
     "先提交拷入、核函数和拷出，再调用 lab::host_work(problem)，最后等待。"},
    {"cause.host_work_after_device",
     "the host's own work began when the device had finished: the device worked during {share} % of it, expected at "
     "least {required} %",
     "设备做完之后，主机才开始自己的工作：这段时间里设备只有 {share} % 的时间在工作，至少应为 {required} %"},
    {"cause.host_work_after_device.next",
     "call lab::host_work(problem) after the last operation is issued and before the wait; and see that no copy call "
     "blocks (pinned memory, cudaMemcpyAsync)",
     "在提交最后一个操作之后、等待之前调用 lab::host_work(problem)；并确认没有哪个拷贝调用会阻塞（锁页内存，cudaMemcpyAsync）。"},
    {"cause.host_work_partly_beside",
     "the device worked during {share} % of the host's own work, expected at least {required} %",
     "主机做自己的工作时，设备只有 {share} % 的时间在工作，至少应为 {required} %"},
    {"cause.host_work_partly_beside.next",
     "issue all three operations before lab::host_work(problem): what is issued after it, or waited for before it, does "
     "not run beside it; a copy with pageable memory is waited for in its call",
     "在 lab::host_work(problem) 之前把三个操作都提交：在它之后才提交的，或者在它之前就等完的，都不会与它同时进行；可分页内存的拷贝在调用里就等完了。"},
};

}  // namespace

std::span<const Entry> lab_pinned_async() {
    return entries;
}

}  // namespace messages::catalog
