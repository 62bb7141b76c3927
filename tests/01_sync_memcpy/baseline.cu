// The serial version of the lab on synchronous copies: one copy of pageable memory in, one kernel, one copy out, and then
// the host's own work. The checks run it beside the student's program: its time is the one to beat, and it measures what
// this device can do.
#include "lab/baseline.h"

LAB_MAIN_WITH_CALIBRATION(lab::baseline::SerialFrom<lab::baseline::Pageable>, lab::baseline::calibrate)
