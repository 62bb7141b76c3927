// The older name of nvtx3/nvToolsExt.h.
#pragma once

#include "nvtx3/nvToolsExt.h"
