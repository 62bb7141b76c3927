// The serial version of the best-practices lab: one copy in, one kernel, one copy out, one after the other. The checks run it
// beside the student's program: its time is the one to beat, and it measures what this device can do.
#include "lab/baseline.h"

LAB_MAIN_WITH_CALIBRATION(lab::baseline::Serial, lab::baseline::calibrate)
