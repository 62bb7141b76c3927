// Whole messages over a SOCK_SEQPACKET socket.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>

#include "protocol/messages.hpp"

namespace protocol {

// What came: `bytes` 0 is the end of the connection, and a message is whole only when it has exactly the expected size.
struct Received {
    std::size_t bytes = 0;
    bool whole = false;
};

// Sends one message; false when the other side is gone. Throws std::system_error for anything else.
bool send_bytes(int socket, const void* message, std::size_t bytes);

// Waits for one message and stores it when it has exactly `bytes` bytes. Throws std::system_error.
Received receive_bytes(int socket, void* message, std::size_t bytes);

// Whether a message waits to be received, without taking it.
bool message_waiting(int socket);

// Waits for a message without giving the processor away, at most for `limit`: a thread that sleeps takes up to 100 us to
// wake up, which would count as the time of what was asked. Returns early when the other side is gone, too.
void spin_for_message(int socket, std::chrono::milliseconds limit);

template <typename Message>
bool send(int socket, const Message& message) {
    return send_bytes(socket, &message, sizeof message);
}

template <typename Message>
Received receive(int socket, Message& message) {
    return receive_bytes(socket, &message, sizeof message);
}

}  // namespace protocol
