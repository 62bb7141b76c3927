// Every sentence that the command line prints comes from the messages library.
#pragma once

#include "messages/messages.hpp"

namespace course {

using messages::text;

}  // namespace course
