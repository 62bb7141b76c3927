#include "protocol/channel.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace protocol {

bool send_bytes(int socket, const void* message, std::size_t bytes) {
    for (;;) {
        if (::send(socket, message, bytes, MSG_NOSIGNAL) >= 0) {
            return true;
        }
        if (errno == EPIPE || errno == ECONNRESET) {
            return false;
        }
        if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "sending to the other program");
        }
    }
}

Received receive_bytes(int socket, void* message, std::size_t bytes) {
    for (;;) {
        // MSG_TRUNC: the real length is returned even when it is longer than the buffer.
        const ssize_t length = ::recv(socket, message, bytes, MSG_TRUNC);
        if (length >= 0) {
            return {static_cast<std::size_t>(length), static_cast<std::size_t>(length) == bytes};
        }
        if (errno == ECONNRESET) {
            return {};
        }
        if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "receiving from the other program");
        }
    }
}

bool message_waiting(int socket) {
    char byte = 0;
    return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void spin_for_message(int socket, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    char byte = 0;
    const auto nothing_yet = [&] {
        return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EINTR);
    };
    while (nothing_yet() && std::chrono::steady_clock::now() < end) {
    }
}

}  // namespace protocol
