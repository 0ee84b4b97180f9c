#ifndef TAGFLOW_OPTIMIZED_NATIVE_CELLS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_CELLS_H_

// Stacks, arrays and lists as machine code sees them: it puts scalars into their memory and takes
// them from there, without a call.
//
// A container is *opened* for machine code: nobody else looks at it then, and its elements are
// cells at known places. Each function below does what the kernel of its op does in the common
// case, and says so; else it has changed nothing, and returns false. Then the container is closed
// and the kernel does the work, with the errors, the growth and the other elements that there are.
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

// A scalar in the memory of a Tensor; its bytes are the lowest of `bits`.
//   header: its dtype; 0: no value. Beyond 255: a tensor whose elements are elsewhere
struct Cell {
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
  uint16_t header;  // that its scalars have
};

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

inline bool StackPush(StackCells* stack, uint64_t bits, uint16_t header) {
  if (header != stack->header) return false;
  if (stack->size >= stack->capacity && !TurnUp(stack)) return false;
  Cell& cell = stack->cells[stack->size];
  cell.bits = bits;
  cell.header = header;
  ++stack->size;
  return true;
}

inline bool StackPop(StackCells* stack, uint64_t* bits, uint16_t header) {
  if (stack->size == 0 && !TurnDown(stack)) return false;
  Cell& cell = stack->cells[stack->size - 1];
  if (cell.header != header) return false;
  *bits = cell.bits;
  cell.header = 0;
  --stack->size;
  return true;
}

// ---- Arrays ----

struct ArrayCell {
  uint64_t state;  // what has happened to it; 0: nothing has
  Cell cell;
};

struct ArrayCells : Cells {
  ArrayCell* cells = nullptr;
  int64_t size = 0;
  uint64_t after_write = 0;    // the state of an element then
  uint64_t after_read = 0;     // and then
  uint16_t header_left = 0;    // what a read leaves there: 0, or the scalar
  uint64_t takes_scalars = 0;  // a state besides 0 in which a scalar may be written
  // Makes it longer by one; whether it could.
  bool (*grow)(ArrayCells* array) = nullptr;
};

TAGFLOW_RARELY_CALLED inline bool Grow(ArrayCells* array) { return array->grow(array); }

inline bool ArrayWrite(ArrayCells* array, int64_t index, uint64_t bits, uint16_t header) {
  if (header != array->header) return false;
  if (!IsBelow(index, array->size) && !(index == array->size && Grow(array))) return false;
  ArrayCell& at = array->cells[index];
  if (at.cell.header != 0 || (at.state != 0 && at.state != array->takes_scalars)) return false;
  at.cell.bits = bits;
  at.cell.header = header;
  at.state = array->after_write;
  return true;
}

inline bool ArrayRead(ArrayCells* array, int64_t index, uint64_t* bits, uint16_t header) {
  if (!IsBelow(index, array->size)) return false;
  ArrayCell& at = array->cells[index];
  // An element that is cleared or not written has no value.
  if (at.cell.header != header) return false;
  *bits = at.cell.bits;
  at.cell.header = array->header_left;
  at.state = array->after_read;
  return true;
}

// ---- Lists ----

// A part of a list, whose elements lie side by side.
struct ListWindow {
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

inline bool ListPush(ListCells* list, uint64_t bits, uint16_t header) {
  const int64_t index = list->size;
  if (header != list->header) return false;
  // The window has what is before the end of the list, and is left of it or around it.
  if (index >= list->own.end && !TurnOwn(list, index)) return false;
  Cell& cell = list->own.cells[index - list->own.begin];
  cell.bits = bits;
  cell.header = header;
  list->size = index + 1;
  return true;
}

inline bool IsIn(const ListWindow& window, int64_t index) {
  return index >= window.begin && index < window.end;
}

inline bool ListPop(ListCells* list, uint64_t* bits, uint16_t header) {
  const int64_t index = list->size - 1;
  if (index < 0 || (!IsIn(list->own, index) && !TurnOwn(list, index))) return false;
  Cell& cell = list->own.cells[index - list->own.begin];
  if (cell.header != header) return false;
  *bits = cell.bits;
  cell.header = 0;
  list->size = index;
  return true;
}

inline bool ListRead(ListCells* list, int64_t index, uint64_t* bits, uint16_t header) {
  if (!IsBelow(index, list->size)) return false;
  if (!IsIn(list->shared, index) && !TurnShared(list, index)) return false;
  const Cell& cell = list->shared.cells[index - list->shared.begin];
  if (cell.header != header) return false;
  *bits = cell.bits;
  return true;
}

inline bool ListWrite(ListCells* list, int64_t index, uint64_t bits, uint16_t header) {
  if (header != list->header || !IsBelow(index, list->size)) return false;
  if (!IsIn(list->own, index) && !TurnOwn(list, index)) return false;
  Cell& cell = list->own.cells[index - list->own.begin];
  // A tensor whose elements are elsewhere is for a kernel to free.
  if (cell.header > 255) return false;
  cell.bits = bits;
  cell.header = header;
  return true;
}

#undef TAGFLOW_RARELY_CALLED

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_CELLS_H_
