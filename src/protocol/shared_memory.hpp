// Memory that two processes map: inputs and outputs go through it, so that nothing is copied through a socket.
#pragma once

#include <cstddef>

#include "protocol/descriptor.hpp"

namespace protocol {

class SharedMemory {
public:
    // New memory of `bytes` zero bytes (at least one page). Throws std::system_error.
    static SharedMemory create(std::size_t bytes);

    // Maps what another process created; its size is found from the descriptor. Throws std::system_error.
    static SharedMemory open(Descriptor descriptor);

    SharedMemory(SharedMemory&& other) noexcept;
    SharedMemory& operator=(SharedMemory&& other) noexcept;
    ~SharedMemory();

    std::byte* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    int descriptor() const { return descriptor_.get(); }

    // Whether [offset, offset + length) lies inside.
    bool contains(std::size_t offset, std::size_t length) const;

private:
    SharedMemory(Descriptor descriptor, std::size_t bytes);

    Descriptor descriptor_;
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace protocol
