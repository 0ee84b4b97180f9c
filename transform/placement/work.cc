#include "transform/placement/work.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

enum class Kind { kElements, kNothing, kMoves, kProduct, kCostly, kSorts, kCubic };

// Ops by name, between blanks. Everything else is of kElements.
struct OpsOfKind {
  Kind kind;
  std::string_view ops;
};
constexpr OpsOfKind kOpsOfKinds[] = {
    {Kind::kNothing, R"(
     Identity IdentityN RefIdentity StopGradient PreventGradient Snapshot Reshape ExpandDims
     Squeeze EnsureShape Bitcast Shape ShapeN Size Rank Const Placeholder PlaceholderV2
     PlaceholderWithDefault NoOp ControlTrigger VarHandleOp VariableV2 Variable
     TemporaryVariable ReadVariableOp VariableShape VarIsInitializedOp IsVariableInitialized
     DestroyResourceOp DestroyTemporaryVariable TensorArrayV3 TensorArraySizeV3
     TensorArrayCloseV3 TensorArrayGradV3 TensorArrayGradWithShape StackV2 StackCloseV2
     StackPushV2 StackPopV2 TensorListReserve EmptyTensorList TensorListLength
     TensorListElementShape TensorListPushBack TensorListPopBack TensorListGetItem
     TensorListSetItem TensorArrayReadV3 TensorArrayWriteV3 OptionalNone OptionalFromValue
     OptionalHasValue OptionalGetValue GuaranteeConst EmptyTensorMap TensorMapSize
     TensorMapLookup TensorMapInsert TensorMapErase TensorMapHasKey)"},
    {Kind::kMoves, R"(
     Concat ConcatV2 Pack Unpack Split SplitV Slice StridedSlice StridedSliceGrad Gather
     GatherV2 GatherNd ResourceGather ResourceGatherNd Transpose Tile Pad PadV2 MirrorPad
     BroadcastTo Fill ZerosLike OnesLike Reverse ReverseV2 Roll DeepCopy Assign
     AssignVariableOp TensorListStack TensorListFromTensor TensorListGather TensorListConcat
     TensorListConcatV2 TensorArrayGatherV3 TensorArrayScatterV3 TensorArrayConcatV3
     TensorArraySplitV3 _Send _Recv _HostSend _HostRecv)"},
    {Kind::kProduct, R"(
     MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 Einsum)"},
    {Kind::kCostly, R"(
     Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Tanh Asinh Acosh Atanh
     Sigmoid Softplus Elu Selu Pow Erf Erfc Erfinv Ndtri Lgamma Digamma Polygamma Zeta Igamma
     Igammac IgammaGradA Betainc BesselI0 BesselI0e BesselI1 BesselI1e BesselK0 BesselK0e BesselK1
     BesselK1e BesselJ0 BesselJ1 BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence Xlogy Xlog1py Softmax LogSoftmax SoftmaxCrossEntropyWithLogits
     SparseSoftmaxCrossEntropyWithLogits RandomUniform RandomUniformInt RandomStandardNormal
     TruncatedNormal RandomShuffle Multinomial StatelessRandomUniform StatelessRandomUniformV2
     StatelessRandomNormal StatelessRandomNormalV2 StatelessTruncatedNormal
     StatelessTruncatedNormalV2 StatelessMultinomial AsString StringToNumber)"},
    {Kind::kSorts, R"(
     Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 TopK TopKV2 ListDiff InTopK InTopKV2)"},
    {Kind::kCubic, R"(
     Cholesky MatrixInverse MatrixSolve MatrixTriangularSolve MatrixDeterminant
     LogMatrixDeterminant Qr SelfAdjointEigV2 Svd)"},
};

using KindTable = std::unordered_map<std::string_view, Kind>;

const KindTable& Kinds() {
  static const auto& kinds = *[] {
    auto* all = new KindTable;
    for (const auto& [kind, ops] : kOpsOfKinds) {
      for (size_t at = 0, end = 0; at < ops.size(); at = end + 1) {
        end = std::min(ops.find_first_of(" \n", at), ops.size());
        if (end > at) all->emplace(ops.substr(at, end - at), kind);
      }
    }
    return all;
  }();
  return kinds;
}

Kind KindOf(std::string_view op) {
  if (ControlOpOf(op) != ControlOp::kNone) return Kind::kNothing;
  const auto found = Kinds().find(op);
  return found == Kinds().end() ? Kind::kElements : found->second;
}

double DimOf(const PartialShape& shape, int from_the_end, double unknown_dim) {
  if (!shape.known_rank() || shape.rank() < from_the_end) return unknown_dim;
  const int64_t dim = shape.dim(shape.rank() - from_the_end);
  return dim == PartialShape::kUnknownDim ? unknown_dim : static_cast<double>(dim);
}

// Of b matrices, m x k by k x n, the sizes are b m k, b k n and b m n: their product has b^3 and
// the square of m k n, however the inputs are laid out.
double ProductOperations(const Node& node, const std::vector<PartialShape>& inputs,
                         const PartialShape& output, double unknown_dim) {
  if (inputs.size() < 2) return 0;
  const double made = ElementsOf(output, unknown_dim);
  const double matrix = DimOf(output, 1, unknown_dim) * DimOf(output, 2, unknown_dim);
  const bool has_batch = node.op != "Einsum" && output.known_rank() && output.rank() > 2;
  const double batch = has_batch && matrix > 0 ? made / matrix : 1;
  return 2 * std::sqrt(ElementsOf(inputs[0], unknown_dim) * ElementsOf(inputs[1], unknown_dim) *
                       made / std::max(batch, 1.0));
}

double Operations(const Node& node, double elements, const std::vector<PartialShape>& inputs,
                  const std::vector<PartialShape>& outputs, double unknown_dim) {
  switch (KindOf(node.op)) {
    case Kind::kProduct:
      return outputs.empty() ? 0 : ProductOperations(node, inputs, outputs[0], unknown_dim);
    case Kind::kCostly:
      return 10 * elements;
    case Kind::kSorts:
      return elements * std::max(std::log2(std::max(elements, 1.0)), 1.0);
    case Kind::kCubic:
      return inputs.empty() ? 0
                            : ElementsOf(inputs[0], unknown_dim) * DimOf(inputs[0], 1, unknown_dim);
    case Kind::kElements:
      return elements;
    default:
      return 0;
  }
}

}  // namespace

std::vector<std::string> OpsOfKnownWork() {
  std::vector<std::string> ops;
  for (const auto& [op, kind] : Kinds()) ops.emplace_back(op);
  std::sort(ops.begin(), ops.end());
  return ops;
}

double ElementsOf(const PartialShape& shape, double unknown_dim) {
  if (!shape.known_rank()) return unknown_dim;
  double elements = 1;
  for (int i = 1; i <= shape.rank(); ++i) elements *= DimOf(shape, i, unknown_dim);
  return elements;
}

double BytesOf(const PartialShape& shape, DType dtype, double unknown_dim) {
  double size = 1;
  if (dtype == DType::kString) {
    size = 32;
  } else if (dtype == DType::kVariant) {
    size = 64;
  } else if (dtype == DType::kResource) {
    size = 16;
  } else if (IsTensorDType(dtype)) {
    size = static_cast<double>(DTypeSize(dtype));
  }
  return size * ElementsOf(shape, unknown_dim);
}

Work WorkOf(const Node& node, const Signature& signature, const std::vector<PartialShape>& inputs,
            const std::vector<PartialShape>& outputs, double unknown_dim) {
  Work work;
  if (KindOf(node.op) == Kind::kNothing) return work;
  double elements = 0;
  const auto add = [&](const std::vector<PartialShape>& shapes, const std::vector<ArgType>& types) {
    for (size_t i = 0; i < std::min(shapes.size(), types.size()); ++i) {
      work.bytes += BytesOf(shapes[i], types[i].dtype, unknown_dim);
      elements = std::max(elements, ElementsOf(shapes[i], unknown_dim));
    }
  };
  add(inputs, signature.inputs);
  add(outputs, signature.outputs);
  work.operations = Operations(node, elements, inputs, outputs, unknown_dim);
  return work;
}

}  // namespace tagflow
