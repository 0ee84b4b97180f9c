#include "conformance/lent_feeds.h"

#include <cstring>
#include <memory>

namespace tagflow::conformance {
namespace {

constexpr size_t kAlignment = 64;  // of a tensor's own memory
constexpr int kNonsense = 0xE5;

size_t AlignmentOf(DType dtype) {
  const size_t size = DTypeSize(dtype);
  return IsComplex(dtype) ? size / 2 : size;
}

}  // namespace

Status LentFeeds::Lend(Feeds& feeds) {
  for (auto& [name, value] : feeds) {
    if (!IsPlainDType(value.dtype()) || value.is_inline()) continue;
    const size_t bytes = value.byte_size();
    const size_t skip = AlignmentOf(value.dtype());
    auto memory = std::make_shared<std::vector<char>>(bytes + 2 * kAlignment);
    void* aligned = memory->data();
    size_t space = memory->size();
    std::align(kAlignment, bytes + skip, aligned, space);
    char* const elements = static_cast<char*>(aligned) + skip;
    std::memcpy(elements, value.raw_data(), bytes);
    loans_.push_back({name, value, memory, elements});
    TAGFLOW_ASSIGN_OR_RETURN(value, Tensor::Borrow(value.dtype(), value.dims(), elements, memory));
  }
  return Status();
}

Status LentFeeds::TakeBack() {
  Status status;
  for (const Loan& loan : std::exchange(loans_, {})) {
    const size_t bytes = loan.original.byte_size();
    if (std::memcmp(loan.elements, loan.original.raw_data(), bytes) != 0) {
      status = Internal("the step changed the memory of feed '" + loan.name + "', which was lent");
    } else if (loan.memory.use_count() != 1) {
      status = Internal("the step is over and the memory of feed '" + loan.name +
                        "', which was lent, is still held");
    }
    std::memset(loan.elements, kNonsense, bytes);
  }
  return status;
}

}  // namespace tagflow::conformance
