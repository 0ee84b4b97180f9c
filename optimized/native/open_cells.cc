#include "optimized/native/open_cells.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "graph/tensor_list.h"
#include "optimized/kernels/lists.h"

namespace tagflow::optimized {

struct OpenCells::OpenList : ListCells {
  bool TurnOwn(int64_t index) {
    if (index >= most) return false;
    try {
      list->ResizeEmptied(std::max(size, index + 1));
      const int64_t begin = index / TensorList::kWidth * TensorList::kWidth;
      const int64_t end = std::min(begin + TensorList::kWidth, most);
      own = {CellsOf(list->OwnElements(index)), begin, end};
      shared = {own.cells, begin, end};
      // Elements are taken from the end: those before the window are owned, too, so that a list
      // that is left with them is closed without new memory.
      if (index + 1 == size && begin > 0) list->OwnElements(begin - 1);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  bool TurnShared(int64_t index) {
    if (IsIn(own, index)) {
      shared = own;
      return true;
    }
    const Tensor& element = list->Get(index);
    if (!element.has_value()) return false;  // there may be no leaf
    shared.begin = index / TensorList::kWidth * TensorList::kWidth;
    shared.end = std::min(shared.begin + TensorList::kWidth, size);
    shared.cells = CellsOf(const_cast<Tensor*>(&element - (index - shared.begin)));
    return true;
  }

  Tensor tensor;               // that holds the list; empty: no list is open here
  TensorList* list = nullptr;  // as long as `size` says once it is closed
  int64_t most = 0;            // elements that it may have

 private:
  static Cell* CellsOf(Tensor* elements) { return reinterpret_cast<Cell*>(elements); }
};

OpenCells::OpenCells() = default;
OpenCells::~OpenCells() { ShutObjects(); }

Cells* OpenCells::Open(CellsKind kind, Tensor& slot, const TensorType* type) noexcept {
  try {
    return kind == CellsKind::kList ? OpenListIn(slot, type) : OpenObjectOf(kind, slot, type);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

Cells* OpenCells::OpenObjectOf(CellsKind kind, const Tensor& handle, const TensorType* type) {
  if (handle.dtype() != DType::kResource || handle.num_elements() != 1) return nullptr;
  const std::shared_ptr<Resource>& resource = handle.data<ResourceHandle>()->object;
  for (const OpenObject& open : objects_) {
    if (open.object == resource) return open.cells->kind == kind ? open.cells : nullptr;
  }
  auto object = std::dynamic_pointer_cast<StepObject>(resource);
  if (object == nullptr) return nullptr;
  objects_.reserve(objects_.size() + 1);
  Cells* const cells = object->TryOpen(type);
  if (cells == nullptr) return nullptr;
  cells->type = type;
  objects_.push_back({std::move(object), cells});
  return cells->kind == kind ? cells : nullptr;
}

Cells* OpenCells::OpenListIn(Tensor& slot, const TensorType* type) {
  if (TensorList::In(slot) == nullptr) return nullptr;
  TensorList* const list = OwnedList(slot);
  const DimsView dims = type == nullptr ? DimsView() : DimsView(type->dims);
  if (list == nullptr || !list->element_shape().Accepts(dims)) return nullptr;
  if (type != nullptr && type->dtype != list->dtype()) return nullptr;
  const auto is_unused = [](const auto& open) { return !open->tensor.has_value(); };
  auto unused = std::ranges::find_if(lists_, is_unused);
  if (unused == lists_.end()) {
    lists_.push_back(std::make_unique<OpenList>());
    unused = lists_.end() - 1;
  }
  OpenList& open = **unused;
  open.kind = CellsKind::kList;
  open.header = HeaderOf(list->dtype(), type);
  open.type = type;
  open.own = {};
  open.shared = {};
  open.size = list->size();
  open.turn_own = [](ListCells* cells, int64_t index) {
    return static_cast<OpenList*>(cells)->TurnOwn(index);
  };
  open.turn_shared = [](ListCells* cells, int64_t index) {
    return static_cast<OpenList*>(cells)->TurnShared(index);
  };
  open.list = list;
  const int64_t most = list->max_num_elements();
  open.most = most < 0 ? std::numeric_limits<int64_t>::max() : most;
  open.tensor = std::exchange(slot, Tensor());
  return &open;
}

void OpenCells::CloseList(Cells* list, Tensor& slot) noexcept {
  auto& open = *static_cast<OpenList*>(list);
  open.list->ResizeEmptied(open.size);  // who takes an element empties its cell
  slot = std::exchange(open.tensor, Tensor());
}

void OpenCells::Shut() {
  for (const OpenObject& open : objects_) open.object->Shut();
  objects_.clear();
}

}  // namespace tagflow::optimized
