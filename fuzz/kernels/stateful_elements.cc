#include "fuzz/kernels/stateful_elements.h"

#include <algorithm>
#include <numeric>

#include "graph/tensor_list.h"

namespace tagflow::fuzz {
namespace {

using Elements = StatefulKind::Elements;

int DrawElements(const StatefulKind& kind, Choices& choices) {
  if (!kind.is_long) return kElements;
  return static_cast<int>(choices.AroundLimit(choices.Between(kFew) * TensorList::kWidth));
}

const std::vector<DType>& DTypesOf(Elements elements) {
  using enum DType;
  static const auto& any =
      *new std::vector<DType>{kFloat, kInt32, kInt64, kBool, kDouble, kInt8, kString};
  static const auto& numbers = *new std::vector<DType>{kFloat, kInt32, kDouble, kInt64, kInt8};
  static const auto& counters = *new std::vector<DType>{kInt32, kInt64};
  return elements == Elements::kAny ? any : elements == Elements::kNumbers ? numbers : counters;
}

const std::vector<Dims>& ElementShapes() {
  static const auto& shapes = *new std::vector<Dims>{{}, {2}, {1}, {2, 3}, {0}, {1, 2}};
  return shapes;
}

bool Has(const OpDef& op, ArgRole role) {
  return std::ranges::any_of(op.inputs, [&](const ArgDef& arg) { return arg.role == role; });
}
bool Has(const OpDef& op, std::string_view input) {
  return std::ranges::find(op.inputs, input, &ArgDef::name) != op.inputs.end();
}
bool TakesVariant(const OpDef& op) {
  return std::ranges::find(op.inputs, DType::kVariant, &ArgDef::dtype) != op.inputs.end();
}
bool TakesIndex(const OpDef& op) {
  return std::ranges::any_of(op.inputs, [](const ArgDef& arg) {
    return arg.role == ArgRole::kScalar && arg.dtype == DType::kInt32;
  });
}
// One for each place.
bool TakesOneOfMany(const OpDef& op) { return Has(op, ArgRole::kIndices) && TakesElements(op); }
// All elements of a new list.
bool TakesAll(const OpDef& op) {
  return !op.outputs.empty() && op.outputs[0].dtype == DType::kVariant && !TakesVariant(op) &&
         !TakesOneOfMany(op) && !TakesPieces(op) && op.inputs[0].dtype == DType::kInvalid &&
         op.inputs[0].type_list_attr.empty();
}

}  // namespace

bool TakesPieces(const OpDef& op) { return Has(op, "lengths"); }

bool TakesElements(const OpDef& op) {
  return std::ranges::any_of(op.inputs, [](const ArgDef& arg) {
    return !arg.is_ref && !arg.type_attr.empty() &&
           (arg.role == ArgRole::kData || arg.role == ArgRole::kUpdates);
  });
}

StatefulElements::StatefulElements(const StatefulKind& kind, Choices& choices)
    : kind_(kind),
      choices_(choices),
      count_(DrawElements(kind, choices)),
      shape_(choices.Of(ElementShapes())),
      dtype_(choices.Of(DTypesOf(kind.elements))),
      differ_(choices.Chance(kSometimes)) {}

void StatefulElements::RedrawDType() { dtype_ = choices_.Of(DTypesOf(kind_.elements)); }

PartialShape StatefulElements::Declared(const OpDef& op, const std::string& attr) {
  const bool must = op.name == "TemporaryVariable";
  if (!must && choices_.Chance(kSometimes)) return PartialShape();
  if (kind_.elements == Elements::kCounter) return PartialShape::Scalar();
  Dims dims = shape_;
  if (attr == "shape") {
    dims.insert(dims.begin(), DrawLength());
  } else if (attr == "element_shape_except0" && !dims.empty()) {
    dims.erase(dims.begin());
  } else if (differ_) {
    if (dims.empty() || choices_.Chance(kEvenly)) return PartialShape();
    dims[0] = PartialShape::kUnknownDim;
  }
  if (!must && !dims.empty() && choices_.Chance(kSeldom)) {
    dims[choices_.Below(dims.size())] = PartialShape::kUnknownDim;
  }
  return PartialShape(dims);
}
int StatefulElements::DrawLength() {
  return choices_.Chance(kNearlyAlways) ? kElements : kElements - 1;
}

Numbers StatefulElements::ShapeFor(const OpDef& op) const {
  Numbers dims(shape_.begin(), shape_.end());
  const bool is_any_length = TakesPieces(op) || Has(op, "leading_dims") || differ_;
  if (!dims.empty() && is_any_length) dims[0] = PartialShape::kUnknownDim;
  return dims;
}

int64_t StatefulElements::AnyPlace() {
  if (choices_.Chance(kNearlyAlways)) return choices_.Below(static_cast<size_t>(count_));
  const int far_behind = 2 * count_;
  return choices_.Between(-1, far_behind);
}

int64_t StatefulElements::WrittenPlace() {
  return written_.empty() || choices_.Chance(kRarely) ? AnyPlace() : choices_.Of(written_);
}

int64_t StatefulElements::NewPlace() {
  int64_t place = choices_.Between(kUpToThree);
  const bool again = choices_.Chance(kSeldom);
  while (!again && std::ranges::find(written_, place) != written_.end()) ++place;
  written_.push_back(place);
  return place;
}

int64_t StatefulElements::PlaceFor(const OpDef& op) {
  if (!kind_.is_array || TakesPieces(op)) return AnyPlace();
  return TakesElements(op) ? NewPlace() : WrittenPlace();
}

void StatefulElements::DrawPlaces(const OpDef& op) {
  places_.clear();
  lengths_.clear();
  const bool reads = kind_.is_array && !TakesElements(op);
  const bool fills = kind_.is_array && TakesPieces(op);
  const int least = fills && choices_.Chance(kMostly) ? kElements : reads ? 1 : 0;
  const int count = TakesIndex(op) ? 1 : choices_.Between(least, kElements);
  for (int i = 0; i < count; ++i) {
    const int64_t place = PlaceFor(op);
    const bool is_new = std::ranges::find(places_, place) == places_.end();
    if (is_new || choices_.Chance(reads ? kEvenly : kSometimes)) places_.push_back(place);
    lengths_.push_back(choices_.Between(kUpToTwo));
    if (fills) written_.push_back(i);
  }
}

Dims StatefulElements::ValueDims(const OpDef& op) {
  Dims dims = shape_;
  if (TakesPieces(op)) {
    const int64_t left = choices_.Chance(kSeldom) ? 1 : 0;
    const int64_t length = std::accumulate(lengths_.begin(), lengths_.end(), left);
    if (dims.empty()) return {length};
    dims[0] = length;
  } else if (TakesOneOfMany(op)) {
    dims.insert(dims.begin(), static_cast<int64_t>(places_.size()));
  } else if (TakesAll(op)) {
    dims.insert(dims.begin(), count_);
  } else if (kind_.elements == Elements::kNumbers) {
    if (choices_.Chance(kRarely)) return {};
    dims.insert(dims.begin(), DrawLength());
  } else if (!dims.empty() && differ_) {
    dims[0] = choices_.Between(kUpToTwo);
  }
  return dims;
}

}  // namespace tagflow::fuzz
