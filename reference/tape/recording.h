#ifndef TAGFLOW_REFERENCE_TAPE_RECORDING_H_
#define TAGFLOW_REFERENCE_TAPE_RECORDING_H_

// A run as the straight line it was: the live firings in order, each with the values it took and
// gave. A loop of n trips is n rows of each node in it; tags are kept for messages only.
//
// Invariants:
//   1. Every value has one number: feeds first, then what rows gave, in order.
//   2. A row takes values of lower numbers only.
//   3. A cell is one place that holds a tensor for a while: an element of an array or a list, one
//      push of a stack, one tensor on its way from Send to Recv. Reading a cell gives what all
//      earlier writes left there: the sum of them in an array of gradients, else the only one.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/tensor.h"
#include "reference/history.h"
#include "reference/session.h"
#include "reference/tape/list_cells.h"

namespace tagflow::reference {

// Consecutive elements of an input that are written to one cell, or of an output that are read
// from it.
struct CellPart {
  size_t slot = 0;  // which input or output
  int64_t cell = 0;
  int64_t elements = 0;
};

// A cell that holds the sum of others.
struct CellSum {
  int64_t to = 0;
  std::vector<int64_t> from;
};

struct TapeRow {
  static constexpr int64_t kNone = -1;
  const Node* node = nullptr;
  std::string tag;
  std::vector<int64_t> inputs;  // values; kNone: dead, or a reference
  int64_t first_output = 0;     // its values are consecutive
  int64_t num_outputs = 0;
  // Of outputs that come from cells, all elements in order, output by output; and so of inputs that
  // go into cells.
  std::vector<CellPart> reads;
  std::vector<CellPart> writes;
  std::vector<CellSum> sums;
};

class Recording {
 public:
  // Nothing happened yet but the feeds.
  //   Errors: of FindOutput
  static Result<Recording> Create(const Graph& graph, const NamedTensors& feeds);

  // Appends a firing; dead ones leave nothing, and nor do those in bodies of functions, whose call
  // is the firing. In order of the run.
  void Record(const TraceEvent& event);

  const std::vector<TapeRow>& rows() const { return rows_; }
  const std::vector<Tensor>& values() const { return values_; }  // a dead output has no value
  int64_t num_cells() const { return num_cells_; }
  // The value of an output in the root frame or of a feed; kNone: it was dead, or not run.
  int64_t Find(OutputRef output) const;
  // Whether the node gave values in another frame than the root.
  bool GaveInAFrame(NodeId node) const;

 private:
  using CellKey = std::pair<const void*, int64_t>;  // the resource, and where in it

  int64_t AddValue(Tensor value);
  void FindCells(TapeRow& row);
  void AddArrayCells(TapeRow& row);
  void AddStackCell(TapeRow& row);
  void AddTransferCell(TapeRow& row);
  int64_t CellAt(CellKey key);
  const Tensor& InputOf(const TapeRow& row, size_t slot) const;

  std::unordered_set<const Node*> nodes_;  // of the graph
  std::vector<TapeRow> rows_;
  std::vector<Tensor> values_;
  std::map<OutputRef, int64_t> feeds_;
  std::unordered_map<int64_t, size_t> row_of_firing_;
  int64_t num_cells_ = 0;
  std::map<CellKey, int64_t> array_cells_;
  std::unordered_map<const void*, std::vector<int64_t>> stacks_;  // the cells now on each
  std::unordered_map<std::string, int64_t> transfers_;
  ListCells list_cells_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_RECORDING_H_
