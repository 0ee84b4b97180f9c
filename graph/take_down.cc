// Tested by tensor_list_test.cc and optional_test.cc.

#include "graph/take_down.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

namespace tagflow {
namespace {

// Where tensors wait while another value is being taken down on this thread, null otherwise.
thread_local std::vector<Tensor>* doomed = nullptr;

}  // namespace

void TakeDown(std::span<Tensor> tensors) {
  auto is_variant = [](const Tensor& t) { return t.dtype() == DType::kVariant; };
  if (std::none_of(tensors.begin(), tensors.end(), is_variant)) return;
  std::vector<Tensor> mine;
  const bool outermost = doomed == nullptr;
  if (outermost) doomed = &mine;
  try {
    for (Tensor& tensor : tensors) doomed->push_back(std::move(tensor));
  } catch (const std::bad_alloc&) {
    // Those that find no room go with the value that holds them, by recursion.
  }
  if (!outermost) return;
  while (!mine.empty()) {
    const Tensor next = std::move(mine.back());
    mine.pop_back();
  }
  doomed = nullptr;
}

}  // namespace tagflow
