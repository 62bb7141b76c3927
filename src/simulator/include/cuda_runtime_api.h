// The runtime API without kernels, for C++ files of the host.
#pragma once

#include "simulator/api.h"
#include "simulator/types.h"
