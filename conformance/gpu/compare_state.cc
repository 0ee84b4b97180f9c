#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "conformance/compare.h"
#include "conformance/gpu/compare_kernels.h"
#include "conformance/gpu/compare_ops.h"
#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/training_bodies.h"
#include "optimized/session.h"

namespace tagflow::conformance {
namespace {

using namespace optimized;  // NOLINT: the tables of kernels

// An op that is given handles of variables, and other inputs behind them.
struct StateCall {
  std::string op;
  DType dtype;
  std::string attrs;
  std::vector<Tensor> values;  // of the variables
  std::vector<Tensor> inputs;
  Bounds bounds = {};
};

// The call in a session of its own: variables are set, the op is called, and they are read.
struct StateProgram {
  std::string text;
  NamedTensors feeds;
  std::vector<std::string> fetches;

  std::string Feed(const Tensor& value) {
    const std::string name = "x" + std::to_string(feeds.size());
    text += name + " = Placeholder() dtype=" + DTypeName(value.dtype()) + "\n";
    feeds.emplace_back(name, value);
    return name;
  }
  explicit StateProgram(const StateCall& call) {
    const std::string type = " dtype=" + DTypeName(call.dtype) + "\n";
    std::string handles, set, reads;
    for (size_t k = 0; k < call.values.size(); ++k) {
      const std::string number = std::to_string(k), handle = "v" + number;
      text += handle + " = VarHandleOp()" + type;
      text += "set" + number + " = AssignVariableOp(" + handle + ", " + Feed(call.values[k]) + ")" +
              type;
      reads += "read" + number + " = ReadVariableOp(" + handle + ", ^called)" + type;
      handles += (k == 0 ? "" : ", ") + handle;
      set += ", ^set" + number;
      fetches.push_back("read" + number);
    }
    for (const Tensor& input : call.inputs) handles += ", " + Feed(input);
    text += "called = " + call.op + "(" + handles + set + ")" + call.attrs + "\n" + reads;
    const OpDef& op = *OpRegistry::Standard().Find(call.op);
    if (!op.outputs.empty()) fetches.emplace_back("called");
  }
};

Result<std::vector<Tensor>> RunOn(const std::string& device, const StateCall& call) {
  const StateProgram program(call);
  TestGraph graph(program.text, OpRegistry::Standard());
  for (const NodeId id : graph.graph().NodeIds()) {
    Node& node = graph.mutable_graph().mutable_node(id);
    node.device = device;
    if (device == "/device:GPU:0") RunOnGpu().insert({node.op, "GPU", KernelDType(node)});
  }
  SessionOptions options;
  options.devices = {"/device:CPU:0", "/device:GPU:0"};
  options.device_kinds = {GpuDevices()};
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, Session::Create(graph.Take(), options));
  return session->Run(program.feeds, program.fetches);
}

void Compare(const StateCall& call, SuiteCounts& counts) {
  const auto given = RunOn("/device:GPU:0", call), wanted = RunOn("/device:CPU:0", call);
  std::string why;
  if (!given.ok() || !wanted.ok()) {
    why = given.status().ToString() + ", on the host: " + wanted.status().ToString();
  } else {
    for (size_t i = 0; i < wanted->size(); ++i) {
      why += Difference((*wanted)[i], (*given)[i], call.bounds);
    }
  }
  Note(counts, "kernels", call.op + " " + DTypeName(call.dtype), why);
}

constexpr int64_t kCount = 10'007;

// ---- Training steps ----

template <typename C>
Tensor Ramp(double first, double step, int64_t period) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<C>::value, Dims{kCount});
  C* const out = tensor.mutable_data<C>();
  for (int64_t i = 0; i < kCount; ++i) {
    out[i] = static_cast<C>(first + step * static_cast<double>(i % period));
  }
  return tensor;
}

struct ComparesTraining {
  template <typename Formula, typename C>
  void operator()(const std::string& name, DType dtype) const {
    constexpr training::Form kForm = Formula::kForm;
    StateCall call = {"ResourceApply" + name, dtype, " T=" + DTypeName(dtype), {}, {}};
    for (int k = 0; k < kForm.slots; ++k) call.values.push_back(Ramp<C>(0.5 + k, 1.0 / 64, 97));
    const OpDef& op = *OpRegistry::Standard().Find(call.op);
    for (size_t i = static_cast<size_t>(kForm.slots); i < op.inputs.size(); ++i) {
      const ArgDef& input = op.inputs[i];
      if (static_cast<int>(i) == kForm.gradient) {
        call.inputs.push_back(Ramp<C>(-1, 1.0 / 32, 61));
      } else if (input.dtype == DType::kInt64) {
        call.inputs.push_back(Tensor::Scalar<int64_t>(3));
      } else {
        // A power is that of a root; all else is between 0 and 1.
        call.inputs.push_back(Tensor::Scalar<C>(input.name == "lr_power" ? C(-0.5) : C(0.25)));
      }
    }
    // exp is the library's.
    if (name == "PowerSign") call.bounds = {.magnitude_relative = 1e-12, .magnitude = 10};
    Compare(call, counts);
  }
  SuiteCounts& counts;
};

// ---- Others ----

// Rows that differ in their bytes.
Tensor RowsOf(DType dtype) {
  Tensor rows = *Tensor::Allocate(dtype, Dims{kCount, 3});
  auto* const bytes = static_cast<unsigned char*>(rows.mutable_raw_data());
  const unsigned values = dtype == DType::kBool ? 2 : 113;
  for (size_t i = 0; i < rows.byte_size(); ++i) {
    bytes[i] = static_cast<unsigned char>((i + i / 7) % values);
  }
  return rows;
}

}  // namespace

SuiteCounts CompareVariableKernels() {
  SuiteCounts counts;
  ForEachTraining(ComparesTraining{counts});
  const Tensor rows = Tensor::Vector<int32_t>({5, 0, 10'006, 5});
  for (const DType dtype : kMovedDTypes) {
    Compare({"ResourceGather",
             dtype,
             " Tindices=int32 dtype=" + DTypeName(dtype),
             {RowsOf(dtype)},
             {rows}},
            counts);
  }
  const Tensor floats = Numbers<float>(kCount), doubles = Numbers<double>(kCount);
  const Tensor ints = Numbers<int32_t>(kCount), longs = Numbers<int64_t>(kCount);
  for (const Tensor& values : {floats, doubles, ints, longs}) {
    for (const char* op : {"AssignAddVariableOp", "AssignSubVariableOp"}) {
      Compare({op, values.dtype(), " dtype=" + DTypeName(values.dtype()), {values}, {values}},
              counts);
    }
  }
  return counts;
}

}  // namespace tagflow::conformance
