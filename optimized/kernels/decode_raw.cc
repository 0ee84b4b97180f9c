// DecodeRaw: numbers from their bytes.
//
// Tested by conformance/ops/parsing.ops.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct RawForm {
  DType dtype = DType::kInvalid;
  size_t turned = 1;  // how many bytes are in the other order, each
};

// How many bytes each text has; 0 where there is none.
Result<size_t> LengthOf(const Tensor& texts, DType dtype) {
  if (texts.num_elements() == 0) return size_t{0};
  const auto all = texts.flat<std::string>();
  const size_t length = all[0].size();
  const auto other =
      std::ranges::find_if(all, [&](const std::string& text) { return text.size() != length; });
  if (other != all.end()) {
    return InvalidArgument(
        "DecodeRaw requires input strings to all be the same size, but element " +
        std::to_string(other - all.begin()) + " has size " + std::to_string(other->size()) +
        ", not " + std::to_string(length));
  }
  const size_t size = DTypeSize(dtype);
  if (length % size == 0) return length;
  return InvalidArgument("Input to DecodeRaw has length " + std::to_string(length) +
                         " that is not a multiple of " + std::to_string(size) + ", the size of " +
                         DTypeName(dtype));
}

Status DecodeRaw(const RawForm& form, KernelContext& context) {
  const Tensor& texts = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const size_t length, LengthOf(texts, form.dtype));
  Dims dims(texts.dims().begin(), texts.dims().end());
  dims.push_back(static_cast<int64_t>(length / DTypeSize(form.dtype)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor numbers, Tensor::Allocate(form.dtype, dims));
  auto* const first = static_cast<std::byte*>(numbers.mutable_raw_data());
  auto* to = first;
  if (length > 0) {
    for (const std::string& text : texts.flat<std::string>()) {
      std::memcpy(to, text.data(), length);
      to += length;
    }
  }
  if (form.turned > 1) {
    for (auto* at = first; at != to; at += form.turned) std::reverse(at, at + form.turned);
  }
  if (form.dtype == DType::kBool) {  // whose bytes are 0 and 1
    std::transform(first, to, first,
                   [](std::byte byte) { return std::byte(byte != std::byte(0)); });
  }
  context.output(0) = std::move(numbers);
  return Status();
}

Result<BoundKernel> BindDecodeRaw(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool little_endian, BoolAttr(binding.node, "little_endian"));
  RawForm form;
  form.dtype = binding.output_dtype(0);
  if (!little_endian) {
    const bool is_pair = form.dtype == DType::kComplex64 || form.dtype == DType::kComplex128;
    form.turned = DTypeSize(form.dtype) / (is_pair ? 2 : 1);
  }
  return BoundKernel([form](KernelContext& context) { return DecodeRaw(form, context); });
}

}  // namespace

Status RegisterRawKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"DecodeRaw", BindDecodeRaw}});
}

}  // namespace tagflow::optimized
