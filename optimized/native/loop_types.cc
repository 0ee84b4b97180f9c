#include "optimized/native/loop_types.h"

#include <algorithm>
#include <span>
#include <utility>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {

namespace {

// How many indices of a row there are in a tensor of that shape; 0: it is no such tensor.
size_t NumIndices(const RowPart& row, const Dims& dims) {
  if (row.most_items == 0) return dims.empty() ? 1 : 0;
  return dims.size() == 1 && dims[0] <= row.most_items ? static_cast<size_t>(dims[0]) : 0;
}

}  // namespace

bool IsSmallTensor(const TensorType& type) {
  if (NativeTypeOf(type.dtype) == nullptr || type.dims.empty()) return false;
  const Result<int64_t> elements = NumElements(type.dims);
  return elements.ok() && *elements > 0 && *elements <= kMostElements;
}

LoopTypes::LoopTypes(const LoopToCompile& loop, const std::vector<Tensor>& slots)
    : loop_(loop), calls_(loop.bounds.size()) {
  ForEach([&](uint32_t at) {
    const KernelPart* const part = loop_.parts[at];
    if (part != nullptr) calls_[at - loop_.bounds.head] = ScalarCallOf(*part, loop_.has_body);
  });
  FindSlots(slots);
  while (Infer()) {
  }
}

bool LoopTypes::IsForMachineCode(const TensorType& type) const {
  if (NativeTypeOf(type.dtype) == nullptr) return false;
  return type.dims.empty() || (loop_.takes_tensors && !loop_.takes_little());
}

void LoopTypes::FindSlots(const std::vector<Tensor>& slots) {
  const auto add = [&](uint32_t number) -> Slot& {
    const auto [place, is_new] = slots_.try_emplace(number);
    Slot& slot = place->second;
    if (!is_new) return slot;
    const Tensor& now = slots[number];
    slot.is_empty = !now.has_value();
    TensorType type = {now.dtype(), {now.dims().begin(), now.dims().end()}};
    const auto seen = loop_.seen.find(number);
    if (slot.is_empty && seen != loop_.seen.end()) type = seen->second;
    const bool is_known = slot.is_empty || type.IsOf(now);
    if (is_known && IsForMachineCode(type)) slot.type = std::move(type);
    return slot;
  };
  ForEach([&](uint32_t at) {
    VisitSlots(
        loop_.at(at), loop_.code.args, loop_.code.outputs, [&](const Arg& arg) { add(arg.slot); },
        [&](uint32_t slot) {
          Slot& written = add(slot);
          written.is_written = true;
          const bool keeps_most =
              loop_.at(at).op == OpCode::kMove || loop_.PartAt<PlacePart>(at) != nullptr;
          written.is_computed = written.is_computed || !keeps_most;
        });
  });
  for (auto& [number, slot] : slots_) {
    const bool is_large = slot.type && !slot.type->dims.empty() && !IsSmallTensor(*slot.type);
    if (slot.is_computed && is_large) slot.type.reset();
  }
  for (const auto& [number, value] : loop_.code.constants) {
    const auto found = slots_.find(number);
    if (found == slots_.end() || found->second.is_written || !found->second.type) continue;
    constants_[number] = &value;
  }
}

bool LoopTypes::Infer() {
  bool has_found = false;
  ForEach([&](uint32_t at) {
    const Instruction& instruction = loop_.at(at);
    const auto note = [&](bool found) { has_found = has_found || found; };
    if (instruction.op == OpCode::kMove) {
      const TensorType* const moved = TypeOf(loop_.arg(instruction, 0).slot);
      note(moved != nullptr && InferOutput(instruction.b, *moved));
    } else if (instruction.op == OpCode::kCall) {
      if (CallAt(at)) note(InferCall(instruction, *CallAt(at)));
      if (const auto* const part = ElementAt(at)) note(InferElement(instruction, *part));
      if (const auto* const split = loop_.PartAt<SplitPart>(at)) {
        note(InferSplit(instruction, *split));
      }
      if (const auto* const row = loop_.PartAt<RowPart>(at)) note(InferRow(instruction, *row));
      if (const auto* const vector = loop_.PartAt<VectorPart>(at)) {
        note(InferVector(instruction, *vector));
      }
      if (loop_.PartAt<PlacePart>(at) != nullptr) {
        const TensorType* const table = TypeOf(loop_.arg(instruction, 0).slot);
        note(table != nullptr && InferOutput(loop_.output(instruction, 0), *table));
      }
    }
  });
  return has_found;
}

bool LoopTypes::InferCall(const Instruction& call, const ScalarCall& scalar) {
  const auto inputs = InputTypes(call);
  if (!inputs) return false;
  bool has_found = false;
  if (scalar.kind == ScalarCall::Kind::kHandOn) {
    for (uint32_t i = 0; i < call.num_outputs; ++i) {
      has_found = InferOutput(loop_.output(call, i), *(*inputs)[i]) || has_found;
    }
    return has_found;
  }
  std::optional<Dims> dims = DimsOfCall(scalar, *inputs);
  return dims && InferOutput(loop_.output(call, 0), {scalar.output, *std::move(dims)});
}

bool LoopTypes::InferSplit(const Instruction& call, const SplitPart& split) {
  const TensorType* const value = TypeOf(loop_.arg(call, 1).slot);
  const std::optional<int64_t> axis = ConstantInput(call, 0);
  if (value == nullptr || !axis) return false;
  const std::optional<Dims> dims = DimsOfPiece(value->dims, *axis, split.pieces);
  bool has_found = false;
  for (uint32_t i = 0; i < call.num_outputs && dims; ++i) {
    has_found = InferOutput(loop_.output(call, i), {value->dtype, *dims}) || has_found;
  }
  return has_found;
}

bool LoopTypes::InferRow(const Instruction& call, const RowPart& row) {
  const TensorType* const table = TypeOf(loop_.arg(call, 0).slot);
  const TensorType* const index = TypeOf(loop_.arg(call, static_cast<size_t>(row.index)).slot);
  if (table == nullptr || index == nullptr) return false;
  const size_t items = NumIndices(row, index->dims);
  if (items == 0 || items > table->dims.size()) return false;
  const auto rest = table->dims.begin() + static_cast<std::ptrdiff_t>(items);
  return InferOutput(loop_.output(call, 0), {table->dtype, {rest, table->dims.end()}});
}

bool LoopTypes::InferVector(const Instruction& call, const VectorPart& vector) {
  const std::optional<TensorType> made = TypeOfVector(call, vector);
  return made && InferOutput(loop_.output(call, 0), *made);
}

std::optional<TensorType> LoopTypes::TypeOfVector(const Instruction& call,
                                                  const VectorPart& vector) const {
  const auto inputs = InputTypes(call);
  if (!inputs) return std::nullopt;
  const TensorType& first = *inputs->front();
  const bool is_alike =
      std::ranges::all_of(*inputs, [&](const auto* one) { return *one == first; });
  const bool is_taken = first.dims.empty() || vector.takes_tensors;
  if (!is_alike || !is_taken || first.dtype != vector.dtype) return std::nullopt;
  TensorType made = {first.dtype, {static_cast<int64_t>(call.n)}};
  made.dims.insert(made.dims.end(), first.dims.begin(), first.dims.end());
  const auto elements = NumElements(made.dims);
  const bool is_short = elements.ok() && *elements > 0 && *elements <= kMostPacked;
  return is_short ? std::optional(std::move(made)) : std::nullopt;
}

// That an element is a scalar is a guess: where it was wrong, the loop is left once it shows.
bool LoopTypes::InferElement(const Instruction& call, const ElementPart& part) {
  if (part.element >= 0) {
    return InferOutput(loop_.output(call, static_cast<size_t>(part.element)), {part.dtype});
  }
  if (part.handed_on < 0) return false;
  const TensorType* const handed_on =
      TypeOf(loop_.arg(call, static_cast<size_t>(part.handed_on)).slot);
  return handed_on != nullptr && InferOutput(loop_.output(call, 0), *handed_on);
}

bool LoopTypes::InferOutput(uint32_t slot, const TensorType& type) {
  Slot& output = slots_.at(slot);
  if (!output.is_empty || output.type || !IsForMachineCode(type)) return false;
  if (!type.dims.empty() && !IsSmallTensor(type) && output.is_computed) return false;
  output.type = type;
  return true;
}

bool LoopTypes::has_unknown() const {
  return std::ranges::any_of(
      slots_, [](const auto& slot) { return slot.second.is_empty && !slot.second.type; });
}

const TensorType* LoopTypes::TypeOf(uint32_t slot) const {
  const auto found = slots_.find(slot);
  return found == slots_.end() || !found->second.type ? nullptr : &*found->second.type;
}

std::optional<std::vector<const TensorType*>> LoopTypes::InputTypes(const Instruction& call) const {
  std::vector<const TensorType*> types;
  for (uint32_t i = 0; i < call.n; ++i) {
    types.push_back(TypeOf(loop_.arg(call, i).slot));
    if (types.back() == nullptr) return std::nullopt;
  }
  return types;
}

DType LoopTypes::ScalarIn(uint32_t slot) const {
  const TensorType* const type = TypeOf(slot);
  return type == nullptr || !type->dims.empty() ? DType::kInvalid : type->dtype;
}

std::string LoopTypes::Constant(uint32_t slot) const {
  const auto found = constants_.find(slot);
  const bool is_scalar = found != constants_.end() && found->second->is_inline();
  return is_scalar ? NativeLiteral(*found->second) : "";
}

std::optional<std::vector<int64_t>> LoopTypes::ConstantsInput(const Instruction& call,
                                                              int input) const {
  const auto found = constants_.find(loop_.arg(call, static_cast<size_t>(input)).slot);
  if (found == constants_.end()) return std::nullopt;
  const Tensor& value = *found->second;
  std::vector<int64_t> values;
  if (value.dtype() == DType::kInt32) {
    values.assign(value.flat<int32_t>().begin(), value.flat<int32_t>().end());
  } else if (value.dtype() == DType::kInt64) {
    values.assign(value.flat<int64_t>().begin(), value.flat<int64_t>().end());
  } else {
    return std::nullopt;
  }
  return values;
}

std::optional<int64_t> LoopTypes::ConstantInput(const Instruction& call, int input) const {
  const auto values = ConstantsInput(call, input);
  if (!values || values->size() != 1) return std::nullopt;
  return values->front();
}

const RowPart* LoopTypes::RowAt(uint32_t at) const {
  const Instruction& call = loop_.at(at);
  const auto* const row = loop_.PartAt<RowPart>(at);
  if (row == nullptr) return nullptr;
  const auto input = [&](int i) { return TypeOf(loop_.arg(call, static_cast<size_t>(i)).slot); };
  const TensorType* const table = input(0);
  const TensorType* const index = input(row->index);
  const TensorType* const output = TypeOf(loop_.output(call, 0));
  if (table == nullptr || index == nullptr || output == nullptr) return nullptr;
  const size_t items = NumIndices(*row, index->dims);
  if (items == 0 || items > table->dims.size()) return nullptr;
  const bool is_row = output->dtype == table->dtype &&
                      std::ranges::equal(output->dims, std::span(table->dims).subspan(items));
  const bool is_index = index->dtype == DType::kInt32 || index->dtype == DType::kInt64;
  const auto is_of = [&](int i, const Dims& dims) {
    return i == RowPart::kNone || (input(i) != nullptr && input(i)->dims == dims);
  };
  const bool has_axis =
      is_of(row->axis, {}) && (row->axis == RowPart::kNone || ConstantInput(call, row->axis) == 0);
  const Dims as_many = {static_cast<int64_t>(items)};
  const bool has_items = is_of(row->as_many_items, as_many) && is_of(row->positive_items, as_many);
  const bool suits = is_row && is_index && has_axis && has_items;
  return suits && ArePositive(call, row->positive_items) ? row : nullptr;
}

bool LoopTypes::ArePositive(const Instruction& call, int input) const {
  if (input == RowPart::kNone) return true;
  const auto items = ConstantsInput(call, input);
  return items && std::ranges::all_of(*items, [](int64_t item) { return item > 0; });
}

const VectorPart* LoopTypes::VectorAt(uint32_t at) const {
  const Instruction& call = loop_.at(at);
  const auto* const vector = loop_.PartAt<VectorPart>(at);
  if (vector == nullptr) return nullptr;
  const std::optional<TensorType> made = TypeOfVector(call, *vector);
  const TensorType* const output = TypeOf(loop_.output(call, 0));
  return made && output != nullptr && *output == *made ? vector : nullptr;
}

const PlacePart* LoopTypes::PlaceAt(uint32_t at) const {
  const Instruction& call = loop_.at(at);
  const auto* const place = loop_.PartAt<PlacePart>(at);
  // What others read is copied first: a kernel does that.
  if (place == nullptr || !loop_.arg(call, 0).is_last) return nullptr;
  const auto inputs = InputTypes(call);
  const TensorType* const output = TypeOf(loop_.output(call, 0));
  if (!inputs || output == nullptr || *output != *(*inputs)[0]) return nullptr;
  const TensorType &table = *(*inputs)[0], &index = *(*inputs)[1], &slice = *(*inputs)[2];
  if (index.dims.size() != 2 || index.dims[0] != 1) return nullptr;
  const auto items = static_cast<size_t>(index.dims[1]);
  if (items == 0 || items > table.dims.size()) return nullptr;
  Dims wanted = {1};
  wanted.insert(wanted.end(), table.dims.begin() + static_cast<std::ptrdiff_t>(items),
                table.dims.end());
  const bool is_index = index.dtype == DType::kInt32 || index.dtype == DType::kInt64;
  const bool suits = is_index && IsSmallTensor(slice) && slice == TensorType{table.dtype, wanted};
  return suits ? place : nullptr;
}

std::optional<TensorCall> LoopTypes::TensorCallAt(uint32_t at) const {
  const Instruction& call = loop_.at(at);
  const TensorType* output = nullptr;
  for (uint32_t i = 0; i < call.num_outputs; ++i) {
    const TensorType* const type = TypeOf(loop_.output(call, i));
    if (type == nullptr || type->dims.empty()) return std::nullopt;
    if (output != nullptr && *type != *output) return std::nullopt;
    output = type;
  }
  const auto inputs = InputTypes(call);
  if (!inputs || output == nullptr || !IsSmallTensor(*output)) return std::nullopt;
  if (RowAt(at) != nullptr) {
    TensorCall row{.dims = output->dims, .inputs = std::vector<Walk>(call.n, Walk::kNot)};
    row.inputs[0] = Walk::kGiven;
    return row;
  }
  if (const auto* const split = loop_.PartAt<SplitPart>(at)) {
    const std::optional<int64_t> axis = ConstantInput(call, 0);
    if (!axis || (*inputs)[1]->dtype != output->dtype) return std::nullopt;
    return TensorCallOfSplit(*(*inputs)[1], *axis, split->pieces, *output);
  }
  const std::optional<ScalarCall>& scalar = CallAt(at);
  if (!scalar || output->dtype != scalar->output || !TakesDTypes(*scalar, *inputs)) {
    return std::nullopt;
  }
  return TensorCallOf(*scalar, *inputs, *output);
}

std::optional<WholeCall> LoopTypes::WholeCallAt(uint32_t at) const {
  const Instruction& call = loop_.at(at);
  if (call.num_outputs != 1 || loop_.parts[at] == nullptr) return std::nullopt;
  const TensorType* const output = TypeOf(loop_.output(call, 0));
  const auto inputs = InputTypes(call);
  if (!inputs || output == nullptr) return std::nullopt;
  if (!output->dims.empty() && !IsSmallTensor(*output)) return std::nullopt;
  const TensorType& first = *inputs->front();
  const auto last = static_cast<int>(call.n) - 1;
  if (const auto* const part = loop_.PartAt<JoinPart>(at)) {
    const auto axis = ConstantInput(call, part->axis_is_first ? 0 : last);
    return axis ? WholeCallOf(*part, *inputs, *axis, *output) : std::nullopt;
  }
  if (!IsSmallTensor(first)) return std::nullopt;
  if (const auto* const part = loop_.PartAt<ReductionPart>(at)) {
    const bool has_axes = part->axes == ReducedAxes::kInput;
    const auto axes = has_axes ? ConstantsInput(call, 1) : std::vector<int64_t>();
    return axes ? WholeCallOf(*part, first, *axes, *output, loop_.has_body) : std::nullopt;
  }
  if (const auto* const part = loop_.PartAt<ProductPart>(at)) {
    return WholeCallOf(*part, first, *inputs->back(), *output, loop_.has_body);
  }
  if (const auto* const part = loop_.PartAt<ReshapePart>(at)) {
    // A kernel copies nothing.
    const bool is_worthwhile = *NumElements(first.dims) <= kMostCopied;
    const bool has_shape = last == 0 || ConstantsInput(call, last).has_value();
    return is_worthwhile && has_shape ? WholeCallOf(*part, first, *output) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tagflow::optimized
