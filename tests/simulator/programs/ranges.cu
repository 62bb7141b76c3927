// Ranges of NVTX.
#include "resources.h"

#include <nvtx3/nvToolsExt.h>

#include "device/hooks.h"

using namespace cases;

namespace {

void ranges_nest() {
    EXPECT(nvtxRangePushA("outer") == 0);
    device_hooks_host_work_ns(1000);
    EXPECT(nvtxRangePush("inner") == 1);
    device_hooks_host_work_ns(2000);
    EXPECT(nvtxRangePop() == 1);
    EXPECT(nvtxRangePop() == 0);
    EXPECT(nvtxRangePop() == -1);
}

void ranges_cross() {
    const nvtxRangeId_t first = nvtxRangeStartA("first");
    device_hooks_host_work_ns(1000);
    const nvtxRangeId_t second = nvtxRangeStart("second");
    device_hooks_host_work_ns(1000);
    nvtxRangeEnd(first);
    device_hooks_host_work_ns(1000);
    nvtxRangeEnd(second);
    nvtxRangeEnd(99);
    nvtxMarkA("moment");
}

constexpr Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(ranges_nest),
    CASE(ranges_cross),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
