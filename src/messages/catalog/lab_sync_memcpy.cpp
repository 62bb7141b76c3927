// What the lab on synchronous copies says: the size of copies, and the host's own work.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"check.host_work_done", "The host's own work is done, once in each run", "每次运行都完成一次主机自己的工作"},
    {"check.host_work_done.expected", "run() calls lab::host_work(problem) exactly once",
     "run() 恰好调用一次 lab::host_work(problem)"},
    {"check.copy_bandwidth", "The data moves in large copies", "数据以大块拷贝传输"},
    {"check.copy_bandwidth.expected", "the copies move the data at half the rate of large copies or faster",
     "拷贝传输数据的速度至少达到大块拷贝的一半"},
    {"check.host_work_overlap", "The host works while the kernel runs", "核函数运行时主机在做自己的工作"},
    {"check.host_work_overlap.expected", "the host's own work is done while a kernel runs",
     "主机自己的工作在核函数运行期间进行"},

    {"cause.small_copies",
     "{copies} copies moved the data at {rate} GB/s; large copies reach {large_rate} GB/s here. That is {share} %, required: "
     "{required} %",
     "{copies} 次拷贝以 {rate} GB/s 的速度传输数据，而这里大块拷贝可达 {large_rate} GB/s；只占 {share} %，要求至少 {required} %"},
    {"cause.small_copies.next",
     "every call costs some microseconds, however little it copies: copy all bytes of one direction with one cudaMemcpy",
     "每次调用都要花几微秒，拷贝得再少也一样：一个方向的全部数据用一次 cudaMemcpy 拷贝。"},
    {"cause.host_work_before_kernel",
     "lab::host_work() ran before the kernel: {share} % of its time lay beside a kernel, required: {required} %",
     "lab::host_work() 在核函数之前运行：只有 {share} % 的时间与核函数重叠，要求至少 {required} %"},
    {"cause.host_work_before_kernel.next",
     "launch the kernel first, then call lab::host_work(problem): the launch returns at once, and the kernel runs meanwhile",
     "先启动核函数，再调用 lab::host_work(problem)：启动会立即返回，核函数在此期间运行。"},
    {"cause.host_work_after_kernel",
     "lab::host_work() ran after the kernel: {share} % of its time lay beside a kernel, required: {required} %",
     "lab::host_work() 在核函数之后运行：只有 {share} % 的时间与核函数重叠，要求至少 {required} %"},
    {"cause.host_work_after_kernel.next",
     "call lab::host_work(problem) right after the launch, before anything that waits for the kernel: "
     "cudaDeviceSynchronize waits, and so does the copy of the results (into pageable memory also cudaMemcpyAsync)",
     "启动之后马上调用 lab::host_work(problem)，放在一切等待核函数的调用之前：cudaDeviceSynchronize 会等待，拷回结果的拷贝"
     "也会等待（目标是可分页内存时，cudaMemcpyAsync 也一样）。"},
    {"cause.host_work_beside_little",
     "a kernel ran during {share} % of the time in lab::host_work(), required: {required} %",
     "lab::host_work() 的时间里只有 {share} % 有核函数在运行，要求至少 {required} %"},
    {"cause.host_work_beside_little.next",
     "start all of the kernel's work first, then do all of the host's: call lab::host_work(problem) right after the launch",
     "先启动核函数的全部工作，再做主机的全部工作：启动之后马上调用 lab::host_work(problem)。"},
};

}  // namespace

std::span<const Entry> lab_sync_memcpy() { return entries; }

}  // namespace messages::catalog
