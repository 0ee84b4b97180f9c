#include "optimized/native/scalar_calls.h"

#include <variant>

#include "optimized/kernels/addition.h"
#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

// A type in the names of bodies.
std::string BodyName(DType dtype) {
  const NativeType* const type = NativeTypeOf(dtype);
  return type == nullptr ? "" : type->body;
}

class FindCall {
 public:
  explicit FindCall(const HasBody& has_body) : has_body_(has_body) {}

  std::optional<ScalarCall> operator()(const PairLoop* loop) const {
    return OfLoop(*loop, loop->shapes == PairShapes::kSame ? ScalarCall::Shapes::kSame
                                                           : ScalarCall::Shapes::kBroadcast);
  }
  std::optional<ScalarCall> operator()(const MapLoop* loop) const { return OfLoop(*loop); }
  std::optional<ScalarCall> operator()(const AdditionPart& part) const {
    return OfLoop(FindPairLoop(part.dtype, AddForms()),
                  part.is_of_bias ? ScalarCall::Shapes::kBias : ScalarCall::Shapes::kSame);
  }
  std::optional<ScalarCall> operator()(const SumPart& part) const {
    std::optional<ScalarCall> sum = OfLoop(FindPairLoop(part.dtype, AddForms()));
    if (sum) sum->kind = ScalarCall::Kind::kFold;
    return sum;
  }
  std::optional<ScalarCall> operator()(const CastPart& part) const {
    const std::string body = "Cast_" + BodyName(part.source) + "_" + BodyName(part.target);
    if (!has_body_(body)) return std::nullopt;
    return ScalarCall{.input = part.source,
                      .output = part.target,
                      .body = body,
                      .computes = part.source,
                      .result = part.target};
  }
  std::optional<ScalarCall> operator()(const ChoicePart& part) const {
    if (NativeTypeOf(part.dtype) == nullptr) return std::nullopt;
    return ScalarCall{.kind = ScalarCall::Kind::kChoice,
                      .shapes = part.broadcasts ? ScalarCall::Shapes::kBroadcast
                                                : ScalarCall::Shapes::kChosenWhole,
                      .input = part.dtype,
                      .output = part.dtype};
  }
  std::optional<ScalarCall> operator()(const HandOnPart&) const {
    return ScalarCall{.kind = ScalarCall::Kind::kHandOn};
  }
  std::optional<ScalarCall> operator()(const FillPart& part) const {
    if (NativeTypeOf(part.dtype) == nullptr) return std::nullopt;
    return ScalarCall{.kind = ScalarCall::Kind::kFill,
                      .input = part.dtype,
                      .output = part.dtype,
                      .value = part.value};
  }

  template <typename Other>
  std::optional<ScalarCall> operator()(const Other&) const {
    return std::nullopt;
  }

 private:
  template <typename Loop>
  std::optional<ScalarCall> OfLoop(const Loop& loop,
                                   ScalarCall::Shapes shapes = ScalarCall::Shapes::kSame) const {
    const DType computes = loop.formula.computes;
    const Elements& elements = loop.elements;
    if (computes == DType::kInvalid || NativeTypeOf(elements.input) == nullptr) return std::nullopt;
    const std::string body = std::string(loop.formula.name) + "_" + BodyName(computes);
    if (!has_body_(body)) return std::nullopt;
    const DType result = elements.output == DType::kBool ? DType::kBool : computes;
    const std::string refuses = body + "_refuses";
    return ScalarCall{.shapes = shapes,
                      .input = elements.input,
                      .output = elements.output,
                      .body = body,
                      .computes = computes,
                      .result = result,
                      .refuses = has_body_(refuses) ? refuses : ""};
  }

  const HasBody& has_body_;
};

}  // namespace

std::optional<ScalarCall> ScalarCallOf(const KernelPart& part, const HasBody& has_body) {
  return std::visit(FindCall(has_body), part);
}

bool TakesDTypes(const ScalarCall& call, const std::vector<const TensorType*>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_condition = call.kind == ScalarCall::Kind::kChoice && i == 0;
    const DType wanted = is_condition ? DType::kBool : call.input;
    if (wanted != DType::kInvalid && inputs[i]->dtype != wanted) return false;
  }
  return true;
}

}  // namespace tagflow::optimized
