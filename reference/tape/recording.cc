#include "reference/tape/recording.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "graph/tag.h"
#include "graph/variant.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

const void* ResourceOf(const Tensor& handle) { return handle.data<ResourceHandle>()->object.get(); }

int64_t RowSize(const Tensor& tensor) { return Product(tensor.dims(), 1, tensor.dims().size()); }

std::vector<int64_t> FirstIndices(size_t count) {
  std::vector<int64_t> indices(count);
  std::iota(indices.begin(), indices.end(), int64_t{0});
  return indices;
}

// How many frames deep the outputs are: those of an Enter are deeper than it is, of an Exit less.
int DepthOfOutputs(const TapeRow& row) {
  const Result<Tag> tag = ParseTag(row.tag);
  TAGFLOW_CHECK(tag.ok());
  const auto depth = static_cast<int>(tag->path.size());
  if (row.node->op == "Enter" || row.node->op == "RefEnter") return depth + 1;
  return row.node->op == "Exit" || row.node->op == "RefExit" ? depth - 1 : depth;
}

std::string TransferKey(const TapeRow& row) {
  std::string key = row.tag;
  for (const char* attr : {"tensor_name", "send_device", "recv_device"}) {
    const Result<std::string> value = StringAttr(*row.node, attr);
    key += '\n' + (value.ok() ? *value : "");
  }
  return key;
}

}  // namespace

Result<Recording> Recording::Create(const Graph& graph, const NamedTensors& feeds) {
  Recording recording;
  for (const NodeId id : graph.NodeIds()) recording.nodes_.insert(&graph.node(id));
  for (const auto& [name, value] : feeds) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef output, FindOutput(graph, name));
    recording.feeds_[output] = recording.AddValue(value);
  }
  return recording;
}

int64_t Recording::AddValue(Tensor value) {
  values_.push_back(std::move(value));
  return static_cast<int64_t>(values_.size()) - 1;
}

const Tensor& Recording::InputOf(const TapeRow& row, size_t slot) const {
  return values_[static_cast<size_t>(row.inputs[slot])];
}

void Recording::Record(const TraceEvent& event) {
  if (event.dead || !nodes_.contains(event.node)) return;
  TapeRow row;
  row.node = event.node;
  row.tag = event.tag;
  for (size_t slot = 0; slot < event.inputs.size(); ++slot) {
    const OutputRef source = event.node->inputs[slot];
    const auto made_by = row_of_firing_.find(event.inputs[slot]);
    const auto feed = feeds_.find(source);
    if (made_by != row_of_firing_.end()) {
      row.inputs.push_back(rows_[made_by->second].first_output + source.index);
    } else {
      row.inputs.push_back(feed == feeds_.end() ? TapeRow::kNone : feed->second);
    }
  }
  for (const auto& [slot, value] : event.reads) {
    row.inputs[static_cast<size_t>(slot)] = AddValue(value);
  }
  row.first_output = static_cast<int64_t>(values_.size());
  row.num_outputs = static_cast<int64_t>(event.outputs.size());
  for (const TraceEvent::Output& output : event.outputs) AddValue(output.value);
  FindCells(row);
  row_of_firing_[event.firing] = rows_.size();
  rows_.push_back(std::move(row));
}

void Recording::FindCells(TapeRow& row) {
  const std::string_view op = row.node->op;
  if (op.starts_with("TensorArray")) return AddArrayCells(row);
  if (op == "StackPushV2" || op == "StackPopV2") return AddStackCell(row);
  if (op == "_Send" || op == "_Recv" || op == "_HostSend" || op == "_HostRecv") {
    return AddTransferCell(row);
  }
  list_cells_.Record(row, values_, num_cells_);
}

int64_t Recording::CellAt(CellKey key) {
  const auto [found, is_new] = array_cells_.try_emplace(key, num_cells_);
  if (is_new) ++num_cells_;
  return found->second;
}

// Which input is the value, which the indices or the lengths, of the ops that touch elements.
void Recording::AddArrayCells(TapeRow& row) {
  struct Access {
    const char* op;
    int written;  // the input written; -1: output 0 is read
    int indices;  // the input that holds them; -1: 0, 1, … as many as there are lengths
    int lengths;  // the input that holds them; -1: no lengths; kOutput: output 1
  };
  constexpr int kOutput = 100;
  static constexpr Access kAccesses[] = {
      {"TensorArrayWriteV3", 2, 1, -1},   {"TensorArrayReadV3", -1, 1, -1},
      {"TensorArrayScatterV3", 2, 1, -1}, {"TensorArrayGatherV3", -1, 1, -1},
      {"TensorArraySplitV3", 1, -1, 2},   {"TensorArrayConcatV3", -1, -1, kOutput},
  };
  for (const Access& access : kAccesses) {
    if (row.node->op != access.op) continue;
    const Tensor& value = access.written >= 0 ? InputOf(row, static_cast<size_t>(access.written))
                                              : values_[static_cast<size_t>(row.first_output)];
    std::vector<int64_t> indices, lengths;
    if (access.lengths >= 0) {
      lengths =
          ToIntegers(access.lengths == kOutput ? values_[static_cast<size_t>(row.first_output) + 1]
                                               : InputOf(row, static_cast<size_t>(access.lengths)));
      indices = FirstIndices(lengths.size());
      for (int64_t& length : lengths) length *= RowSize(value);
    } else {
      indices = ToIntegers(InputOf(row, static_cast<size_t>(access.indices)));
      const auto count = static_cast<int64_t>(indices.size());
      lengths.assign(indices.size(), count == 0 ? 0 : value.num_elements() / count);
    }
    const void* array = ResourceOf(InputOf(row, 0));
    std::vector<CellPart>& parts = access.written >= 0 ? row.writes : row.reads;
    const auto slot = static_cast<size_t>(std::max(access.written, 0));
    for (size_t k = 0; k < indices.size(); ++k) {
      parts.push_back({slot, CellAt({array, indices[k]}), lengths[k]});
    }
  }
}

// A pop takes what the latest push left that no pop has taken.
void Recording::AddStackCell(TapeRow& row) {
  std::vector<int64_t>& stack = stacks_[ResourceOf(InputOf(row, 0))];
  const int64_t elements = values_[static_cast<size_t>(row.first_output)].num_elements();
  if (row.node->op == "StackPushV2") {
    stack.push_back(num_cells_++);
    row.writes = {{1, stack.back(), elements}};
  } else if (!stack.empty()) {
    row.reads = {{0, stack.back(), elements}};
    stack.pop_back();
  }
}

void Recording::AddTransferCell(TapeRow& row) {
  const auto [found, is_new] = transfers_.try_emplace(TransferKey(row), num_cells_);
  if (is_new) ++num_cells_;
  if (row.num_outputs == 0) {
    row.writes = {{0, found->second, InputOf(row, 0).num_elements()}};
  } else {
    row.reads = {{0, found->second, values_[static_cast<size_t>(row.first_output)].num_elements()}};
  }
}

int64_t Recording::Find(OutputRef output) const {
  const auto feed = feeds_.find(output);
  if (feed != feeds_.end()) return feed->second;
  for (const TapeRow& row : rows_) {
    if (row.node->id != output.node || DepthOfOutputs(row) != 0) continue;
    const int64_t value = row.first_output + output.index;
    return values_[static_cast<size_t>(value)].has_value() ? value : TapeRow::kNone;
  }
  return TapeRow::kNone;
}

bool Recording::GaveInAFrame(NodeId node) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const TapeRow& row) {
    return row.node->id == node && DepthOfOutputs(row) != 0;
  });
}

}  // namespace tagflow::reference
