#include "optimized/native/element_writer.h"

namespace tagflow::optimized {
namespace {

// A dimension of a shape that is seen as one of more dimensions, the first of which are 1.
int64_t DimAt(const Dims& dims, size_t axis, size_t rank) {
  const size_t missing = rank - dims.size();
  return axis < missing ? 1 : dims[axis - missing];
}

}  // namespace

ElementWriter::ElementWriter(const ElementProgram& program, const std::vector<TensorType>& types,
                             const Dims& dims, std::string number_type, BodyCalls& bodies)
    : types_(types),
      dims_(dims),
      number_type_(std::move(number_type)),
      lines_("v"),
      bodies_(bodies) {
  for (const ElementInput& input : program.inputs) makers_.push_back({nullptr, input.is_given});
  for (const ElementStep& step : program.steps) {
    for (int i = 0; i < step.num_outputs(); ++i) makers_.push_back({&step, false, i});
  }
}

std::string ElementWriter::AddressAt(const NativeType& type, const std::string& base,
                                     const std::string& place) {
  return lines_.Value(std::string("getelementptr ") + type.memory + ", ptr " + base + ", " +
                      number_type_ + " " + place);
}

void ElementWriter::Store(const StoredPart& part, const std::string& base) {
  const NativeType& type = TypeOf(part.value);
  const std::string computed = At(part.value, View(dims_.size()));
  View view(dims_.size());
  if (part.begin > 0) view[part.axis].offset = part.begin;
  const std::string address = AddressAt(type, base, Place(*part.whole, view));
  lines_.Store(type.memory, ToMemory(lines_, type, computed), address);
}

std::string ElementWriter::At(int value, View view) {
  for (size_t axis = 0; axis < view.size(); ++axis) {
    if (DimAt(DimsOf(value), axis, dims_.size()) == 1) view[axis] = {0, true};
  }
  const auto known = computed_.find({value, view});
  if (known != computed_.end()) return known->second;
  std::string computed = Compute(value, view);
  computed_[{value, std::move(view)}] = computed;
  return computed;
}

std::string ElementWriter::Compute(int value, const View& view) {
  const Maker& maker = makers_[static_cast<size_t>(value)];
  if (maker.step == nullptr) return maker.is_given ? Given(value) : Load(value, view);
  const ElementStep& step = *maker.step;
  if (step.pieces > 0) {
    const Dims& dims = DimsOf(value);
    const size_t axis = *AxisOf(dims, step.axis);
    View whole = view;
    whole[dims_.size() - dims.size() + axis].offset += maker.piece * dims[axis];
    return At(step.inputs[0], std::move(whole));
  }
  std::vector<std::string> inputs;
  for (const int input : step.inputs) inputs.push_back(At(input, view));
  return bodies_.ValueOf(lines_, step.call, inputs, /*is_hot=*/true);
}

std::string ElementWriter::Given(int value) {
  return FromMemory(lines_, TypeOf(value), "%p" + std::to_string(value));
}

std::string ElementWriter::Load(int value, const View& view) {
  const NativeType& type = TypeOf(value);
  const std::string address =
      AddressAt(type, "%p" + std::to_string(value), Place(DimsOf(value), view));
  return FromMemory(lines_, type, lines_.Load(type.memory, address));
}

std::string ElementWriter::Place(const Dims& dims, const View& view) {
  int64_t first = 0, stride = 1, inner = 1;
  std::vector<Walk> walks;  // innermost first
  for (size_t axis = dims_.size(); axis-- > 0;) {
    const int64_t size = dims_[axis];
    first += view[axis].offset * stride;
    const int64_t step = view[axis].repeats ? 0 : stride;
    Walk* const last = walks.empty() ? nullptr : &walks.back();
    if (last != nullptr && step == last->stride * last->size) {
      last->size *= size;
    } else if (size > 1) {
      walks.push_back({size, inner, step});
    }
    inner *= size;
    stride *= DimAt(dims, axis, dims_.size());
  }
  std::string place = std::to_string(first);
  for (const Walk& walk : walks) {
    if (walk.stride > 0) place = Moved(place, walk, inner);
  }
  return place;
}

std::string ElementWriter::Moved(const std::string& place, const Walk& walk, int64_t all) {
  const auto with = [&](const char* operation, const std::string& value, int64_t by) {
    return lines_.Value(operation + (" " + number_type_) + " " + value + ", " + std::to_string(by));
  };
  std::string at = kElementNumber;
  if (walk.inner > 1) at = with("udiv", at, walk.inner);
  if (walk.inner * walk.size < all) at = with("urem", at, walk.size);
  if (walk.stride > 1) at = with("mul", at, walk.stride);
  return place == "0" ? at : lines_.Value("add " + number_type_ + " " + at + ", " + place);
}

}  // namespace tagflow::optimized
