#include "optimized/devices/gpu/cuda_program.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "optimized/devices/gpu/cuda_status.h"

namespace tagflow::optimized {
namespace {

constexpr auto kNoFault = static_cast<int64_t>(FaultPlace::kNone);

bool Overlap(const Tensor& a, const Tensor& b) {
  const char* const from = CudaMemory::Address(a);
  const char* const to = CudaMemory::Address(b);
  return from < to + b.byte_size() && to < from + a.byte_size();
}

}  // namespace

CudaProgram::CudaProgram(CudaMemory& memory, cudaStream_t launches)
    : graphs_(*Cuda().graphs),
      memory_(memory),
      launches_(launches),
      own_memory_(memory),
      recorder_(memory, launches, &own_memory_) {}

CudaProgram::~CudaProgram() {
  while (!levels_.empty()) (void)EndLevel();
  if (graph_ != nullptr) (void)graphs_.destroy(graph_);
  if (made_ != nullptr) (void)graphs_.destroy_instance(made_);
  (void)Cuda().get_last_error();  // of a recording that was given up
}

Status CudaProgram::Note(cudaError_t error, const char* what) {
  if (error != cudaSuccess) (void)Cuda().get_last_error();
  return CudaStatus(error, what);
}

int64_t* CudaProgram::AddressOf(Place place) const {
  return reinterpret_cast<int64_t*>(CudaMemory::Address(state_)) + place;
}

// One level deeper.
Status CudaProgram::Record(cudaGraph_t graph, Level level) {
  constexpr const char* kWhat = "recording for a GPU";
  TAGFLOW_RETURN_IF_ERROR(Note(Cuda().stream_create(&level.stream, cudaStreamNonBlocking), kWhat));
  const cudaError_t error = graphs_.begin_recording(level.stream, graph);
  if (error != cudaSuccess) (void)Cuda().stream_destroy(level.stream);
  TAGFLOW_RETURN_IF_ERROR(Note(error, kWhat));
  levels_.push_back(level);
  recorder_.set_handle(level.stream);
  return Status();
}

cudaError_t CudaProgram::EndLevel() {
  const cudaStream_t stream = levels_.back().stream;
  const cudaError_t error = graphs_.end_recording(stream);
  (void)Cuda().stream_destroy(stream);
  levels_.pop_back();
  recorder_.set_handle(levels_.empty() ? launches_ : levels_.back().stream);
  return error;
}

CommitArgs CudaProgram::Decision(const Level& level, const Asked& asked, bool is_outermost) const {
  CommitArgs args;
  args.has_condition = true;
  args.condition = level.condition;
  const char* const predicate =
      asked.predicate.has_value() ? CudaMemory::Address(asked.predicate) : nullptr;
  if (asked.way.of == 0) {
    args.predicate = reinterpret_cast<const bool*>(predicate);
  } else {
    args.index = reinterpret_cast<const int32_t*>(predicate);
    args.ways = static_cast<int32_t>(asked.way.of);
    args.way = static_cast<int32_t>(asked.way.number);
  }
  args.fault = faults_.word;
  if (!is_outermost) return args;
  args.begun = AddressOf(kBegun);
  args.goes_on = reinterpret_cast<bool*>(AddressOf(kGoesOn));
  return args;
}

Status CudaProgram::BeginNode(AddNode add, const Asked& asked, bool is_outermost) {
  const cudaStream_t around = levels_.back().stream;
  constexpr const char* kWhat = "recording for a GPU";
  Level level;
  cudaGraph_t bodies[2] = {};
  TAGFLOW_RETURN_IF_ERROR(Note(graphs_.new_condition(around, &level.condition), kWhat));
  TAGFLOW_RETURN_IF_ERROR(Commit({}, Decision(level, asked, is_outermost)));
  TAGFLOW_RETURN_IF_ERROR(Note(add(around, level.condition, bodies), kWhat));
  level.otherwise = bodies[1];
  return Record(bodies[0], level);
}

Status CudaProgram::Start() {
  TAGFLOW_ASSIGN_OR_RETURN(
      state_, Tensor::AllocateUninitialized(DType::kInt64, Dims{kNumPlaces}, own_memory_));
  faults_.word = reinterpret_cast<uint64_t*>(AddressOf(kFault));
  recorder_.Select();
  TAGFLOW_RETURN_IF_ERROR(Note(graphs_.create(&graph_), "making a program for a GPU"));
  return Record(graph_, {});
}

Status CudaProgram::Begin(const Tensor& predicate) {
  const bool is_outermost = levels_.empty();
  if (is_outermost) TAGFLOW_RETURN_IF_ERROR(Start());
  return BeginNode(graphs_.add_while, {predicate, {}}, is_outermost);
}

Status CudaProgram::BeginIf(const Tensor& predicate, Way way) {
  return BeginNode(graphs_.add_if, {predicate, way}, /*is_outermost=*/false);
}

Status CudaProgram::Guard() {
  if (faults_.is_guarded) return Status();
  recorder_.Select();
  TAGFLOW_RETURN_IF_ERROR(BeginNode(graphs_.add_if, {}, /*is_outermost=*/false));
  levels_.back().is_guard = true;
  faults_.is_guarded = true;
  return Status();
}

Status CudaProgram::EndGuards() {
  while (levels_.back().is_guard) {
    faults_.is_guarded = false;
    TAGFLOW_RETURN_IF_ERROR(Note(EndLevel(), "recording for a GPU"));
  }
  return Status();
}

Status CudaProgram::Else() {
  TAGFLOW_RETURN_IF_ERROR(EndGuards());
  const Level level = levels_.back();
  TAGFLOW_RETURN_IF_ERROR(EndIf());
  return Record(level.otherwise, {nullptr, level.condition, nullptr});
}

Status CudaProgram::EndIf() {
  TAGFLOW_RETURN_IF_ERROR(EndGuards());
  return Note(EndLevel(), "recording for a GPU");
}

// Copies of what other copies write come first.
Status CudaProgram::Apart(std::vector<Carried>& carried) {
  for (Carried& each : carried) {
    if (each.from.is_inline()) continue;
    const auto writes_it = [&](const Carried& other) { return Overlap(each.from, other.to); };
    if (std::ranges::none_of(carried, writes_it)) continue;
    TAGFLOW_ASSIGN_OR_RETURN(
        const Tensor apart,
        Tensor::AllocateUninitialized(each.from.dtype(), each.from.dims(), own_memory_));
    TAGFLOW_RETURN_IF_ERROR(Set(apart, each.from));
    each.from = apart;
  }
  return Status();
}

// The decision, if there is one, with the last of the copies.
Status CudaProgram::Commit(const std::vector<Carried>& carried, CommitArgs decision) {
  constexpr const char* kWhat = "launching a kernel";
  CommitArgs args;
  for (size_t i = 0; i < carried.size(); ++i) {
    const auto& [from, to] = carried[i];
    CommitArgs::Copy& copy = args.copies[args.count++];
    copy = {nullptr, CudaMemory::Address(to), static_cast<int64_t>(to.byte_size()), {}};
    if (from.is_inline()) {
      std::memcpy(copy.scalar, from.raw_data(), to.byte_size());
    } else {
      copy.from = CudaMemory::Address(from);
    }
    const bool is_last = i + 1 == carried.size();
    if (is_last || args.count < CommitArgs::kCopiesMax) continue;
    TAGFLOW_RETURN_IF_ERROR(Note(Cuda().launch_commit(args, recorder_.handle()), kWhat));
    args.count = 0;
  }
  std::ranges::copy(args.copies, decision.copies);
  decision.count = args.count;
  return Note(Cuda().launch_commit(decision, recorder_.handle()), kWhat);
}

Status CudaProgram::End(const std::vector<Carried>& carried, const Tensor& predicate) {
  constexpr size_t kOutermost = 2;  // the graph itself, and the body of its loop
  TAGFLOW_RETURN_IF_ERROR(EndGuards());
  std::vector<Carried> apart = carried;
  TAGFLOW_RETURN_IF_ERROR(Apart(apart));
  const bool is_outermost = levels_.size() == kOutermost;
  TAGFLOW_RETURN_IF_ERROR(Commit(apart, Decision(levels_.back(), {predicate, {}}, is_outermost)));
  return Note(EndLevel(), "recording a loop for a GPU");
}

Status CudaProgram::Finish() {
  constexpr const char* kWhat = "making a program for a GPU";
  TAGFLOW_RETURN_IF_ERROR(EndGuards());
  TAGFLOW_RETURN_IF_ERROR(Note(EndLevel(), kWhat));
  return Note(graphs_.instantiate(&made_, graph_), kWhat);
}

Status CudaProgram::Set(const Tensor& to, const Tensor& from) {
  recorder_.Select();
  return Commit({{from, to}}, {});
}

Result<int> CudaProgram::NewColumn() {
  // Not of the program's memory: a block of that may be what a kernel before this one writes.
  TAGFLOW_ASSIGN_OR_RETURN(Tensor column,
                           Tensor::AllocateUninitialized(DType::kInt64, Dims{1}, memory_));
  columns_.push_back(std::move(column));
  return static_cast<int>(columns_.size()) - 1;
}

Status CudaProgram::CopyRows(const std::vector<Row>& rows, bool takes) {
  recorder_.Select();
  CommitArgs args;
  args.begun = AddressOf(kBegun);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& [column, there] = rows[i];
    char* const row = CudaMemory::Address(columns_[static_cast<size_t>(column)]);
    CommitArgs::Copy& copy = args.copies[args.count++];
    copy.from = takes ? row : CudaMemory::Address(there);
    copy.to = takes ? CudaMemory::Address(there) : row;
    copy.bytes = static_cast<int64_t>(there.byte_size());
    copy.rows = takes ? CommitArgs::Rows::kFrom : CommitArgs::Rows::kTo;
    const bool is_last = i + 1 == rows.size();
    if (!is_last && args.count < CommitArgs::kCopiesMax) continue;
    TAGFLOW_RETURN_IF_ERROR(
        Note(Cuda().launch_commit(args, recorder_.handle()), "launching a kernel"));
    args.count = 0;
  }
  return Status();
}

DeviceProgram::Carried CudaProgram::Setting(Place place, int64_t value) const {
  return {Tensor::Scalar(value), state_.SliceOuter(place, 1)};
}

Result<DeviceProgram::Ended> CudaProgram::Run(int64_t iterations_max) {
  recorder_.Select();
  std::vector<Carried> settings = {Setting(kBegun, 0), Setting(kMost, iterations_max),
                                   Setting(kGoesOn, 0)};
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto address = reinterpret_cast<int64_t>(CudaMemory::Address(addresses_[i]));
    settings.push_back({Tensor::Scalar(address), columns_[i]});
  }
  TAGFLOW_RETURN_IF_ERROR(Commit(settings, {}));
  TAGFLOW_RETURN_IF_ERROR(Launch());
  int64_t state[kNumPlaces];
  TAGFLOW_RETURN_IF_ERROR(own_memory_.Read(state_, state));
  return Ended{state[kBegun], (state[kGoesOn] & 1) == 0, state[kFault] != kNoFault};
}

Status CudaProgram::Launch() {
  recorder_.Select();
  if (is_first_ || faults_.is_used()) {
    TAGFLOW_RETURN_IF_ERROR(Commit({Setting(kFault, kNoFault)}, {}));
  }
  is_first_ = false;
  return Note(graphs_.launch(made_, launches_), "launching a program");
}

Status CudaProgram::Failure() {
  if (!faults_.is_used()) return Status();
  uint64_t noted = FaultPlace::kNone;
  TAGFLOW_RETURN_IF_ERROR(own_memory_.Read(state_.SliceOuter(kFault, 1), &noted));
  if (noted == FaultPlace::kNone) return Status();
  const auto index = static_cast<int64_t>(noted & FaultPlace::kIndexMax);
  Status error = faults_.tells[noted >> FaultPlace::kIndexBits](index);
  return error.ok() ? Internal("a kernel failed on a device, and not when it was asked why")
                    : error;
}

}  // namespace tagflow::optimized
