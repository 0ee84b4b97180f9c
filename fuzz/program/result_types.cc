#include "fuzz/program/result_types.h"

#include <algorithm>
#include <array>
#include <string>

#include "fuzz/program/shape_rules.h"

namespace tagflow::fuzz {
namespace {

using Types = Result<std::vector<NamedType>>;

// Sets of dtypes.
bool IsReal(DType t) { return IsFloating(t) || IsInteger(t); }
bool IsSigned(DType t) {
  return IsFloating(t) || t == DType::kInt8 || t == DType::kInt16 || t == DType::kInt32 ||
         t == DType::kInt64;
}
bool IsBool(DType t) { return t == DType::kBool; }
bool IsAny(DType t) { return IsReal(t) || IsBool(t); }

struct Call {
  const Statement& statement;
  const std::vector<NamedType>& operands;
  const std::vector<Type>& declared;
  DimNames& names;

  const Type& operand(size_t i) const { return operands[i].type; }
  const Dims& numbers() const { return statement.numbers; }
};

Types One(Type type) { return std::vector<NamedType>{{std::move(type), -1}}; }
Types One(DType dtype, Result<Dims> dims) {
  if (!dims.ok()) return dims.status();
  return One(Type{Kind::kTensor, dtype, *std::move(dims)});
}

Status WantTensor(const Call& call, size_t i) {
  if (call.operand(i).kind == Kind::kTensor) return Status();
  return InvalidArgument("operand " + std::to_string(i) + " must be a tensor, not " +
                         TypeText(call.operand(i)));
}

Status WantKind(const Call& call, Kind kind, const char* what) {
  if (call.operand(0).kind == kind) return Status();
  return InvalidArgument("operand 0 must be " + std::string(what) + ", not " +
                         TypeText(call.operand(0)));
}

// An int32 scalar, which says which element.
Status WantIndex(const Call& call, size_t i) {
  if (call.operand(i) == Type{Kind::kTensor, DType::kInt32, {}}) return Status();
  return InvalidArgument("operand " + std::to_string(i) + ", the index, must be an int32, not " +
                         TypeText(call.operand(i)));
}

Status WantElement(const Call& call, size_t i) {
  const Type element{Kind::kTensor, call.operand(0).dtype, call.operand(0).dims};
  if (Fits(call.operand(i), element)) return Status();
  return InvalidArgument("a " + TypeText(call.operand(i)) + " is no element of " +
                         TypeText(call.operand(0)));
}

Status WantDTypes(const Call& call, bool (*allowed)(DType)) {
  for (size_t i = 0; i < call.operands.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(WantTensor(call, i));
    if (call.operand(i).dtype != call.operand(0).dtype) {
      return InvalidArgument("the operands' types differ: " + DTypeName(call.operand(0).dtype) +
                             " and " + DTypeName(call.operand(i).dtype));
    }
    if (!allowed(call.operand(i).dtype)) {
      return InvalidArgument("does not take " + DTypeName(call.operand(i).dtype));
    }
  }
  return Status();
}

// Elementwise with broadcasting, one operand or two; `result` is kInvalid for the operands' dtype.
Types Elementwise(const Call& call, bool (*allowed)(DType), DType result = DType::kInvalid) {
  TAGFLOW_RETURN_IF_ERROR(WantDTypes(call, allowed));
  const DType dtype = result == DType::kInvalid ? call.operand(0).dtype : result;
  if (call.operands.size() == 1) return One(dtype, call.operand(0).dims);
  return One(dtype, BroadcastDims(call.operand(0).dims, call.operand(1).dims));
}

Types Compare(const Call& call, bool (*allowed)(DType)) {
  return Elementwise(call, allowed, DType::kBool);
}

Types Declared(const Call& call, Kind kind) {
  Type type = call.names.Name(call.declared[0]);
  if (type.kind != kind) return InvalidArgument("does not give " + TypeText(type));
  TAGFLOW_RETURN_IF_ERROR(CheckType(type));
  return One(std::move(type));
}

Types ConstType(const Call& call) {
  const Tensor& literal = call.statement.literal;
  return One(literal.dtype(), Dims(literal.dims().begin(), literal.dims().end()));
}

Types CastType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantDTypes(call, IsAny));
  return One(call.declared[0].dtype, call.operand(0).dims);
}

Types SelectType(const Call& call) {
  for (size_t i = 0; i < 3; ++i) TAGFLOW_RETURN_IF_ERROR(WantTensor(call, i));
  if (call.operand(0).dtype != DType::kBool) {
    return InvalidArgument("the condition must be a bool, not " + TypeText(call.operand(0)));
  }
  if (call.operand(1).dtype != call.operand(2).dtype) {
    return InvalidArgument("the operands' types differ: " + DTypeName(call.operand(1).dtype) +
                           " and " + DTypeName(call.operand(2).dtype));
  }
  Dims dims;
  for (size_t i = 0; i < 3; ++i) {
    const Dims& own = call.operand(i).dims;
    if (own.empty()) continue;
    if (!dims.empty() && dims != own) {
      return InvalidArgument("the operands must have one shape or be scalars");
    }
    dims = own;
  }
  return One(call.operand(1).dtype, dims);
}

Types MatMulType(const Call& call) {
  const auto allowed = [](DType t) {
    return IsFloating(t) || t == DType::kInt32 || t == DType::kInt64;
  };
  TAGFLOW_RETURN_IF_ERROR(WantDTypes(call, allowed));
  const Dims& a = call.operand(0).dims;
  const Dims& b = call.operand(1).dims;
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) {
    return InvalidArgument("cannot multiply " + TypeText(call.operand(0)) + " by " +
                           TypeText(call.operand(1)));
  }
  return One(call.operand(0).dtype, Dims{a[0], b[1]});
}

Types PackType(const Call& call) {
  if (call.operands.empty()) return InvalidArgument("takes at least one operand");
  TAGFLOW_RETURN_IF_ERROR(WantDTypes(call, IsAny));
  for (const NamedType& operand : call.operands) {
    if (operand.type != call.operand(0)) {
      return InvalidArgument("the operands' types differ: " + TypeText(call.operand(0)) + " and " +
                             TypeText(operand.type));
    }
  }
  Dims dims = call.operand(0).dims;
  dims.insert(dims.begin(), static_cast<int64_t>(call.operands.size()));
  return One(call.operand(0).dtype, std::move(dims));
}

Types ElementAtType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantTensor(call, 0));
  TAGFLOW_RETURN_IF_ERROR(WantIndex(call, 1));
  Dims dims = call.operand(0).dims;
  if (dims.empty() || dims[0] < 1) {
    return InvalidArgument("the first dimension of " + TypeText(call.operand(0)) +
                           " is not known to be at least 1");
  }
  dims.erase(dims.begin());
  return One(call.operand(0).dtype, std::move(dims));
}

Types FillType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantTensor(call, 0));
  if (!call.operand(0).dims.empty()) return InvalidArgument("the operand must be a scalar");
  return One(call.operand(0).dtype, KnownDims(call.numbers()));
}

// One whose dims follow from one operand and the numbers.
Types Rearranged(const Call& call, Result<Dims> (*rule)(const Dims&, const Dims&, DimNames&)) {
  TAGFLOW_RETURN_IF_ERROR(WantDTypes(call, IsAny));
  return One(call.operand(0).dtype, rule(call.operand(0).dims, call.numbers(), call.names));
}

Types ReductionType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantDTypes(call, IsReal));
  return One(call.operand(0).dtype, ReducedDims(call.operand(0).dims, call.numbers()));
}

Types ConcatType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantDTypes(call, IsAny));
  return One(call.operand(0).dtype,
             ConcatDims(call.operand(0).dims, call.operand(1).dims, call.numbers()[0], call.names));
}

Types ShapeType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantTensor(call, 0));
  return One(DType::kInt32, Dims{static_cast<int64_t>(call.operand(0).dims.size())});
}

Types CountType(const Call& call) {  // Size, Rank
  TAGFLOW_RETURN_IF_ERROR(WantTensor(call, 0));
  return One(DType::kInt32, Dims{});
}

Status CheckLength(int64_t length) {
  if (length >= 0 && length <= kMaxElements) return Status();
  return InvalidArgument("the size must be between 0 and " + std::to_string(kMaxElements));
}

Types ArrayNewType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(CheckLength(call.numbers()[0]));
  const Dims& dims = call.declared[0].dims;
  if (std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; })) {
    return InvalidArgument("the elements' shape must be known");
  }
  TAGFLOW_ASSIGN_OR_RETURN(auto made, Declared(call, Kind::kArray));
  made[0].length = call.numbers()[0];
  return made;
}

Types ArrayWriteType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantKind(call, Kind::kArray, "an array"));
  TAGFLOW_RETURN_IF_ERROR(WantIndex(call, 1));
  TAGFLOW_RETURN_IF_ERROR(WantElement(call, 2));
  return std::vector<NamedType>{call.operands[0]};
}

Types ArrayReadType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantKind(call, Kind::kArray, "an array"));
  TAGFLOW_RETURN_IF_ERROR(WantIndex(call, 1));
  return One(call.operand(0).dtype, call.operand(0).dims);
}

Types ArrayGatherType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantKind(call, Kind::kArray, "an array"));
  Dims dims = call.operand(0).dims;
  const int64_t length = call.operands[0].length;
  dims.insert(dims.begin(), length < 0 ? call.names.New() : length);
  return One(call.operand(0).dtype, std::move(dims));
}

Types StackNewType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(CheckLength(call.numbers()[0]));
  return Declared(call, Kind::kStack);
}

Types StackPushType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantKind(call, Kind::kStack, "a stack"));
  TAGFLOW_RETURN_IF_ERROR(WantElement(call, 1));
  return std::vector<NamedType>{call.operands[0]};
}

Types StackPopType(const Call& call) {
  TAGFLOW_RETURN_IF_ERROR(WantKind(call, Kind::kStack, "a stack"));
  const Type& stack = call.operand(0);
  // Each element has dimensions of its own.
  Type element = call.names.Name(Unnamed(Type{Kind::kTensor, stack.dtype, stack.dims}));
  return std::vector<NamedType>{{std::move(element), -1}, call.operands[0]};
}

using Rule = Types (*)(const Call&);

Rule ElementwiseRule(Op op) {
  if (op == Op::kIdentity || op == Op::kStopGradient || op == Op::kZerosLike ||
      op == Op::kOnesLike) {
    return [](const Call& call) { return Elementwise(call, IsAny); };
  }
  if (op == Op::kNeg || op == Op::kAbs || op == Op::kSign) {
    return [](const Call& call) { return Elementwise(call, IsSigned); };
  }
  if ((op >= Op::kSqrt && op <= Op::kSigmoid) || op == Op::kDiv) {
    return [](const Call& call) { return Elementwise(call, IsFloating); };
  }
  if (op == Op::kFloorDiv || op == Op::kFloorMod) {
    return [](const Call& call) { return Elementwise(call, IsInteger); };
  }
  if (op == Op::kLogicalNot || op == Op::kLogicalAnd || op == Op::kLogicalOr) {
    return [](const Call& call) { return Elementwise(call, IsBool); };
  }
  if (op == Op::kEqual || op == Op::kNotEqual) {
    return [](const Call& call) { return Compare(call, IsAny); };
  }
  if (op >= Op::kLess && op <= Op::kGreaterEqual) {
    return [](const Call& call) { return Compare(call, IsReal); };
  }
  return [](const Call& call) { return Elementwise(call, IsReal); };  // Square, Add, Sub, …
}

Types NoType(const Call&) { return std::vector<NamedType>{}; }

std::array<Rule, kNumOps> MakeRules() {
  std::array<Rule, kNumOps> rules;
  rules.fill(nullptr);
  const auto at = [&](Op op) -> Rule& { return rules[static_cast<size_t>(op)]; };
  for (int op = 0; op < kNumOps; ++op) {
    rules[static_cast<size_t>(op)] = ElementwiseRule(static_cast<Op>(op));
  }
  at(Op::kConst) = ConstType;
  at(Op::kCast) = CastType;
  at(Op::kSelect) = SelectType;
  at(Op::kSum) = at(Op::kMean) = at(Op::kMax) = at(Op::kMin) = ReductionType;
  at(Op::kMatMul) = MatMulType;
  at(Op::kReshape) = [](const Call& call) { return Rearranged(call, ReshapedDims); };
  at(Op::kExpandDims) = [](const Call& call) { return Rearranged(call, ExpandedDims); };
  at(Op::kSlice) = [](const Call& call) { return Rearranged(call, SlicedDims); };
  at(Op::kTile) = [](const Call& call) { return Rearranged(call, TiledDims); };
  at(Op::kTranspose) = [](const Call& call) { return Rearranged(call, TransposedDims); };
  at(Op::kConcat) = ConcatType;
  at(Op::kPack) = PackType;
  at(Op::kElementAt) = ElementAtType;
  at(Op::kFill) = FillType;
  at(Op::kShape) = ShapeType;
  at(Op::kSize) = at(Op::kRank) = CountType;
  at(Op::kArrayNew) = ArrayNewType;
  at(Op::kArrayWrite) = ArrayWriteType;
  at(Op::kArrayRead) = ArrayReadType;
  at(Op::kArrayGather) = ArrayGatherType;
  at(Op::kStackNew) = StackNewType;
  at(Op::kStackPush) = StackPushType;
  at(Op::kStackPop) = StackPopType;
  at(Op::kRead) = [](const Call& call) { return Declared(call, Kind::kTensor); };
  at(Op::kAssign) = at(Op::kAssignAdd) = NoType;
  at(Op::kCond) = at(Op::kCase) = at(Op::kWhile) = NoType;
  return rules;
}

}  // namespace

Type DimNames::Name(Type type) {
  for (int64_t& dim : type.dims) {
    if (dim < 0) dim = New();
  }
  return type;
}

Type Unnamed(Type type) {
  for (int64_t& dim : type.dims) dim = std::max<int64_t>(dim, -1);
  return type;
}

bool Fits(const Type& type, const Type& wanted) {
  if (type.kind != wanted.kind || type.dtype != wanted.dtype) return false;
  if (type.dims.size() != wanted.dims.size()) return false;
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (wanted.dims[i] >= 0 && type.dims[i] != wanted.dims[i]) return false;
  }
  return true;
}

std::string TypeText(const Type& type) {
  std::string text = type.kind == Kind::kArray   ? "array of "
                     : type.kind == Kind::kStack ? "stack of "
                                                 : "";
  text += DTypeName(type.dtype);
  for (size_t i = 0; i < type.dims.size(); ++i) {
    text += i == 0 ? "[" : ",";
    text += type.dims[i] < 0 ? "?" : std::to_string(type.dims[i]);
  }
  return type.dims.empty() ? text : text + "]";
}

Status CheckType(const Type& type) {
  if (!IsAny(type.dtype)) return InvalidArgument("programs have no " + DTypeName(type.dtype));
  if (type.dims.size() > kMaxRank) return InvalidArgument("the rank of a tensor is at most 8");
  int64_t elements = 1;
  for (int64_t dim : type.dims) {
    if (dim > kMaxElements) return InvalidArgument("the tensor is too large");
    elements *= std::max<int64_t>(dim, 1);
    if (elements > kMaxElements) return InvalidArgument("the tensor is too large");
  }
  return Status();
}

Types ResultTypes(const Statement& statement, const std::vector<NamedType>& operands,
                  const std::vector<Type>& declared, DimNames& names) {
  static const std::array<Rule, kNumOps> kRules = MakeRules();
  const Rule rule = kRules[static_cast<size_t>(statement.op)];
  TAGFLOW_ASSIGN_OR_RETURN(auto types, rule({statement, operands, declared, names}));
  for (const NamedType& named : types) TAGFLOW_RETURN_IF_ERROR(CheckType(named.type));
  return types;
}

}  // namespace tagflow::fuzz
