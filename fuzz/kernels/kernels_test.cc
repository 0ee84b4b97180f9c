// Every op that the reference has a kernel for, called in many ways. Longer: kernels_soak_test.
// Tests: attrs.cc, call_contexts.cc, call_graph.cc, call_maker.cc, convolution_call.cc,
// equation.cc, fitting.cc, fitting_ragged.cc, fitting_texts.cc, fusible.cc,
// image_call.cc, kernel_call.cc, kernel_property.cc, lenient.cc, nearly_fitting.cc, op_families.cc,
// racing_pair.cc, recurrent_call.cc, stateful_elements.cc, stateful_kinds.cc, stateful_sequence.cc,
// values.cc

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "fuzz/kernels/attrs.h"
#include "fuzz/kernels/call_contexts.h"
#include "fuzz/kernels/equation.h"
#include "fuzz/kernels/fusible.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/racing_pair.h"
#include "fuzz/kernels/rounding.h"
#include "fuzz/kernels/stateful_sequence.h"
#include "fuzz/kernels/values.h"

namespace tagflow::fuzz {
namespace {

using ::testing::HasSubstr;

std::vector<const OpDef*> OpsWithKernels() {
  std::vector<const OpDef*> ops;
  for (const std::string& name : reference::KernelRegistry::Standard().Ops()) {
    if (const OpDef* op = OpRegistry::Standard().Find(name)) ops.push_back(op);
  }
  return ops;
}

// What a kernel asks for past the host's allocator ends the process, instead of the machine.
void LimitMemory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit limit{size_t{4} << 30, size_t{4} << 30};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
#endif
}

TEST(Kernels, KeepTheirPromise) {
  LimitMemory();
  constexpr uint64_t kCallsOfEach = 100;
  size_t ops_that_computed = 0;
  const std::vector<const OpDef*> ops = OpsWithKernels();
  ASSERT_GT(ops.size(), 100u);
  for (const OpDef* op : ops) {
    bool computed = false;
    for (uint64_t seed = 0; seed < kCallsOfEach; ++seed) {
      Choices choices = Choices::FromSeed(seed * 1000 + op->name.size());
      const GraphSample sample = CallOf(*op, choices);
      SCOPED_TRACE(ToText(sample));  // said if it crashes
      const CallResults results = CallOnReference(sample);
      const Problem problem = BrokenPromise(sample, results);
      computed = computed || results.front().ok();
      EXPECT_FALSE(problem.has_value()) << *problem;
    }
    ops_that_computed += computed ? 1 : 0;
  }
  // Calls that are all refused would show little.
  EXPECT_GT(ops_that_computed * 10, ops.size() * 7) << ops_that_computed << " of " << ops.size();
}

// Of calls that are refused before the kernel comes to its work, too many show little.
TEST(Kernels, InputsThatMustFitOneAnotherOftenDo) {
  constexpr int kCalls = 300;
  for (const char* name : {"Slice",         "StridedSlice",       "SplitV",
                           "ConcatV2",      "Transpose",          "Tile",
                           "Reshape",       "SpaceToBatchND",     "MatMul",
                           "ScatterUpdate", "RandomUniformInt",   "HistogramFixedWidth",
                           "MatrixSetDiag", "ApplyAdam",          "Multinomial",
                           "InTopK",        "ResourceScatterAdd", "Einsum",
                           "BlockLSTM",     "BlockLSTMGradV2",    "LSTMBlockCellGrad",
                           "GRUBlockCell"}) {
    const OpDef* op = OpRegistry::Standard().Find(name);
    ASSERT_NE(op, nullptr) << name;
    int computed = 0;
    for (int seed = 0; seed < kCalls; ++seed) {
      Choices choices = Choices::FromSeed(static_cast<uint64_t>(seed));
      const auto runs = CallOnReference(CallOf(*op, choices));
      computed += runs.front().ok() ? 1 : 0;
    }
    EXPECT_GT(computed * 100, kCalls * 18) << name << ": " << computed << " of " << kCalls;
  }
}

// Terms of the same letters and of others, some twice in one, and dimensions without letters, which
// one term may have more of, or longer ones.
TEST(Kernels, EquationsAreOfAllKinds) {
  int differ = 0, repeats = 0, ellipses = 0, broadcasts = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const Equation equation = DrawEquation(2, choices);
    ASSERT_EQ(equation.dims.size(), 2u);
    const size_t comma = equation.text.find(','), arrow = equation.text.find("->");
    const std::string a = equation.text.substr(0, comma);
    const std::string b = equation.text.substr(comma + 1, arrow - comma - 1);
    const bool has_ellipsis = a.find("...") != a.npos && b.find("...") != b.npos;
    differ += a != b ? 1 : 0;
    ellipses += has_ellipsis ? 1 : 0;
    broadcasts += has_ellipsis && a == b && equation.dims[0] != equation.dims[1] ? 1 : 0;
    repeats += std::set<char>(b.begin(), b.end()).size() < b.size() && !has_ellipsis ? 1 : 0;
  }
  EXPECT_GT(differ, 300);
  EXPECT_GT(ellipses, 100);
  EXPECT_GT(broadcasts, 20);
  EXPECT_GT(repeats, 60);
}

// Memory that may be used again, nodes that could share what is each one's own, kernels that an
// engine may make one.
TEST(Kernels, CallsAreNotAlwaysAlone) {
  int computed = 0, twins = 0, halves = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample call = DrawKernelCall(choices);
    for (const OutputRef& input : call.graph.node(call.graph.Find(kCalled)).inputs) {
      computed += call.graph.node(input.node).op == "AddV2" ? 1 : 0;
    }
    for (const NodeId id : call.graph.NodeIds()) {
      twins += call.graph.node(id).name == kAgain ? 1 : 0;
      const Node& node = call.graph.node(id);
      halves += node.op == "Split" && node.name != kCalled ? 1 : 0;
    }
  }
  EXPECT_GT(computed, 200);
  EXPECT_GT(twins, 50);
  EXPECT_GT(halves, 10);
}

TEST(CallContexts, EachHasItsTurn) {
  std::map<std::string_view, int> drawn;
  for (const char* op : {"MatMul", "AddV2", "Slice"}) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
      Choices choices = Choices::FromSeed(seed);
      const auto contexts = DrawContexts(StandardOp(op), choices);
      EXPECT_TRUE(std::ranges::is_sorted(contexts)) << "branches are around all";
      for (const CallContext* context : contexts) ++drawn[context->name];
    }
  }
  EXPECT_EQ(drawn.size(), 13u);
  for (const auto& [name, times] : drawn) EXPECT_GT(times, 15) << name;
}

TEST(CallContexts, AreThoseThatSuitTheOp) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    for (const CallContext* context : DrawContexts(StandardOp("Assign"), choices)) {
      EXPECT_NE(context->name, "twice") << "a reference shows what the second did";
      EXPECT_FALSE(context->name.starts_with("a product")) << context->name;
    }
  }
}

// What may be made one with its neighbours the engine's own kernels say.
TEST(Fusible, AreOpsOfEachPart) {
  std::set<std::string> ops;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    ops.insert(DrawFusible(choices).name);
  }
  for (const char* op : {"MatMul", "BiasAdd", "AddV2", "Neg", "Split"}) {
    EXPECT_TRUE(ops.contains(op)) << op;
  }
  EXPECT_FALSE(ops.contains("Sort") || ops.contains("Where") || ops.contains("VarHandleOp"));
}

TEST(Kernels, ProductsAreAddedToSomething) {
  const OpDef& product = *OpRegistry::Standard().Find("MatMul");
  int summed = 0, waiting = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample call = CallOf(product, choices);
    const NodeId called = call.graph.Find(kCalled);
    waiting += call.graph.node(called).control_inputs.empty() ? 0 : 1;
    for (const NodeId id : call.graph.NodeIds()) {
      const Node& node = call.graph.node(id);
      const bool is_sum = node.op == "AddV2" || node.op == "Add" || node.op == "AddN";
      summed += is_sum && std::ranges::count(node.inputs, OutputRef{called, 0}) > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(summed, 60);
  EXPECT_GT(waiting, 10);
}

// Ops write to what they share and read what others wrote; some runs fail, and some after these do
// not.
TEST(StatefulSequences, GoOn) {
  constexpr int kSequences = 1500;
  int computed = 0, after_failure = 0;
  std::map<std::string, int> ops;
  for (uint64_t seed = 0; seed < kSequences; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample sequence = DrawStatefulSequence(choices);
    SCOPED_TRACE(ToText(sequence));
    const CallResults results = CallOnReference(sequence);
    const Problem problem = BrokenPromise(sequence, results);
    EXPECT_FALSE(problem.has_value()) << *problem;
    ASSERT_EQ(results.size(), 2u);
    after_failure += !results[0].ok() && results[1].ok() ? 1 : 0;
    if (!results[0].ok()) continue;
    ++computed;
    for (const NodeId id : sequence.graph.NodeIds()) ++ops[sequence.graph.node(id).op];
  }
  EXPECT_GT(computed * 100, kSequences * 40);
  EXPECT_GT(after_failure, 3);
  for (const char* op :
       {"TensorArrayScatterV3", "TensorArraySplitV3", "TensorArrayConcatV3", "TensorListStack",
        "TensorListConcatV2", "TensorListScatterIntoExistingList", "TensorListConcatLists",
        "StackPopV2", "ResourceScatterMax", "AssignSubVariableOp", "ScatterMul", "AssignSub",
        "TemporaryVariable", "CountUpTo", "ResourceCountUpTo"}) {
    EXPECT_GT(ops[op], 5) << op;
  }
}

// All kernels, each of which says of what it touches something else.
reference::KernelRegistry Saying(const std::function<void(reference::AccessLog&)>& change) {
  const reference::KernelRegistry& standard = reference::KernelRegistry::Standard();
  reference::KernelRegistry kernels;
  for (const std::string& op : standard.Ops()) {
    const reference::Kernel& kernel = *standard.Find(op);
    EXPECT_TRUE(kernels
                    .Register(op,
                              [&kernel, change](reference::KernelContext& context) {
                                const Status status = kernel(context);
                                change(context.accesses);
                                return status;
                              })
                    .ok());
  }
  return kernels;
}

TEST(RacingPairs, WhatIsTouchedIsSaid) {
  const auto silent = Saying([](reference::AccessLog& accesses) { accesses.clear(); });
  std::set<std::string> seen;  // ops of which it matters when they come
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample call = DrawRacingPair(choices);
    SCOPED_TRACE(ToText(call));
    const Problem problem = RacesOtherwise(call);
    EXPECT_FALSE(problem.has_value()) << *problem;
    if (RacesOtherwise(call, reference::StandardRules(), silent).has_value()) {
      seen.insert(call.graph.node(call.graph.Find(kCalled)).op);
    }
  }
  EXPECT_GT(seen.size(), 40u);
  for (const char* op : {"Assign", "AssignAddVariableOp", "StackPushV2", "TensorArrayReadV3"}) {
    EXPECT_TRUE(seen.contains(op)) << op;
  }
}

// A write that says it made a variable appear, which it did not, seems to race with who asks for
// it.
TEST(RacingPairs, WhatIsTouchedIsNoMore) {
  const auto loud = Saying([](reference::AccessLog& accesses) {
    const bool writes = std::ranges::any_of(accesses, &reference::Access::is_write);
    for (reference::Access& access : accesses) access.is_write = writes;
    if (!writes || accesses.empty()) return;
    accesses.push_back(accesses.front());
    accesses.back().element = reference::Access::kPresence;
  });
  int seen = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample call = DrawRacingPair(choices);
    const Problem problem = RacesOtherwise(call, reference::StandardRules(), loud);
    seen += problem && problem->find("no matter when") != problem->npos ? 1 : 0;
  }
  EXPECT_GT(seen, 3);
}

// One sample of Neg in which the kernel is another.
Problem WithKernel(const reference::Kernel& kernel) {
  reference::KernelRegistry kernels;
  EXPECT_TRUE(kernels.Register("Neg", kernel).ok());
  GraphSample sample;
  const NodeId x = *sample.graph.AddNode("x", "Placeholder");
  sample.graph.SetAttr(x, "dtype", DType::kFloat);
  sample.graph.SetAttr(x, "shape", PartialShape(Dims{2}));
  const NodeId called = *sample.graph.AddNode(kCalled, "Neg");
  sample.graph.SetAttr(called, "T", DType::kFloat);
  sample.graph.mutable_node(called).inputs = {OutputRef{x, 0}};
  sample.runs = {{{"x", Tensor::Vector<float>({1, 2})}}};
  sample.fetches = {kCalled};
  return BrokenPromise(sample, CallOnReference(sample, reference::StandardRules(), kernels));
}

std::string Said(const Problem& problem) { return problem.value_or("nothing"); }

TEST(Kernels, ABrokenPromiseIsSeen) {
  using reference::KernelContext;
  EXPECT_EQ(WithKernel([](KernelContext& context) {
              context.outputs[0] = context.inputs[0];
              return Status();
            }),
            std::nullopt);
  EXPECT_THAT(Said(WithKernel([](KernelContext& context) {
                context.outputs[0] = Tensor::Scalar(1.0F);
                return Status();
              })),
              HasSubstr("called has shape [], its shape function says [2]"));
  EXPECT_THAT(Said(WithKernel([](KernelContext& context) {
                context.outputs[0] = Tensor::Scalar(true);
                return Status();
              })),
              HasSubstr("blames the engine"));
  EXPECT_THAT(Said(WithKernel([](KernelContext&) { return Status(Code::kUnknown, "what"); })),
              HasSubstr("blames the engine"));
  EXPECT_THAT(Said(WithKernel([](KernelContext&) { return InvalidArgument(""); })),
              HasSubstr("without a word"));
  EXPECT_EQ(WithKernel([](KernelContext&) { return InvalidArgument("no"); }), std::nullopt);
}

// What a kernel makes of x and y, of which the shapes are known, alike or not.
Problem OfTwo(const char* op, const char* y_attr, const Tensor& x, const Tensor& y) {
  GraphSample sample;
  const auto fed = [&](const char* name, const Tensor& value) {
    const NodeId id = *sample.graph.AddNode(name, "Placeholder");
    sample.graph.SetAttr(id, "dtype", value.dtype());
    sample.graph.SetAttr(id, "shape", PartialShape(Dims(value.dims().begin(), value.dims().end())));
    return OutputRef{id, 0};
  };
  const NodeId called = *sample.graph.AddNode(kCalled, op);
  sample.graph.mutable_node(called).inputs = {fed("x", x), fed("y", y)};
  sample.graph.SetAttr(called, "T", x.dtype());
  if (y_attr[0] != 0) sample.graph.SetAttr(called, y_attr, y.dtype());
  sample.runs = {{{"x", x}, {"y", y}}};
  sample.fetches = {kCalled};
  reference::KernelRegistry kernels;
  const auto give_first = [](reference::KernelContext& context) {
    context.outputs[0] = context.inputs[0];
    return Status();
  };
  EXPECT_TRUE(kernels.Register(op, give_first).ok());
  return BrokenPromise(sample, CallOnReference(sample, reference::StandardRules(), kernels));
}

TEST(Kernels, AShapeFunctionThatRefusesWhatIsComputedIsSeen) {
  const Tensor one = Tensor::Vector<float>({1}), two = Tensor::Vector<float>({1, 2});
  EXPECT_EQ(OfTwo("SquaredDifference", "", two, one), std::nullopt);
  EXPECT_THAT(Said(OfTwo("ReluGrad", "", two, one)), HasSubstr("its shape function refuses it"));
  // Kernels take a matrix of axes, as well.
  const Tensor axes = *Tensor::Allocate(DType::kInt32, Dims{1, 1});
  EXPECT_EQ(OfTwo("ReverseV2", "Tidx", two, axes), std::nullopt);
}

TEST(Kernels, NoKernelGetsMuchMemoryAtOnce) {
  EXPECT_EQ(WithKernel([](reference::KernelContext& context) {
              context.outputs[0] = context.inputs[0];
              const auto large = Tensor::Allocate(DType::kFloat, Dims{1 << 30});
              return large.ok() ? Internal("it was given") : Status();
            }),
            std::nullopt);
  EXPECT_TRUE(Tensor::Allocate(DType::kInt8, Dims{1 << 26}).ok()) << "the limit stays";
}

TEST(Kernels, TheSameChoicesMakeTheSameCall) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Choices first = Choices::FromSeed(seed);
    const std::string text = ToText(DrawKernelCall(first));
    Choices again = Choices::FromNumbers(first.drawn());
    EXPECT_EQ(text, ToText(DrawKernelCall(again)));
  }
}

TEST(KernelValues, AreOrdinaryAndSpecial) {
  Choices choices = Choices::FromSeed(1);
  std::set<bool> finite;
  std::set<size_t> ranks;
  for (int i = 0; i < 200; ++i) {
    const Tensor drawn = DrawTensor(DType::kHalf, DrawDimsLike({2, 3}, choices), choices);
    ranks.insert(drawn.dims().size());
    for (const Half value : drawn.flat<Half>()) finite.insert(std::isfinite(ToFloat(value)));
  }
  EXPECT_EQ(finite.size(), 2u);
  EXPECT_THAT(ranks, testing::IsSupersetOf<size_t>({0, 1, 2, 3, 4}));
}

TEST(Rounding, GoesToTheNearestAndFromHalfwayToTheEven) {
  const auto bfloats = [](std::vector<uint16_t> bits) {
    Tensor tensor = *Tensor::Allocate(DType::kBFloat16, Dims{static_cast<int64_t>(bits.size())});
    for (size_t i = 0; i < bits.size(); ++i) tensor.mutable_data<BFloat16>()[i] = {bits[i]};
    return tensor;
  };
  const Tensor from = Tensor::Vector<float>({1.00390625F, 1.01171875F, 1.001F, 0.0F});
  EXPECT_TRUE(AreNearest(from, bfloats({0x3f80, 0x3f82, 0x3f80, 0})));
  EXPECT_FALSE(AreNearest(from, bfloats({0x3f81, 0x3f82, 0x3f80, 0})));
  EXPECT_FALSE(AreNearest(from, bfloats({0x3f80, 0x3f81, 0x3f80, 0})));
  EXPECT_FALSE(AreNearest(from, bfloats({0x3f80, 0x3f82, 0x3f81, 0})));
}

TEST(KernelAttrs, TameOnesAreAllowed) {
  Choices choices = Choices::FromSeed(1);
  int checked = 0;
  for (const OpDef* op : OpsWithKernels()) {
    for (const AttrDef& attr : op->attrs) {
      const std::optional<AttrValue> value = DrawAttr(*op, attr, true, choices);
      if (!value.has_value()) continue;
      ++checked;
      EXPECT_TRUE(CheckAttr(attr, *value).ok()) << op->name << ": " << value->ToString();
    }
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace tagflow::fuzz
