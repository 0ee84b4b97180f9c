#include "fuzz/kernels/attrs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/kernels/values.h"

namespace tagflow::fuzz {
namespace {

bool SaysHowMany(const OpDef& op, const AttrDef& attr) {
  const auto repeats = [&](const ArgDef& arg) { return arg.number_attr == attr.name; };
  return std::ranges::any_of(op.inputs, repeats) || std::ranges::any_of(op.outputs, repeats);
}

class AttrDraw {
 public:
  AttrDraw(const OpDef& op, const AttrDef& attr, bool tame, Choices& choices)
      : attr_(attr), tame_(tame), is_count_(SaysHowMany(op, attr)), choices_(choices) {}

  AttrValue Value() {
    if (attr_.kind < AttrKind::kListString) return One();
    AttrList list;
    int64_t length = std::max<int64_t>(choices_.Between(kUpToThree), attr_.minimum.value_or(0));
    if (!tame_ && choices_.Chance(kSeldom)) length = choices_.Between(kSeveral);
    for (int64_t i = 0; i < std::min<int64_t>(length, 8); ++i) Append(list);
    return list;
  }

 private:
  AttrValue One() {
    switch (attr_.kind) {
      case AttrKind::kString:
        return Text();
      case AttrKind::kInt:
        return Number();
      case AttrKind::kFloat:
        return Real();
      case AttrKind::kBool:
        return choices_.Chance(kEvenly);
      case AttrKind::kType:
        return Type();
      case AttrKind::kShape:
        return Shape();
      case AttrKind::kTensor:
        return DrawTensor(PlainType(), DrawDims(choices_), choices_);
      default:
        return NameAttrList{DrawText(choices_), {}};
    }
  }

  void Append(AttrList& list) {
    switch (attr_.kind) {
      case AttrKind::kListString:
        return list.strings.push_back(Text());
      case AttrKind::kListInt:
        return list.ints.push_back(Number());
      case AttrKind::kListFloat:
        return list.floats.push_back(Real());
      case AttrKind::kListBool:
        return list.bools.push_back(choices_.Chance(kEvenly));
      case AttrKind::kListType:
        return list.types.push_back({Type(), false});
      case AttrKind::kListShape:
        return list.shapes.push_back(Shape());
      case AttrKind::kListTensor:
        return list.tensors.push_back(DrawTensor(PlainType(), DrawDims(choices_), choices_));
      default:
        return list.functions.push_back(
            std::make_shared<NameAttrList>(NameAttrList{DrawText(choices_), {}}));
    }
  }

  std::string Text() {
    const bool any = attr_.allowed_strings.empty() || (!tame_ && choices_.Chance(kSeldom));
    return any ? DrawText(choices_) : choices_.Of(attr_.allowed_strings);
  }

  // Where it is the number of arguments, so many that nobody could give them are refused; a
  // thousand would only take time.
  int64_t Number() {
    const int64_t least = attr_.minimum.value_or(is_count_ ? 0 : INT64_MIN);
    if (!tame_ && choices_.Chance(kSeldom)) {
      const int64_t huge = DrawHuge(choices_);
      return is_count_ && huge > 8 ? huge | (int64_t{1} << 30) : huge;
    }
    return std::max(is_count_ ? choices_.Between(kFew) : DrawSmall(choices_), least);
  }

  float Real() {
    const Tensor drawn = DrawTensor(DType::kFloat, {}, choices_);
    return tame_ ? 0.5F : drawn.scalar<float>();
  }

  DType Type() {
    constexpr auto kDTypes = static_cast<size_t>(DType::kUInt64) + 1;
    if (attr_.allowed_types.empty() || (!tame_ && choices_.Chance(kRarely))) {
      return !tame_ && choices_.Chance(kSeldom) ? static_cast<DType>(choices_.Below(kDTypes))
                                                : PlainType();
    }
    return choices_.Of(attr_.allowed_types);
  }

  DType PlainType() {
    using enum DType;
    static const auto& types = *new std::vector<DType>{
        kFloat, kInt32, kInt64,     kBool,   kString, kDouble, kHalf,   kBFloat16,
        kInt8,  kUInt8, kComplex64, kUInt32, kInt16,  kUInt16, kUInt64, kComplex128};
    return choices_.Of(types);
  }

  PartialShape Shape() {
    if (choices_.Chance(kSometimes)) return {};
    Dims dims = DrawDims(choices_);
    for (int64_t& dim : dims) {
      if (choices_.Chance(kSometimes)) dim = PartialShape::kUnknownDim;
      if (!tame_ && choices_.Chance(kRarely)) dim = DrawHuge(choices_);
    }
    return PartialShape(std::move(dims));
  }

  const AttrDef& attr_;
  const bool tame_;
  const bool is_count_;
  Choices& choices_;
};

}  // namespace

std::optional<AttrValue> DrawAttr(const OpDef& op, const AttrDef& attr, bool tame,
                                  Choices& choices) {
  if (attr.default_value.has_value() && !choices.Chance(kEvenly)) return std::nullopt;
  if (!tame && choices.Chance(kRarely)) return std::nullopt;
  if (!tame && choices.Chance(kRarely)) return AttrValue(DrawText(choices));  // of the wrong kind
  return AttrDraw(op, attr, tame, choices).Value();
}

}  // namespace tagflow::fuzz
