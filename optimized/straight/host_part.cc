#include "optimized/straight/host_part.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graph/device_access.h"
#include "optimized/devices/step_devices.h"

namespace tagflow::optimized {
namespace {

// Iterations of the first run; of each other, twice as many as of the one before, up to the bytes.
constexpr int64_t kFirstRows = 256;
constexpr int64_t kMaxRowBytes = int64_t{256} << 20;
// Of memory that is less than half full, what is over is given back from here on.
constexpr int64_t kShrunkBytes = int64_t{1} << 20;
// As kernels may expect of a tensor's elements.
constexpr size_t kRowAlignment = 256;

// Rows that come to the host come all at once.
size_t StrideOf(const HostPart::Column& column) {
  if (column.ComesToHost()) return column.byte_size();
  return (column.byte_size() + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

// In elements of the column's dtype.
int64_t StrideInElements(const HostPart::Column& column) {
  return static_cast<int64_t>(StrideOf(column) / DTypeSize(column.dtype));
}

int64_t CallsIn(const std::vector<HostStep>& steps) {
  int64_t calls = 0;
  for (const HostStep& step : steps) {
    calls += step.what == HostStep::What::kCall ? 1 : CallsIn(step.then) + CallsIn(step.otherwise);
  }
  return calls;
}

bool IsSame(const Tensor& value, const Tensor& wanted) {
  return value.has_value() && !IsOnDevice(value) && value.dtype() == wanted.dtype() &&
         std::ranges::equal(value.dims(), wanted.dims()) && BitwiseEqual(value, wanted);
}

int64_t AddressOf(const Tensor& there) {
  const DeviceAccess access;
  return reinterpret_cast<int64_t>(there.raw_data());
}

}  // namespace

size_t HostPart::Column::byte_size() const {
  int64_t elements = 1;
  for (const int64_t dim : dims) elements *= dim;
  return static_cast<size_t>(elements) * DTypeSize(dtype);
}

// Scalars that may be the predicate of a branch.
bool HostPart::Column::ComesToHost() const {
  return is_put && dims.empty() && (dtype == DType::kBool || dtype == DType::kInt32);
}

int64_t HostPart::num_calls() const { return CallsIn(steps); }

HostPartRun::HostPartRun(const HostPart& part, const Code& code, const std::vector<Tensor>& slots,
                         const StepServices& services, int device)
    : KernelContext(nullptr, services),
      part_(part),
      code_(code),
      launches_(*services.devices->KernelStream(device)),
      values_(slots.size()),
      rows_next_(kFirstRows) {
  for (const uint32_t slot : part.read) values_[slot] = slots[slot];
}

// ---- Before a run of the device ----

int64_t HostPartRun::RowsFor(int64_t iterations_max) const {
  if (part_.columns.empty()) return iterations_max;
  size_t bytes = 0;  // of an iteration
  for (const HostPart::Column& column : part_.columns) bytes += StrideOf(column) + sizeof(int64_t);
  return std::min({iterations_max, rows_next_, kMaxRowBytes / static_cast<int64_t>(bytes)});
}

// Whether there is memory for so many rows. They are not swapped, so where memory runs low the host
// goes on, whose histories are (history_swaps.h).
bool HostPartRun::Reserve(int64_t rows) {
  memory_.assign(part_.columns.size(), Tensor());
  int64_t bytes = 0;
  for (const HostPart::Column& column : part_.columns) {
    if (column.is_put) bytes += rows * static_cast<int64_t>(StrideOf(column));
  }
  if (!launches_.memory().HasRoomToStay(bytes)) return false;
  for (size_t i = 0; i < memory_.size(); ++i) {
    const HostPart::Column& column = part_.columns[i];
    if (!column.is_put) continue;
    Result<Tensor> made = Tensor::AllocateUninitialized(
        column.dtype, Dims{rows * StrideInElements(column)}, launches_.memory());
    if (!made.ok()) return false;
    memory_[i] = *std::move(made);
  }
  return true;
}

Result<int64_t> HostPartRun::Prepare(int64_t iterations_max, DeviceProgram& program) {
  rows_ = std::max<int64_t>(0, RowsFor(iterations_max));
  while (rows_ > 0 && !Reserve(rows_)) rows_ /= 2;
  rows_next_ = 2 * rows_;
  if (rows_ == 0) return 0;
  const bool looks_ahead = part_.counted || part_.looks_ahead;
  const int64_t iterations = looks_ahead ? RunAhead(rows_) : rows_;
  if (iterations > 0) TAGFLOW_RETURN_IF_ERROR(MakeColumns(iterations, program));
  return iterations;
}

// How many iterations the host can do, of at most so many: up to the last, or to an error, which is
// found again, and told, by who runs the code.
int64_t HostPartRun::RunAhead(int64_t iterations_max) {
  taken_.assign(part_.columns.size(), {});
  std::vector<Tensor> ahead = values_;
  for (int64_t i = 0; i < iterations_max; ++i) {
    stopped_by_ = nullptr;
    if (!Run(part_.steps, {ahead, i, /*is_ahead=*/true}).ok()) return i;
    if (part_.counted && !ahead[*part_.counted].inline_value<bool>()) return i + 1;
  }
  return iterations_max;
}

Status HostPartRun::NoteTaken(size_t column, const Iteration& iteration, const Tensor& value) {
  const HostPart::Column& wanted = part_.columns[column];
  if (value.dtype() != wanted.dtype || !std::ranges::equal(value.dims(), wanted.dims)) {
    return FailedPrecondition("a tensor of another shape");
  }
  const bool is_elsewhere =
      IsOnDevice(value) && value.byte_size() > 0 && !launches_.memory().Holds(value);
  if (is_elsewhere) return FailedPrecondition("a tensor of another device, or one that is out");
  taken_[column].resize(static_cast<size_t>(iteration.number) + 1);
  taken_[column].back() = value;
  return Status();
}

Status HostPartRun::MakeColumns(int64_t iterations, DeviceProgram& program) {
  const auto columns = static_cast<int64_t>(part_.columns.size());
  if (columns == 0) return Status();
  staged_.clear();
  const Dims dims = {columns, iterations};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor addresses, Tensor::Allocate(DType::kInt64, dims));
  for (int64_t i = 0; i < columns; ++i) {
    int64_t* const row = addresses.mutable_data<int64_t>() + i * iterations;
    TAGFLOW_RETURN_IF_ERROR(AddressesOf(static_cast<size_t>(i), iterations, row));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor there,
                           Tensor::AllocateUninitialized(DType::kInt64, dims, launches_.memory()));
  launches_.CopyIn(addresses, there);
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < columns; ++i) rows.push_back(there.SliceOuter(i, 1));
  program.SetColumns(std::move(rows));
  return Status();
}

// What the host has is brought, all rows at once.
Status HostPartRun::AddressesOf(size_t number, int64_t iterations, int64_t* addresses) {
  const HostPart::Column& column = part_.columns[number];
  const auto stride = static_cast<int64_t>(StrideOf(column));
  if (column.is_put) {
    for (int64_t i = 0; i < iterations; ++i) addresses[i] = AddressOf(memory_[number]) + i * stride;
    return Status();
  }
  std::vector<Tensor>& rows = taken_[number];
  rows.resize(static_cast<size_t>(iterations));
  std::vector<int64_t> of_host;  // iterations
  for (int64_t i = 0; i < iterations; ++i) {
    const Tensor& row = rows[static_cast<size_t>(i)];
    if (!row.has_value()) continue;  // its branch is not taken
    if (IsOnDevice(row)) {
      addresses[i] = AddressOf(row);
    } else {
      of_host.push_back(i);
    }
  }
  if (of_host.empty() || column.byte_size() == 0) return Status();
  const Dims dims = {static_cast<int64_t>(of_host.size()), stride};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor all, Tensor::AllocateUninitialized(DType::kUInt8, dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor there,
                           Tensor::AllocateUninitialized(DType::kUInt8, dims, launches_.memory()));
  auto* to = all.mutable_data<uint8_t>();
  int64_t address = AddressOf(there);
  for (const int64_t i : of_host) {
    std::memcpy(to, rows[static_cast<size_t>(i)].raw_data(), column.byte_size());
    addresses[i] = address;
    to += stride;
    address += stride;
  }
  launches_.CopyIn(all, there);
  staged_.push_back(std::move(there));
  return Status();
}

// ---- Iterations ----

Status HostPartRun::Run(const std::vector<HostStep>& steps, const Iteration& iteration) {
  slots_ = iteration.values.data();
  for (const HostStep& step : steps) {
    if (iteration.is_ahead && step.is_late) continue;
    TAGFLOW_RETURN_IF_ERROR(RunStep(step, iteration));
  }
  return Status();
}

Status HostPartRun::RunStep(const HostStep& step, const Iteration& iteration) {
  Tensor& slot = iteration.values[step.slot];
  switch (step.what) {
    case HostStep::What::kCall:
      return Call(step);
    case HostStep::What::kMove: {
      const Arg from = code_.args[step.at->a];
      Tensor value = iteration.values[from.slot];
      if (from.is_last) iteration.values[from.slot] = Tensor();
      slot = std::move(value);
      return Status();
    }
    case HostStep::What::kDrop:
      slot = Tensor();
      return Status();
    case HostStep::What::kSet:
      slot = step.value;
      return Status();
    case HostStep::What::kTake:
      return iteration.is_ahead ? NoteTaken(step.column, iteration, slot) : Status();
    case HostStep::What::kPut: {
      TAGFLOW_ASSIGN_OR_RETURN(slot, RowOf(step.column, iteration.number));
      return Status();
    }
    case HostStep::What::kBranch: {
      TAGFLOW_ASSIGN_OR_RETURN(const bool holds, Holds(step, iteration));
      return Run(holds ? step.then : step.otherwise, iteration);
    }
    case HostStep::What::kExpect:
      if (!iteration.is_ahead || IsSame(slot, step.value)) return Status();
      [[fallthrough]];
    case HostStep::What::kStop:
      stopped_by_ = &step;
      return FailedPrecondition(step.why);
  }
  return Status();
}

// Whether the first way of a branch is taken.
Result<bool> HostPartRun::Holds(const HostStep& branch, const Iteration& iteration) const {
  Tensor asked;
  if (branch.by_column) {
    TAGFLOW_ASSIGN_OR_RETURN(asked, RowOf(branch.column, iteration.number));
  } else {
    asked = iteration.values[branch.slot];
    if (IsRow(asked)) return FailedPrecondition("what the device is to put is a predicate");
    TAGFLOW_ASSIGN_OR_RETURN(asked, services().devices->OnHost(asked));
  }
  if (branch.way.of == 0) return asked.inline_value<bool>();
  return ChosenWay(asked.inline_value<int32_t>(), branch.way.of) == branch.way.number;
}

Status HostPartRun::Call(const HostStep& step) {
  const Instruction& call = *step.at;
  const Arg* const args = code_.args.data() + call.a;
  Point(args, code_.outputs.data() + call.b, static_cast<int>(call.n));
  // Not by the step's devices, which may swap what is carried: rows are parts of a tensor, and
  // ahead they are not there yet.
  if (step.kernel != nullptr && step.kernel->is_carrier) {
    TAGFLOW_RETURN_IF_ERROR(step.kernel->kernel(*this));
  } else {
    TAGFLOW_RETURN_IF_ERROR(call.function(call.state, *this));
  }
  for (uint32_t i = 0; i < call.n; ++i) {
    if (args[i].is_last && !slots_[args[i].slot].is_inline()) slots_[args[i].slot] = Tensor();
  }
  return Status();
}

Result<Tensor> HostPartRun::RowOf(size_t number, int64_t iteration) const {
  const HostPart::Column& column = part_.columns[number];
  if (column.byte_size() == 0) {
    return Tensor::AllocateUninitialized(column.dtype, column.dims, launches_.memory());
  }
  if (!on_host_.empty() && on_host_[number].has_value()) {
    const Tensor& rows = on_host_[number];
    const auto at = static_cast<size_t>(iteration);
    return column.dtype == DType::kBool ? Tensor::Scalar(rows.data<bool>()[at])
                                        : Tensor::Scalar(rows.data<int32_t>()[at]);
  }
  const int64_t stride = StrideInElements(column);
  const auto elements = static_cast<int64_t>(column.byte_size() / DTypeSize(column.dtype));
  return memory_[number].SliceOuter(iteration * stride, elements).Reshaped(column.dims);
}

// Whether the tensor is in the memory of rows of this run, which hold nothing yet.
bool HostPartRun::IsRow(const Tensor& value) const {
  if (!IsOnDevice(value)) return false;
  return std::ranges::any_of(memory_, [at = AddressOf(value)](const Tensor& rows) {
    if (!rows.has_value()) return false;
    const int64_t begin = AddressOf(rows);
    return begin <= at && at < begin + static_cast<int64_t>(rows.byte_size());
  });
}

// ---- After a run of the device ----

Status HostPartRun::Follow(int64_t iterations, DeviceProgram& program) {
  taken_.clear();
  TAGFLOW_RETURN_IF_ERROR(BringRows(iterations));
  TAGFLOW_RETURN_IF_ERROR(Shrink(iterations, program));
  for (int64_t i = 0; i < iterations; ++i) {
    TAGFLOW_RETURN_IF_ERROR(Run(part_.steps, {values_, i, /*is_ahead=*/false}));
  }
  on_host_.clear();
  memory_.clear();
  return Status();
}

Status HostPartRun::BringRows(int64_t iterations) {
  on_host_.assign(memory_.size(), Tensor());
  for (size_t i = 0; i < memory_.size() && iterations > 0; ++i) {
    if (!part_.columns[i].ComesToHost()) continue;
    const Tensor rows = memory_[i].SliceOuter(0, iterations);
    TAGFLOW_ASSIGN_OR_RETURN(Tensor there,
                             Tensor::AllocateUninitialized(rows.dtype(), Dims{iterations}));
    TAGFLOW_RETURN_IF_ERROR(launches_.memory().Read(rows, there.mutable_raw_data()));
    on_host_[i] = std::move(there);
    memory_[i] = Tensor();
  }
  return Status();
}

// What is left over of the memory of rows lives as long as they do.
Status HostPartRun::Shrink(int64_t iterations, DeviceProgram& program) {
  if (iterations == 0 || iterations > rows_ / 2) return Status();
  for (size_t i = 0; i < memory_.size(); ++i) {
    Tensor& rows = memory_[i];
    if (!rows.has_value() || static_cast<int64_t>(rows.byte_size()) < kShrunkBytes) continue;
    const Tensor full = rows.SliceOuter(0, iterations * StrideInElements(part_.columns[i]));
    Result<Tensor> exact =
        Tensor::AllocateUninitialized(full.dtype(), full.dims(), launches_.memory());
    if (!exact.ok()) return Status();
    TAGFLOW_RETURN_IF_ERROR(program.Set(*exact, full));
    rows = *std::move(exact);
  }
  return Status();
}

bool HostPartRun::GoesOn() const { return values_[*part_.counted].inline_value<bool>(); }

void HostPartRun::GiveTo(std::vector<Tensor>& slots) const {
  for (const uint32_t slot : part_.carried) slots[slot] = values_[slot];
}

}  // namespace tagflow::optimized
