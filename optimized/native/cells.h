#ifndef TAGFLOW_OPTIMIZED_NATIVE_CELLS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_CELLS_H_

// Stacks, arrays and lists as machine code sees them: it puts scalars into their memory and takes
// them from there, without a call, and tensors with a short one.
//
// A container is *opened* for machine code, for scalars or for tensors of one type: nobody else
// looks at it then, and its elements are cells at known places. Each function below does what the
// kernel of its op does in the common case, and says so; else it has changed nothing, and returns
// false or null. Then the container is closed and the kernel does the work, with the errors, the
// growth and the other elements that there are.
//
// A function …Cell finds the cell that is written or read, and does all but that: who calls it puts
// the tensor there, or takes it from there, which …Keeps says whether to leave it there, too.
//
// Tested by open_cells_test.cc.

#include <cstdint>

// Marks a function that is rarely called: its callers need not keep their registers elsewhere. Only
// the compiler of machine code knows how.
#ifdef __clang__
#define TAGFLOW_RARELY_CALLED [[gnu::noinline, clang::preserve_all]]
#else
#define TAGFLOW_RARELY_CALLED
#endif

namespace tagflow::optimized {

// A tensor in memory: of a scalar the bytes are the lowest of `bits`.
//   header: its dtype; 0: no value. With kElsewhere: a tensor whose elements are elsewhere
constexpr uint16_t kElsewhere = 1 << 8;
struct Cell {
  // Becomes a scalar. REQUIRES: it has no elements elsewhere
  void Set(uint64_t new_bits, uint16_t new_header) {
    bits = new_bits;
    header = new_header;
  }

  uint64_t bits;
  uint16_t header;
  uint8_t unused[6];
};
static_assert(sizeof(Cell) == 16);

// Whether 0 <= index < size. REQUIRES: size >= 0
inline bool IsBelow(int64_t index, int64_t size) {
  return static_cast<uint64_t>(index) < static_cast<uint64_t>(size);
}

enum class CellsKind : int32_t { kStack, kArray, kList };

// Each kind of cells begins with this.
struct Cells {
  CellsKind kind;
  uint16_t header;             // that its elements have
  const void* type = nullptr;  // that they have; null: they are scalars
};
// Whether an element may be put there. REQUIRES: type is not null for tensors
inline bool Takes(const Cells* cells, uint16_t header, const void* type) {
  return header == cells->header && (type == nullptr || type == cells->type);
}

// ---- Stacks ----

// The part of a stack that its end is in.
struct StackCells : Cells {
  Cell* cells = nullptr;
  int64_t size = 0;      // of them that are the stack's
  int64_t capacity = 0;  // of them
  // The next part, which is empty, or the one before, which is full; false where there is none.
  bool (*turn_up)(StackCells* stack) = nullptr;
  bool (*turn_down)(StackCells* stack) = nullptr;
};

TAGFLOW_RARELY_CALLED inline bool TurnUp(StackCells* stack) { return stack->turn_up(stack); }
TAGFLOW_RARELY_CALLED inline bool TurnDown(StackCells* stack) { return stack->turn_down(stack); }

// Whether one may be put on top, and whether there is such an element; nothing else changes.
inline bool HasRoom(StackCells* stack, uint16_t header, const void* type) {
  return Takes(stack, header, type) && (stack->size < stack->capacity || TurnUp(stack));
}
inline bool HasTop(StackCells* stack, uint16_t header) {
  return (stack->size > 0 || TurnDown(stack)) && stack->cells[stack->size - 1].header == header;
}

inline bool StackPush(StackCells* stack, uint64_t bits, uint16_t header) {
  if (!HasRoom(stack, header, nullptr)) return false;
  stack->cells[stack->size].Set(bits, header);
  ++stack->size;
  return true;
}
inline Cell* StackPushCell(StackCells* stack, uint16_t header, const void* type) {
  return HasRoom(stack, header, type) ? &stack->cells[stack->size++] : nullptr;
}

inline bool StackPop(StackCells* stack, uint64_t* bits, uint16_t header) {
  if (!HasTop(stack, header)) return false;
  Cell& cell = stack->cells[--stack->size];
  *bits = cell.bits;
  cell.header = 0;
  return true;
}
inline Cell* StackPopCell(StackCells* stack, uint16_t header) {
  return HasTop(stack, header) ? &stack->cells[--stack->size] : nullptr;
}
inline bool StackPopKeeps(const StackCells*) { return false; }

// ---- Arrays ----

struct ArrayCell {
  uint64_t state;  // what has happened to it; 0: nothing has
  Cell cell;
};

struct ArrayCells : Cells {
  ArrayCell* cells = nullptr;
  int64_t size = 0;
  uint64_t after_write = 0;  // the state of an element then
  uint64_t after_read = 0;   // and then
  uint16_t header_left = 0;  // what a read leaves there: 0, or the element
  uint64_t takes_first = 0;  // a state besides 0 in which there is none, and one may be written
  // Makes it longer by one; whether it could.
  bool (*grow)(ArrayCells* array) = nullptr;
};

TAGFLOW_RARELY_CALLED inline bool Grow(ArrayCells* array) { return array->grow(array); }

// Whether the element may be written, and whether there is such a one; nothing changes but the
// size.
inline bool MayWrite(ArrayCells* array, int64_t index, uint16_t header, const void* type) {
  if (!Takes(array, header, type)) return false;
  if (!IsBelow(index, array->size) && !(index == array->size && Grow(array))) return false;
  const ArrayCell& at = array->cells[index];
  return at.cell.header == 0 && (at.state == 0 || at.state == array->takes_first);
}
inline bool MayRead(const ArrayCells* array, int64_t index, uint16_t header) {
  // An element that is cleared or not written has no value.
  return IsBelow(index, array->size) && array->cells[index].cell.header == header;
}

inline bool ArrayWrite(ArrayCells* array, int64_t index, uint64_t bits, uint16_t header) {
  if (!MayWrite(array, index, header, nullptr)) return false;
  ArrayCell& at = array->cells[index];
  at.cell.Set(bits, header);
  at.state = array->after_write;
  return true;
}
inline Cell* ArrayWriteCell(ArrayCells* array, int64_t index, uint16_t header, const void* type) {
  if (!MayWrite(array, index, header, type)) return nullptr;
  ArrayCell& at = array->cells[index];
  at.state = array->after_write;
  return &at.cell;
}

inline bool ArrayRead(ArrayCells* array, int64_t index, uint64_t* bits, uint16_t header) {
  if (!MayRead(array, index, header)) return false;
  ArrayCell& at = array->cells[index];
  *bits = at.cell.bits;
  at.cell.header = array->header_left;
  at.state = array->after_read;
  return true;
}
// REQUIRES: the array is open for elements with this header
inline Cell* ArrayReadCell(ArrayCells* array, int64_t index, uint16_t header) {
  if (header != array->header || !MayRead(array, index, header)) return nullptr;
  ArrayCell& at = array->cells[index];
  at.state = array->after_read;
  return &at.cell;
}
inline bool ArrayReadKeeps(const ArrayCells* array) { return array->header_left != 0; }

// ---- Lists ----

// A part of a list, whose elements lie side by side.
struct ListWindow {
  Cell& at(int64_t index) const { return cells[index - begin]; }

  Cell* cells = nullptr;
  int64_t begin = 0;  // elements [begin, end)
  int64_t end = 0;
};

struct ListCells : Cells {
  ListWindow own;     // to read and to change: it is no other list's
  ListWindow shared;  // to read; the same, or another part
  int64_t size = 0;
  // Moves the window to where element `index` is or will be, 0 <= index <= size; whether it is
  // there now. A list that is full has no window for one more, and reading moves none to where
  // elements have no value.
  bool (*turn_own)(ListCells* list, int64_t index) = nullptr;
  bool (*turn_shared)(ListCells* list, int64_t index) = nullptr;
};

TAGFLOW_RARELY_CALLED inline bool TurnOwn(ListCells* list, int64_t index) {
  return list->turn_own(list, index);
}
TAGFLOW_RARELY_CALLED inline bool TurnShared(ListCells* list, int64_t index) {
  return list->turn_shared(list, index);
}

inline bool IsIn(const ListWindow& window, int64_t index) {
  return index >= window.begin && index < window.end;
}

// Whether one may be put at the end, whether there is such a one there, and whether one may be
// written or read at an index; nothing changes but the windows, which are around it then.
inline bool HasRoom(ListCells* list, uint16_t header, const void* type) {
  // The window has what is before the end of the list, and is left of it or around it.
  return Takes(list, header, type) && (list->size < list->own.end || TurnOwn(list, list->size));
}
inline bool HasLast(ListCells* list, uint16_t header) {
  const int64_t index = list->size - 1;
  if (index < 0 || (!IsIn(list->own, index) && !TurnOwn(list, index))) return false;
  return list->own.at(index).header == header;
}
inline bool MayWrite(ListCells* list, int64_t index, uint16_t header, const void* type) {
  return Takes(list, header, type) && IsBelow(index, list->size) &&
         (IsIn(list->own, index) || TurnOwn(list, index));
}
inline bool MayRead(ListCells* list, int64_t index, uint16_t header) {
  return IsBelow(index, list->size) && (IsIn(list->shared, index) || TurnShared(list, index)) &&
         list->shared.at(index).header == header;
}

inline bool ListPush(ListCells* list, uint64_t bits, uint16_t header) {
  if (!HasRoom(list, header, nullptr)) return false;
  list->own.at(list->size).Set(bits, header);
  ++list->size;
  return true;
}
inline Cell* ListPushCell(ListCells* list, uint16_t header, const void* type) {
  return HasRoom(list, header, type) ? &list->own.at(list->size++) : nullptr;
}

inline bool ListPop(ListCells* list, uint64_t* bits, uint16_t header) {
  if (!HasLast(list, header)) return false;
  Cell& cell = list->own.at(--list->size);
  *bits = cell.bits;
  cell.header = 0;
  return true;
}
inline Cell* ListPopCell(ListCells* list, uint16_t header) {
  return HasLast(list, header) ? &list->own.at(--list->size) : nullptr;
}
inline bool ListPopKeeps(const ListCells*) { return false; }

inline bool ListRead(ListCells* list, int64_t index, uint64_t* bits, uint16_t header) {
  if (!MayRead(list, index, header)) return false;
  *bits = list->shared.at(index).bits;
  return true;
}
inline Cell* ListReadCell(ListCells* list, int64_t index, uint16_t header) {
  return MayRead(list, index, header) ? &list->shared.at(index) : nullptr;
}
inline bool ListReadKeeps(const ListCells*) { return true; }

inline bool ListWrite(ListCells* list, int64_t index, uint64_t bits, uint16_t header) {
  if (!MayWrite(list, index, header, nullptr)) return false;
  Cell& cell = list->own.at(index);
  // A tensor whose elements are elsewhere is for a kernel to free.
  if (cell.header >= kElsewhere) return false;
  cell.Set(bits, header);
  return true;
}
inline Cell* ListWriteCell(ListCells* list, int64_t index, uint16_t header, const void* type) {
  return MayWrite(list, index, header, type) ? &list->own.at(index) : nullptr;
}

#undef TAGFLOW_RARELY_CALLED

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_CELLS_H_
