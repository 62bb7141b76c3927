// What the simulated device found wrong. "finding.<kind>" says what happened, "finding.<kind>.next" what to try.
#include "messages/catalog.hpp"

namespace messages::catalog {
namespace {

constexpr Entry entries[] = {
    // The frame of a finding's lines.
    {"severity.error", "error: ", "错误："},
    {"severity.warning", "warning: ", "警告："},
    {"severity.next", "try this: ", "建议："},
    {"finding.other_access", "the other access is here", "另一次访问在这里"},
    {"finding.unknown", "{kind} ({details})", "发现问题 {kind}（{details}）"},
    {"stream.legacy_default", "0 (legacy default)", "0，传统默认流"},

    // How an access is named: {first} and {second} of unordered_access.
    {"access.operation", "{name} on stream {stream}", "{name}（流 {stream}）"},
    {"access.copy_reads", "{name} on stream {stream} reads", "{name}（流 {stream}）读"},
    {"access.copy_writes", "{name} on stream {stream} writes", "{name}（流 {stream}）写"},
    {"access.kernel_reads", "kernel {name} on stream {stream} reads", "核函数 {name}（流 {stream}）读"},
    {"access.kernel_writes", "kernel {name} on stream {stream} writes", "核函数 {name}（流 {stream}）写"},
    {"access.memset_writes", "{name} on stream {stream} writes", "{name}（流 {stream}）写"},
    {"access.allocation", "the allocation by {name} on stream {stream}", "{name} 的分配（流 {stream}）"},
    {"access.free", "the free by {name} on stream {stream}", "{name} 的释放（流 {stream}）"},
    {"access.host_function_reads", "the host function of {name} on stream {stream} reads",
     "{name} 的主机函数（流 {stream}）读"},
    {"access.host_function_writes", "the host function of {name} on stream {stream} writes",
     "{name} 的主机函数（流 {stream}）写"},
    {"access.host_reads", "host code reads", "主机代码读"},
    {"access.host_writes", "host code writes", "主机代码写"},
    {"access.check_reads", "the check reads {name}", "检查程序读 {name}"},
    {"access.check_writes", "the check writes {name}", "检查程序写 {name}"},
    {"access.function_reads", "{name} reads", "{name} 读"},
    {"access.function_writes", "{name} writes", "{name} 写"},

    // The call that would order two accesses: {order} of unordered_access.
    {"order.stream_synchronize",
     "let the host wait before it makes the second access: cudaStreamSynchronize on the stream of the first, or "
     "cudaEventSynchronize on an event that was recorded after the first",
     "让主机在进行第二次访问之前等待：对第一次访问所在的流调用 cudaStreamSynchronize，"
     "或对在第一次访问之后记录的事件调用 cudaEventSynchronize"},
    {"order.event_synchronize",
     "record an event after the first access and call cudaEventSynchronize before the host makes the second",
     "在第一次访问之后记录一个事件，并在主机进行第二次访问之前调用 cudaEventSynchronize"},
    {"order.device_synchronize", "call cudaDeviceSynchronize before the host makes the second access",
     "在主机进行第二次访问之前调用 cudaDeviceSynchronize"},
    {"order.event_between_streams",
     "record an event after the first access (cudaEventRecord) and let the other stream wait for it before the second "
     "(cudaStreamWaitEvent), or issue both in the same stream",
     "在第一次访问之后记录事件（cudaEventRecord），让另一个流在第二次访问之前等待它（cudaStreamWaitEvent）；"
     "也可以把两者放进同一个流"},
    {"order.event_recorded_too_early",
     "stream {waiting} waits for an event of stream {awaited}, but for one that was recorded before this work: record "
     "the "
     "event after the work it is to stand for (cudaEventRecord), and make the wait (cudaStreamWaitEvent) after that",
     "流 {waiting} 等待了流 {awaited} 里的事件，但那个事件在这项工作之前就已记录：先在它要代表的工作之后记录事件"
     "（cudaEventRecord），然后再让流等待（cudaStreamWaitEvent）"},
    {"order.event_recorded_where_it_waits",
     "stream {waiting} waits for an event that was recorded in stream {waiting} itself, which orders nothing: record it in "
     "stream {awaited}, after the first access",
     "流 {waiting} 等待的事件是在流 {waiting} 自己里记录的，等了等于没等：请在流 {awaited} 里、第一次访问之后记录它"},
    {"order.same_stream", "issue both in the same stream", "把两者放进同一个流"},

    // Which bytes: {range} of unordered_access.
    {"range.device", "bytes {begin} to {end} of an allocation of device memory",
     "一块设备内存的第 {begin} 至 {end} 字节"},
    {"range.host", "bytes {begin} to {end} of a host buffer", "一块主机缓冲区的第 {begin} 至 {end} 字节"},

    {"finding.unordered_access",
     "two accesses to the same {bytes} bytes ({range}) with nothing that orders them: {first}; {second}",
     "对同一段内存（{range}，共 {bytes} 字节）有两次访问，二者之间没有任何先后保证：{first}；{second}"},
    {"finding.unordered_access.next", "{order}", "{order}。"},

    {"finding.unwritten_memory_read",
     "{first} {bytes} bytes that nothing has written ({range}): their values are arbitrary",
     "{first}了从未写入过的 {bytes} 字节（{range}）：读到的值是不确定的"},
    {"finding.unwritten_memory_read.next",
     "fill the memory before it is read: copy the input there, or set it to zero with cudaMemset or cudaMemsetAsync; "
     "or "
     "check that the kernel is given the right pointer and number of elements",
     "在读取之前先写入这段内存：把输入拷贝进去，或用 cudaMemset、cudaMemsetAsync "
     "清零；也请检查传给核函数的指针和元素个数"},
    {"finding.unwritten_memory_read.other", "the kernel is launched here", "核函数在这里启动"},
    {"finding.unwritten_memory_copied",
     "{second} what {first}, but it was copied from device memory that nothing had written: the values are arbitrary",
     "{second}的是{first}入的数据，而拷贝的源是从未写入过的设备内存：读到的值是不确定的"},
    {"finding.unwritten_memory_copied.next",
     "check that the copy reads the memory that the kernel writes, and that the kernel was launched without an error",
     "检查拷贝的源是否就是核函数写入的那块内存，以及核函数是否启动成功。"},
    {"finding.unwritten_memory_copied.other", "the copy is made here", "拷贝在这里"},

    {"finding.order_not_promised",
     "nothing that CUDA promises orders these accesses: {first}; {second}. It works here because a copy with pageable "
     "host memory is waited for, which is not promised",
     "CUDA 并不保证这两次访问的先后：{first}；{second}。这里结果正确，是因为用可分页内存时，调用会等"
     "拷贝完成才返回，而这一点 CUDA 也不保证"},
    {"finding.order_not_promised.next",
     "wait for the stream (cudaStreamSynchronize) before using the data; to have the copy overlap other work, allocate "
     "the host memory with cudaHostAlloc",
     "使用数据之前先等待这个流（cudaStreamSynchronize）；若想让拷贝与其他工作重叠，请用 cudaHostAlloc "
     "分配锁页内存（pinned）。"},

    {"finding.leaked_device_memory", "{bytes} bytes of device memory were allocated here and never freed",
     "这里分配的 {bytes} 字节设备内存一直没有释放"},
    {"finding.leaked_device_memory.next", "call cudaFree when the work is done, also on the way out after an error",
     "用完后调用 cudaFree；出错提前返回时也要释放。"},

    {"finding.leaked_host_memory",
     "{bytes} bytes of pinned host memory were allocated or registered here and never given back",
     "这里分配或注册的 {bytes} 字节锁页内存（pinned）一直没有归还"},
    {"finding.leaked_host_memory.next",
     "call cudaFreeHost when the work is done (cudaHostUnregister for registered memory), also on the way out after an "
     "error",
     "用完后调用 cudaFreeHost（注册的内存用 cudaHostUnregister）；出错提前返回时也要释放。"},

    {"finding.leaked_managed_memory", "{bytes} bytes of managed memory were allocated here and never freed",
     "这里分配的 {bytes} 字节托管内存（managed memory）一直没有释放"},
    {"finding.leaked_managed_memory.next", "call cudaFree when the work is done, also on the way out after an error",
     "用完后调用 cudaFree；出错提前返回时也要释放。"},

    {"finding.leaked_stream", "a stream was created here and never destroyed", "这里创建的流一直没有销毁"},
    {"finding.leaked_stream.next", "call cudaStreamDestroy when the work is done, also on the way out after an error",
     "用完后调用 cudaStreamDestroy；出错提前返回时也要销毁。"},

    {"finding.leaked_graph", "a graph was made here and never destroyed", "这里创建的图（graph）一直没有销毁"},
    {"finding.leaked_graph.next",
     "call cudaGraphExecDestroy and cudaGraphDestroy when the work is done, also on the way out after an error",
     "用完后调用 cudaGraphExecDestroy 和 cudaGraphDestroy；出错提前返回时也要销毁。"},

    {"finding.leaked_event", "an event was created here and never destroyed", "这里创建的事件一直没有销毁"},
    {"finding.leaked_event.next", "call cudaEventDestroy when the work is done, also on the way out after an error",
     "用完后调用 cudaEventDestroy；出错提前返回时也要销毁。"},

    {"finding.timing_event_orders",
     "an event was created here with timing, and is used only to order streams (cudaStreamWaitEvent)",
     "这里创建的事件带有计时功能，却只用来安排流之间的先后（cudaStreamWaitEvent）"},
    {"finding.timing_event_orders.next",
     "create it with cudaEventCreateWithFlags(&event, cudaEventDisableTiming): without timing, recording it and "
     "waiting "
     "for it cost less",
     "改用 cudaEventCreateWithFlags(&event, cudaEventDisableTiming) 创建：不带计时的事件，记录和等待的开销都更小。"},

    {"finding.waits_for_nothing",
     "{call} is called here for an event that has not been recorded: that is an empty set of work, so it waits for "
     "nothing",
     "这里调用 {call} 时，事件还没有记录过：从未记录过的事件不代表任何工作，等了等于没等"},
    {"finding.waits_for_nothing.next",
     "call cudaEventRecord after the work to be waited for, in the stream of that work, before this call is made",
     "先在要等的工作之后、在它所在的流里调用 cudaEventRecord，再调用这里的等待。"},
    {"finding.results_without_copy",
     "host code or a kernel writes results here; results come by copies from the device",
     "这里由主机代码或核函数直接写入结果；结果应通过拷贝从设备取得"},
    {"finding.results_without_copy.next",
     "let a kernel compute the results in device memory, and copy them to where they are read",
     "让核函数在设备内存里计算结果，再把结果拷贝到读取它们的地方。"},
    {"finding.input_written_by_host", "this copies what the host wrote there before, not the input where it was given",
     "这里拷贝的是主机代码另外写入的数据，而不是原处的输入"},
    {"finding.input_written_by_host.next", "copy from the memory that the input was given in",
     "直接从输入所在的内存拷贝。"},
    {"finding.injected_failure", "{call} was made to fail here, as you asked: call {n} of those that can fail",
     "按你的要求让这里的 {call} 失败：可能失败的第 {n} 个调用"},
    {"finding.injected_failure.next",
     "look at what the program does now: does it report the error, and give back what it holds?",
     "看看程序接下来做什么：它是否报告了错误，并归还了它持有的资源？"},

    {"finding.use_after_free", "memory is used here after it was freed", "这里使用了已经释放的内存"},
    {"finding.use_after_free.next",
     "free memory only after the last operation that uses it has completed, and set the pointer to nullptr",
     "等最后一个使用它的操作完成之后再释放，并把指针设为 nullptr。"},

    {"finding.use_after_reset", "{call} is given a stream or an event here that cudaDeviceReset has destroyed",
     "这里传给 {call} 的流或事件已被 cudaDeviceReset 销毁"},
    {"finding.use_after_reset.next",
     "call cudaDeviceReset once, behind the last use of the device, or create the streams and events again",
     "只在最后一次使用设备之后调用一次 cudaDeviceReset，否则要重新创建流和事件。"},
    {"finding.use_after_destruction", "{call} is given a stream or an event here that was destroyed before",
     "这里传给 {call} 的流或事件先前已被销毁"},
    {"finding.use_after_destruction.next",
     "call cudaStreamDestroy and cudaEventDestroy once, behind the last call that uses the stream or event",
     "对每个流或事件只调用一次 cudaStreamDestroy 或 cudaEventDestroy，并放在最后一个使用它的调用之后。"},
    {"finding.device_assertion", "assert({condition}) does not hold (block {block}, thread {thread})",
     "assert({condition}) 不成立（线程块 {block}，线程 {thread}）"},
    {"finding.device_assertion.next",
     "a kernel's assert() tells what it was given or computed: print the values there with printf",
     "核函数里的 assert() 检查它得到或算出的值：可以在那里用 printf 打印这些值。"},
    {"finding.not_simulated", "{what} is not simulated: this call returns cudaErrorNotSupported",
     "模拟设备不支持 {what}：这次调用返回 cudaErrorNotSupported"},
    {"finding.not_simulated.next", "run the program on a GPU (--device gpu), or do without",
     "在 GPU 上运行这个程序（--device gpu），或者不使用它。"},

    {"finding.copy_out_of_bounds",
     "a copy of {bytes} bytes leaves the allocation that it is in, which has {allocation_bytes} bytes",
     "这次拷贝（{bytes} 字节）超出了它所在的内存块：那一块共 {allocation_bytes} 字节"},
    {"finding.copy_out_of_bounds.next",
     "check the offset (in elements) and the size (in bytes), and the last chunk, which may be shorter",
     "检查偏移（以元素计）和大小（以字节计），以及可能较短的最后一块。"},

    {"finding.kernel_out_of_bounds",
     "kernel {kernel} accesses {bytes} bytes outside every allocation (block {block}, thread {thread})",
     "核函数 {kernel} 访问越界：有 {bytes} 字节不属于任何已分配的内存（线程块 {block}，线程 {thread}）"},
    {"finding.kernel_out_of_bounds.next",
     "let threads whose index is not below the number of elements return at once, and pass that number for each chunk",
     "让下标不小于元素个数的线程直接返回，并为每一块传入它自己的元素个数。"},

    {"finding.shared_memory_out_of_bounds",
     "kernel {kernel} accesses {bytes} bytes beside its shared memory of {size} bytes (block {block}, thread {thread})",
     "核函数 {kernel} 访问越界：有 {bytes} 字节在它 {size} 字节的共享内存之外（线程块 {block}，线程 {thread}）"},
    {"finding.shared_memory_out_of_bounds.next",
     "check the index against the array's size; dynamic shared memory has as many bytes as the third launch argument says",
     "检查下标是否超出数组大小；动态共享内存的大小由启动时的第三个参数（以字节计）决定。"},

    {"finding.barrier_never_reached",
     "kernel {kernel} never ends: thread {thread} of block {block} waits here for threads that wait elsewhere",
     "核函数 {kernel} 永远不会结束：线程块 {block} 的线程 {thread} 在这里等待，而它所等的线程停在别处"},
    {"finding.barrier_never_reached.other", "the other threads wait here", "其他线程在这里等待"},
    {"finding.barrier_never_reached.next",
     "let all threads of the block reach the same __syncthreads(), and all lanes that a mask names the same warp "
     "function",
     "让线程块的所有线程都到达同一个 __syncthreads()，让掩码中的所有线程都调用同一个线程束函数。"},

    {"finding.barrier_diverged",
     "kernel {kernel}: thread {thread} of block {block} waits at this __syncthreads() while others wait at another one",
     "核函数 {kernel}：线程块 {block} 的线程 {thread} 在这个 __syncthreads() 等待，其他线程却在另一个等待"},
    {"finding.barrier_diverged.other", "the other threads wait here", "其他线程在这里等待"},
    {"finding.barrier_diverged.next",
     "put __syncthreads() where all threads of the block come by: outside of branches that only some of them take",
     "把 __syncthreads() 放在线程块的所有线程都会经过的地方，不要放进只有一部分线程进入的分支。"},

    {"finding.lane_not_in_mask",
     "kernel {kernel}: thread {thread} of block {block} calls a warp function whose mask does not name it",
     "核函数 {kernel}：线程块 {block} 的线程 {thread} 调用了线程束函数，而掩码中没有它自己"},
    {"finding.lane_not_in_mask.next",
     "name every lane that makes the call: 0xffffffff for a whole warp, or a mask from __ballot_sync taken before the "
     "branch",
     "掩码要包含每个调用它的线程：整个线程束用 0xffffffff，或在分支之前用 __ballot_sync 求出掩码。"},

    {"finding.wrong_copy_direction", "the copy is declared {given}, but its pointers make it {found}",
     "这次拷贝声明的方向是 {given}，而指针表明它是 {found}"},
    {"finding.wrong_copy_direction.next", "the order is destination, source, bytes, direction: correct what is swapped",
     "参数顺序是目标、源、字节数、方向：请改正写反的那一个。"},

    {"finding.device_pointer_on_host", "host code uses a pointer to device memory", "主机代码直接使用了设备内存的指针"},
    {"finding.device_pointer_on_host.next", "copy the data to host memory first (cudaMemcpy or cudaMemcpyAsync)",
     "先把数据拷贝到主机内存（cudaMemcpy 或 cudaMemcpyAsync）。"},

    {"finding.kernel_invalid_address", "kernel {kernel} accesses {where} (block {block}, thread {thread})",
     "核函数 {kernel} 访问了{where}（线程块 {block}，线程 {thread}）"},
    {"finding.kernel_invalid_address.next",
     "check that the pointer was set (by a cudaMalloc whose result was checked) and that the index is what you expect; "
     "on a GPU later calls return cudaErrorIllegalAddress",
     "确认指针已经设置好（cudaMalloc 成功，返回值也检查过），并确认下标符合预期；在 GPU 上，之后的调用会返回 "
     "cudaErrorIllegalAddress。"},
    {"address.null", "memory through a null pointer", "空指针所指的内存"},
    {"address.nowhere", "an address that belongs to no allocation", "不属于任何已分配内存的地址"},
    {"address.stack", "memory beyond its stack, as endless recursion or very large local arrays do",
     "栈以外的内存（通常是无限递归，或局部数组太大）"},
    {"finding.kernel_division_by_zero",
     "kernel {kernel} divides an integer by zero (block {block}, thread {thread}): a GPU goes on with an arbitrary number, "
     "the simulated device ends the program",
     "核函数 {kernel} 用整数除以零（线程块 {block}，线程 {thread}）：GPU 会带着任意的结果继续运行，模拟设备则结束程序"},
    {"finding.kernel_division_by_zero.next", "check the divisor before the division", "做除法之前先检查除数。"},
    {"finding.host_pointer_in_kernel",
     "kernel {kernel} uses a pointer to pageable host memory, which a kernel cannot reach (block {block}, thread "
     "{thread})",
     "核函数 {kernel} 使用了指向主机可分页内存的指针，而核函数无法访问这种内存（线程块 {block}，线程 {thread}）"},
    {"finding.host_pointer_in_kernel.other", "the kernel is launched here", "核函数在这里启动"},
    {"finding.host_pointer_in_kernel.next",
     "pass a pointer to device memory (cudaMalloc), into which the data were copied; or allocate the memory with "
     "cudaMallocManaged",
     "传入设备内存（cudaMalloc）的指针，并先把数据拷贝进去；也可以用 cudaMallocManaged 分配这块内存。"},

    {"finding.impossible_launch", "this kernel cannot be launched: {reason}", "这个核函数无法启动：{reason}"},
    {"finding.impossible_launch.next",
     "correct the launch configuration <<<grid, block, shared bytes, stream>>>; an empty problem needs no launch",
     "改正启动配置 <<<grid, block, shared_bytes, stream>>>；没有数据时不需要启动。"},
    {"launch.zero_dimension", "a dimension of the grid or the block is 0", "网格或线程块有一个维度为 0"},
    {"launch.too_many_threads", "{found} threads in a block, at most {limit} are possible",
     "一个线程块有 {found} 个线程，最多只能有 {limit} 个"},
    {"launch.block_too_large", "a block dimension of {found}, at most {limit} is possible",
     "线程块的一个维度为 {found}，最大只能是 {limit}"},
    {"launch.grid_too_large", "a grid dimension of {found}, at most {limit} is possible",
     "网格的一个维度为 {found}，最大只能是 {limit}"},
    {"launch.shared_memory_not_asked_for",
     "{found} bytes of dynamic shared memory, at most {limit} are possible unless cudaFuncSetAttribute allows more",
     "动态共享内存为 {found} 字节，除非用 cudaFuncSetAttribute 申请更多，否则最多 {limit} 字节"},
    {"launch.too_much_shared_memory", "{found} bytes of shared memory, at most {limit} are possible",
     "共享内存为 {found} 字节，最多只能有 {limit} 字节"},

    {"finding.call_in_host_function",
     "{call} is called in a host function that runs in a stream, where no CUDA call is allowed",
     "主机函数在流里执行，其中调用了 {call}，而那里不允许任何 CUDA 调用"},
    {"finding.call_in_host_function.next",
     "let the host function only note what is to be done, and make the CUDA call in the thread that waits for the "
     "stream",
     "让主机函数只记下要做的事，由等待这个流的线程去调用 CUDA。"},

    {"finding.unchecked_error", "{call} failed with {error}, and the program never looked at the error",
     "{call} 失败并返回 {error}，而程序从未检查这个错误"},
    {"finding.unchecked_error.next",
     "check what every CUDA call returns, and call cudaGetLastError after each kernel launch",
     "检查每个 CUDA 调用的返回值，并在每次启动核函数之后调用 cudaGetLastError。"},
};

}  // namespace

std::span<const Entry> findings() {
    return entries;
}

}  // namespace messages::catalog
