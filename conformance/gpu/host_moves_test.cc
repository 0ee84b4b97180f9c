// What GPU kernels move, run on the host: the plan of every op that moves elements, carried out by
// the kernels' bodies, against the reference; and choices by Select.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/gpu/host_bodies.h"
#include "conformance/gpu/host_firing.h"
#include "graph/test_node.h"
#include "optimized/devices/gpu/kernels/move_bodies.h"
#include "optimized/devices/gpu/kernels/move_plans.h"

namespace tagflow::optimized {
namespace {

struct RunsOnHost {
  template <typename Bits>
  bool operator()() const {
    OnHost(BoxBody<Bits>(args), args.walk.count);
    return true;
  }
  const BoxArgs& args;
};

Status Carry(const BoxMove& move, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
  BoxArgs args = {};
  TAGFLOW_ASSIGN_OR_RETURN(args.walk, move.walk());
  if (args.walk.count == 0) return Status();
  if (move.input == BoxMove::kConstant) {
    std::ranges::copy(move.constant, args.scalar);
  } else {
    args.from = PlaceOnHost(inputs[static_cast<size_t>(move.input)], args.scalar);
  }
  Tensor& out = outputs[static_cast<size_t>(move.output)];
  args.to = out.mutable_raw_data();
  args.from_first = move.from_first;
  args.to_first = move.to_first;
  if (ForElementSize(DTypeSize(out.dtype()), RunsOnHost{args}, false)) return Status();
  return Unimplemented("elements of " + std::to_string(DTypeSize(out.dtype())) + " bytes");
}

Result<std::vector<Tensor>> Move(const MoveOp& op, const std::vector<Tensor>& inputs,
                                 const AttrMap& attrs) {
  std::vector<DType> dtypes;
  for (const Tensor& input : inputs) dtypes.push_back(input.dtype());
  TAGFLOW_ASSIGN_OR_RETURN(const Node node, TestNode("node", op.op, dtypes, attrs));
  TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(node));
  TAGFLOW_ASSIGN_OR_RETURN(const Planner plan_of, op.bind(Binding{node, signature}));
  TAGFLOW_ASSIGN_OR_RETURN(const MovePlan plan, plan_of(Firing(inputs).context));
  std::vector<Tensor> outputs;
  for (const SmallDims& dims : plan.outputs) {
    TAGFLOW_ASSIGN_OR_RETURN(outputs.emplace_back(),
                             Tensor::Allocate(signature.outputs[0].dtype, dims));
  }
  for (const BoxMove& move : plan.moves) {
    TAGFLOW_RETURN_IF_ERROR(Carry(move, inputs, outputs));
  }
  return outputs;
}

class HostMoves : public testing::Test {
 protected:
  ~HostMoves() override {
    for (const MoveOp& op : MoveOps()) EXPECT_TRUE(checked_.contains(op.op)) << op.op;
  }

  void Expect(const std::string& name, const std::vector<Tensor>& inputs,
              const AttrMap& attrs = {}) {
    SCOPED_TRACE(name);
    const Result<std::vector<Tensor>> wanted = ReferenceGives(name, inputs, attrs);
    ASSERT_TRUE(wanted.ok()) << wanted.status().ToString();
    const Result<std::vector<Tensor>> moved = MoveBy(name, inputs, attrs);
    ASSERT_TRUE(moved.ok()) << moved.status().ToString();
    ASSERT_EQ(wanted->size(), moved->size());
    for (size_t i = 0; i < wanted->size(); ++i) {
      EXPECT_EQ(conformance::Difference((*wanted)[i], (*moved)[i], {}), "");
    }
  }

  void ExpectDiagonals();
  void ExpectRefused(const std::string& name, const std::vector<Tensor>& inputs,
                     const AttrMap& attrs = {}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(MoveBy(name, inputs, attrs).status().code(),
              ReferenceGives(name, inputs, attrs).status().code());
    EXPECT_FALSE(MoveBy(name, inputs, attrs).ok());
  }

 private:
  Result<std::vector<Tensor>> MoveBy(const std::string& name, const std::vector<Tensor>& inputs,
                                     const AttrMap& attrs) {
    checked_.insert(name);
    const auto op = std::ranges::find(MoveOps(), name, &MoveOp::op);
    if (op == MoveOps().end()) return NotFound("no plan of " + name);
    return Move(*op, inputs, attrs);
  }

  std::set<std::string> checked_;
};

Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }
Tensor Int(int32_t value) { return Tensor::Scalar(value); }

void HostMoves::ExpectDiagonals() {
  const Tensor vectors = Counted<float>({2, 3}), cube = Counted<int16_t>({2, 3, 4});
  const Tensor nine = Tensor::Scalar(9.0f), short_nine = Tensor::Scalar<int16_t>(9);
  Expect("Diag", {vectors});
  Expect("DiagPart", {Counted<int64_t>({2, 3, 2, 3})});
  ExpectRefused("Diag", {nine});
  ExpectRefused("DiagPart", {vectors});

  Expect("MatrixDiag", {vectors});
  Expect("MatrixDiag", {Counted<float>({2, 0})});
  Expect("MatrixDiagV2", {vectors, Int(1), Int(-1), Int(-1), nine});
  Expect("MatrixDiagV3", {vectors, Int(-1), Int(4), Int(3), nine});
  const Tensor bands = Counted<float>({2, 3, 4}), band = Ints({-1, 1});
  Expect("MatrixDiagV3", {bands, band, Int(-1), Int(-1), nine});
  Expect("MatrixDiagV3", {bands, band, Int(-1), Int(-1), nine},
         {{"align", std::string("LEFT_LEFT")}});
  ExpectRefused("MatrixDiagV3", {bands, Ints({1, -1}), Int(-1), Int(-1), nine});

  Expect("MatrixDiagPart", {cube});
  Expect("MatrixDiagPartV2", {cube, band, short_nine});
  Expect("MatrixDiagPartV3", {cube, Ints({-2, 3}), short_nine});
  Expect("MatrixDiagPartV3", {cube, Int(2), short_nine});
  ExpectRefused("MatrixDiagPartV3", {cube, Int(4), short_nine});

  Expect("MatrixSetDiag", {Counted<float>({2, 3, 4}), vectors});
  Expect("MatrixSetDiagV2", {Counted<float>({2, 3, 4}), Counted<float>({2, 3}), Int(1)});
  Expect("MatrixSetDiagV3", {Counted<float>({2, 4, 4}), bands, band});
  ExpectRefused("MatrixSetDiag", {vectors, vectors});
}

TEST_F(HostMoves, GiveWhatTheReferenceGives) {
  ExpectDiagonals();
  const Tensor cube = Counted<double>({2, 3, 4}), matrix = Counted<float>({3, 5});
  const Tensor bytes = Counted<bool>({4, 6}), scalar = Tensor::Scalar<int64_t>(7);
  const Tensor none = Counted<float>({0, 3});

  Expect("Transpose", {cube, Ints({2, 0, 1})});
  Expect("Transpose", {bytes, Ints({1, 0})});
  Expect("Transpose", {none, Ints({1, 0})});
  Expect("Transpose", {scalar, Ints({})});
  ExpectRefused("Transpose", {cube, Ints({2, 0, 2})});

  Expect("Slice", {cube, Ints({1, 0, 2}), Ints({1, 2, -1})});
  Expect("Slice", {matrix, Ints({0, 0}), Ints({0, 5})});
  ExpectRefused("Slice", {matrix, Ints({0, 4}), Ints({1, 2})});
  Expect("StridedSlice", {cube, Ints({1, 2}), Ints({0, 0}), Ints({1, -1})},
         {{"ellipsis_mask", int64_t{0}}, {"shrink_axis_mask", int64_t{1}}});
  Expect("StridedSlice", {matrix, Ints({0, 4}), Ints({3, 0}), Ints({2, -2})});
  Expect("StridedSliceGrad",
         {Ints({3, 5}), Ints({0, 4}), Ints({3, 0}), Ints({2, -2}), Counted<float>({2, 2})});
  ExpectRefused("StridedSliceGrad",
                {Ints({3, 5}), Ints({0, 4}), Ints({3, 0}), Ints({2, -2}), matrix});

  Expect("ConcatV2", {matrix, Counted<float>({1, 5}), none.Reshaped(Dims{0, 5}), Int(0)});
  Expect("ConcatV2", {matrix, Counted<float>({3, 2}), Int(-1)});
  ExpectRefused("ConcatV2", {matrix, none, Int(0)});
  Expect("Concat", {Int(1), cube, Counted<double>({2, 1, 4})});
  Expect("Pack", {matrix, matrix, matrix}, {{"axis", int64_t{1}}});
  Expect("Pack", {scalar, scalar});
  Expect("Split", {Int(2), cube}, {{"num_split", int64_t{2}}});
  ExpectRefused("Split", {Int(0), matrix}, {{"num_split", int64_t{2}}});
  Expect("SplitV", {bytes, Ints({1, -1, 2}), Int(1)}, {{"num_split", int64_t{3}}});
  Expect("Unpack", {cube}, {{"num", int64_t{3}}, {"axis", int64_t{1}}});

  Expect("Pad", {matrix, Ints({1, 2, 0, 3}).Reshaped(Dims{2, 2})});
  Expect("Pad", {none, Ints({1, 2, 0, 3}).Reshaped(Dims{2, 2})});
  Expect("PadV2", {bytes, Ints({1, 0, 0, 2}).Reshaped(Dims{2, 2}), Tensor::Scalar(true)});
  ExpectRefused("PadV2", {matrix, Ints({1, 0}).Reshaped(Dims{1, 2}), Tensor::Scalar(1.0f)});

  Expect("Tile", {cube, Ints({2, 1, 3})});
  Expect("Tile", {matrix, Ints({0, 2})});
  Expect("Tile", {Counted<int32_t>({1, 2, 1, 2, 1, 2}), Ints({3, 1, 2, 2, 2, 2})});
  Expect("BroadcastTo", {Counted<double>({3, 1}), Ints({2, 3, 4})});
  Expect("BroadcastTo", {scalar, Ints({2, 3})});
  ExpectRefused("BroadcastTo", {matrix, Ints({3, 4})});
  Expect("ReverseV2", {cube, Ints({0, -1})});
  Expect("ReverseV2", {none, Ints({0})});
  ExpectRefused("ReverseV2", {cube, Ints({0, 0})});

  Expect("Fill", {Ints({2, 3}), scalar});
  Expect("Fill", {Ints({}), scalar});
  ExpectRefused("Fill", {Ints({-1}), scalar});
  Expect("ZerosLike", {cube});
  Expect("OnesLike", {cube});
  Expect("OnesLike", {bytes});
  Expect("OnesLike", {Tensor::Scalar(2.0f)});
}

template <typename Bits>
Tensor SelectOnHost(const std::vector<Tensor>& inputs, const Walk<3>& walk, DimsView dims) {
  Tensor out = *Tensor::Allocate(inputs[1].dtype(), dims);
  SelectArgs args = {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    args.inputs[i] = PlaceOnHost(inputs[i], args.scalars[i]);
  }
  args.out = out.mutable_raw_data();
  args.walk = walk;
  OnHost(SelectBody<Bits>(args), walk.count);
  return out;
}

TEST(HostSelect, GivesWhatTheReferenceGives) {
  const Tensor rows = Counted<bool>({2, 1}), all = Counted<bool>({2, 3});
  const Tensor x = Counted<double>({2, 3}), y = Counted<double>({3});
  const Tensor scalar = Tensor::Scalar(9.0), yes = Tensor::Scalar(true);
  Walk<3> by_rows, by_elements;
  ASSERT_TRUE(by_rows.Add(3, {0, 1, 1}).ok());
  ASSERT_TRUE(by_rows.Add(2, {1, 3, 0}).ok());
  ASSERT_TRUE(by_elements.Add(3, {1, 1, 0}).ok());
  ASSERT_TRUE(by_elements.Add(2, {3, 3, 0}).ok());
  const auto check = [&](const std::vector<Tensor>& inputs, const Walk<3>& walk) {
    const Tensor out = SelectOnHost<uint64_t>(inputs, walk, x.dims());
    EXPECT_EQ(DifferenceFromReference("SelectV2", inputs, {}, out), "");
  };
  check({rows, x, y}, by_rows);
  check({yes, x, y}, by_rows);
  check({all, x, scalar}, by_elements);
}

}  // namespace
}  // namespace tagflow::optimized
