#include "protocol/shared_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace protocol {
namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

SharedMemory SharedMemory::create(std::size_t bytes) {
    Descriptor descriptor(::memfd_create("course-memory", MFD_CLOEXEC));
    if (!descriptor.valid()) {
        fail("memory to share with the lab program (memfd_create)");
    }
    const std::size_t size = std::max<std::size_t>(bytes, 4096);
    if (::ftruncate(descriptor.get(), static_cast<off_t>(size)) != 0) {
        fail("memory to share with the lab program (ftruncate)");
    }
    return SharedMemory(std::move(descriptor), size);
}

SharedMemory SharedMemory::open(Descriptor descriptor) {
    struct stat status {};
    if (::fstat(descriptor.get(), &status) != 0) {
        fail("memory shared by the check program (fstat)");
    }
    return SharedMemory(std::move(descriptor), static_cast<std::size_t>(status.st_size));
}

SharedMemory::SharedMemory(Descriptor descriptor, std::size_t bytes)
    : descriptor_(std::move(descriptor)), bytes_(bytes) {
    void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
    if (address == MAP_FAILED) {
        fail("shared memory (mmap)");
    }
    data_ = static_cast<std::byte*>(address);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

SharedMemory::~SharedMemory() {
    if (data_ != nullptr) {
        ::munmap(data_, bytes_);
    }
}

bool SharedMemory::contains(std::size_t offset, std::size_t length) const {
    return offset <= bytes_ && length <= bytes_ - offset;
}

}  // namespace protocol
