#ifndef TAGFLOW_REFERENCE_TAPE_LIST_CELLS_H_
#define TAGFLOW_REFERENCE_TAPE_LIST_CELLS_H_

// Which cell of the recording each element of a list is in. A list is a value, so the question is
// asked of each value that is one: putting an element into a list makes a cell for it, and every
// list that holds the element holds the cell, however it came there. An element that is a list has
// cells of its own. An optional is a list of its components, a map one of its values, and a ragged
// tensor one whose only element is all its values. Elements that were never set, and those of lists
// that came from elsewhere, are constants and have no cell.

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/tensor.h"
#include "graph/tensor_map.h"

namespace tagflow::reference {

struct TapeRow;

class ListCells {
 public:
  // Finds the cells that a row reads and writes, and those of the lists that it gives.
  //   values: of the recording so far; num_cells: how many cells there are, which grows
  void Record(TapeRow& row, const std::vector<Tensor>& values, int64_t& num_cells);

 private:
  struct Element;
  using List = std::map<int64_t, Element>;  // by index
  struct Element {
    int64_t cell = 0;
    std::shared_ptr<const List> list;  // of an element that is one
  };
  // The lists of a variant tensor, one per element.
  using Lists = std::vector<std::shared_ptr<const List>>;

  class Visit;
  std::unordered_map<int64_t, Lists> lists_;  // by value
  TensorMap keys_;                            // to their numbers, which are indices of values
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_LIST_CELLS_H_
