// The serial version of the pinned-memory lab: pinned copies and one kernel, one after the other, and the host's own work
// when all of that is over. The checks run it beside the student's program: its time is the one to beat, and it measures
// what this device can do.
#include "lab/baseline.h"

LAB_MAIN_WITH_CALIBRATION(lab::baseline::Serial, lab::baseline::calibrate)
