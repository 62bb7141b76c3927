// What only the checks of lab 5, double buffering, say: a producer, slots, and a consumer.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    {"check.memory_budget", "Holds no more device memory than the problem allows", "占用的设备内存不超过问题的限额"},
    {"check.memory_budget.expected",
     "all device memory together is at most problem.device_bytes, however many chunks there are",
     "无论有多少块数据，设备内存合计不超过 problem.device_bytes"},
    {"check.each_chunk_once", "Every chunk is produced once and consumed once", "每一块恰好生产一次、消费一次"},
    {"check.each_chunk_once.expected", "each run() calls lab::produce and lab::consume once for every element",
     "每次 run() 中，每个元素都恰好经过一次 lab::produce 和一次 lab::consume"},
    {"check.producer_overlaps", "The device works while the host produces and consumes", "主机生产和消费时设备也在工作"},
    {"check.producer_overlaps.expected",
     "while the host is in lab::produce or lab::consume, the device has other chunks to copy or to compute",
     "主机处于 lab::produce 或 lab::consume 时，设备有其他的块可以拷贝或计算"},

    {"check.copies_overlap", "Copies run while kernels run", "拷贝与核函数同时进行"},
    {"check.copies_overlap.expected", "copies in and copies out run while the kernel of another chunk runs",
     "拷入和拷出都在其他块的核函数运行期间进行"},

    {"cause.host_stage_incomplete", "lab::{stage} was called for {share} % of the elements, expected is each of them once",
     "lab::{stage} 只处理了 {share} % 的元素，而每个元素都应恰好处理一次"},
    {"cause.host_stage_incomplete.next",
     "consume what is in a slot before you fill the slot again. After the loop the last chunks are still in their slots: go "
     "through all slots once more, from the one that was filled longest ago, wait for each and consume its results",
     "重新填入一个槽位之前，先消费其中的结果。循环结束时，最后几块还在各自的槽位里：从最早填入的槽位开始，"
     "把所有槽位再走一遍，逐个等待并消费其中的结果。"},
    {"cause.host_stage_repeated", "lab::{stage} was called for {share} % of the elements, expected is each of them once",
     "lab::{stage} 处理的元素达到 {share} %，而每个元素都应恰好处理一次"},
    {"cause.host_stage_repeated.next",
     "note in each slot whether it holds results, and forget it once they are consumed (slot.elements = 0): a slot that was "
     "emptied in the loop must not be consumed again after it, nor in the next run(). Set slot.first and slot.elements for "
     "the new chunk only when the old one is consumed",
     "在每个槽位里记下是否还有结果，消费之后就清除这个记录（slot.elements = 0）：循环里已经取走的结果，"
     "循环之后、下一次 run() 里都不能再消费。旧的一块消费完之后，才为新的一块设置 slot.first 和 slot.elements。"},
    {"cause.producer_waits",
     "the device was busy for {share} % of the time in which the host produced and consumed, required: {required} %",
     "主机生产和消费期间，设备只有 {share} % 的时间在工作，要求至少 {required} %"},
    {"cause.producer_waits.next",
     "while the host fills one slot, other slots must have work under way: issue the chunk as soon as it is produced, and "
     "consume results when their slot is needed again, not right after they were issued",
     "主机填一个槽位时，其他槽位应当有任务在进行：一块生产好就立刻提交，等到它的槽位再次要用时才消费结果，"
     "不要一提交就等着消费。"},
    {"cause.device_runs_empty",
     "after {calls} calls of {call} the device had nothing left to do, although there were chunks to come",
     "有 {calls} 次 {call} 返回时，设备上已经没有任何任务，而后面还有数据块"},
    {"cause.device_runs_empty.next",
     "hold several slots, and wait only for the slot that you are about to fill again, by its own event; the chunks in the "
     "other slots keep the device busy meanwhile. Allocate and free nothing in run(): that waits for the whole device",
     "使用几个槽位，只等待马上要重新填入的那个槽位，用它自己的事件来等；这期间其他槽位里的块让设备一直有活干。不要在 run() 里分配或释放内存：那会等待整个设备。"},
};

}  // namespace

std::span<const Entry> lab_double_buffering() { return entries; }

}  // namespace messages::catalog
