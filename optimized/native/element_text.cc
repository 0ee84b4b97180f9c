#include "optimized/native/element_text.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "optimized/native/body_calls.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

constexpr char kNumber[] = "%number";

// A dimension of a shape that is seen as one of more dimensions, the first of which are 1.
int64_t DimAt(const Dims& dims, size_t axis, size_t rank) {
  const size_t missing = rank - dims.size();
  return axis < missing ? 1 : dims[axis - missing];
}

// Writes the lines that compute the outputs' elements.
class ElementWriter {
 public:
  ElementWriter(const ElementProgram& program, const std::vector<TensorType>& types,
                const Dims& dims, std::string number_type, BodyCalls& bodies)
      : types_(types),
        dims_(dims),
        number_type_(std::move(number_type)),
        lines_("v"),
        bodies_(bodies) {
    for (const ElementInput& input : program.inputs) {
      makers_.push_back({nullptr, input.is_given});
    }
    for (const ElementStep& step : program.steps) {
      for (int i = 0; i < step.num_outputs(); ++i) makers_.push_back({&step, false, i});
    }
  }

  void Store(int value, const std::string& place) {
    const NativeType& type = TypeOf(value);
    const std::string computed = At(value, View(dims_.size()));
    const std::string address =
        lines_.Value(std::string("getelementptr ") + type.memory + ", ptr " + place + ", " +
                     number_type_ + " " + kNumber);
    lines_.Store(type.memory, ToMemory(lines_, type, computed), address);
  }

  const std::string& text() const { return lines_.text(); }

 private:
  // Where a value is looked at, along each of the output's dimensions: so far from where the
  // output's element is or, where it repeats, from its beginning.
  struct Along {
    friend auto operator<=>(const Along&, const Along&) = default;

    int64_t offset = 0;
    bool repeats = false;
  };
  using View = std::vector<Along>;
  struct Maker {
    const ElementStep* step = nullptr;  // null: it is an input
    bool is_given = false;
    int piece = 0;
  };
  // How an input is walked through, of neighbouring dimensions that are one there.
  struct Walk {
    int64_t size = 1;    // of the output
    int64_t inner = 1;   // elements of the output to the next place
    int64_t stride = 0;  // elements of the input
  };

  const NativeType& TypeOf(int value) const {
    return *NativeTypeOf(types_[static_cast<size_t>(value)].dtype);
  }
  const Dims& DimsOf(int value) const { return types_[static_cast<size_t>(value)].dims; }

  // The name of what the value's element is.
  std::string At(int value, View view) {
    for (size_t axis = 0; axis < view.size(); ++axis) {
      if (DimAt(DimsOf(value), axis, dims_.size()) == 1) view[axis] = {0, true};
    }
    const auto known = computed_.find({value, view});
    if (known != computed_.end()) return known->second;
    std::string computed = Compute(value, view);
    computed_[{value, std::move(view)}] = computed;
    return computed;
  }

  std::string Compute(int value, const View& view) {
    const Maker& maker = makers_[static_cast<size_t>(value)];
    if (maker.step == nullptr) return maker.is_given ? Given(value) : Load(value, view);
    const ElementStep& step = *maker.step;
    if (step.pieces > 0) {
      const auto rank = static_cast<int64_t>(DimsOf(value).size());
      const int64_t axis = step.axis < 0 ? step.axis + rank : step.axis;
      const auto behind = static_cast<size_t>(rank - axis);  // dimensions from it on
      View whole = view;
      whole[dims_.size() - behind].offset += maker.piece * DimsOf(value)[static_cast<size_t>(axis)];
      return At(step.inputs[0], std::move(whole));
    }
    std::vector<std::string> inputs;
    for (const int input : step.inputs) inputs.push_back(At(input, view));
    return bodies_.ValueOf(lines_, step.call, inputs, /*is_hot=*/true);
  }

  std::string Given(int value) {
    return FromMemory(lines_, TypeOf(value), "%p" + std::to_string(value));
  }

  std::string Load(int value, const View& view) {
    const NativeType& type = TypeOf(value);
    const std::string address =
        lines_.Value(std::string("getelementptr ") + type.memory + ", ptr %p" +
                     std::to_string(value) + ", " + number_type_ + " " + Place(value, view));
    return FromMemory(lines_, type, lines_.Load(type.memory, address));
  }

  // Which element of the input it is.
  std::string Place(int value, const View& view) {
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
      stride *= DimAt(DimsOf(value), axis, dims_.size());
    }
    std::string place = std::to_string(first);
    for (const Walk& walk : walks) {
      if (walk.stride > 0) place = Moved(place, walk, inner);
    }
    return place;
  }

  // A place, and what the element's number means along the walk.
  //   all: elements of the output
  std::string Moved(const std::string& place, const Walk& walk, int64_t all) {
    const auto with = [&](const char* operation, const std::string& value, int64_t by) {
      return lines_.Value(operation + (" " + number_type_) + " " + value + ", " +
                          std::to_string(by));
    };
    std::string at = kNumber;
    if (walk.inner > 1) at = with("udiv", at, walk.inner);
    if (walk.inner * walk.size < all) at = with("urem", at, walk.size);
    if (walk.stride > 1) at = with("mul", at, walk.stride);
    return place == "0" ? at : lines_.Value("add " + number_type_ + " " + at + ", " + place);
  }

  const std::vector<TensorType>& types_;  // by value, as the next
  std::vector<Maker> makers_;
  const Dims& dims_;  // of the outputs
  const std::string number_type_;
  IrLines lines_;
  BodyCalls& bodies_;
  std::map<std::pair<int, View>, std::string> computed_;
};

// Whether all places in the values can be told by 32 bits.
bool AreSmall(const std::vector<TensorType>& types) {
  for (const TensorType& type : types) {
    const Result<int64_t> size = NumElements(type.dims);
    if (!size.ok() || *size > std::numeric_limits<int32_t>::max()) return false;
  }
  return true;
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : ", ") + part;
  return joined;
}

}  // namespace

ElementText::ElementText(const ElementProgram& program, const std::vector<TensorType>& types,
                         const std::vector<int>& outputs)
    : number_(AreSmall(types) ? "i32" : "i64") {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ElementInput& input = program.inputs[i];
    const std::string type = input.is_given ? NativeTypeOf(input.type.dtype)->memory : "ptr";
    params_.push_back(type + " %p" + std::to_string(i));
  }
  std::map<Dims, std::vector<size_t>> by_shape;
  for (size_t i = 0; i < outputs.size(); ++i) {
    params_.push_back("ptr %o" + std::to_string(i));
    by_shape[types[static_cast<size_t>(outputs[i])].dims].push_back(i);
  }
  BodyCalls bodies;
  for (const auto& [dims, numbers] : by_shape) {
    ElementWriter writer(program, types, dims, number_, bodies);
    for (const size_t i : numbers) writer.Store(outputs[i], "%o" + std::to_string(i));
    const std::string name = "@element" + std::to_string(functions_.size());
    texts_ += "define internal void " + name + "(" + number_ + " " + kNumber + ", " +
              Joined(params_) + ") alwaysinline {\n" + writer.text() + "  ret void\n}\n";
    functions_.push_back({name, *NumElements(dims)});
    num_elements_ = std::max(num_elements_, functions_.back().num_elements);
  }
  texts_ += bodies.declarations();
}

std::string ElementText::ForGpu() const {
  std::vector<std::string> taken;
  for (const std::string& param : params_) {
    const bool is_output = param.starts_with("ptr %o");
    const bool is_input = param.starts_with("ptr %p");
    const std::string what = is_output ? "ptr noalias" : is_input ? "ptr noalias readonly" : "";
    taken.push_back(what.empty() ? param : what + param.substr(3));
  }
  std::string text = texts_;
  IrLines lines("k");
  std::string parts[3];
  const char* const registers[] = {"ctaid", "ntid", "tid"};
  for (size_t i = 0; i < 3; ++i) {
    const std::string name = std::string("@llvm.nvvm.read.ptx.sreg.") + registers[i] + ".x()";
    text += "declare i32 " + name + "\n";
    parts[i] = lines.Value("call i32 " + name);
    if (number_ == "i64") parts[i] = lines.Value("zext i32 " + parts[i] + " to i64");
  }
  const std::string before = lines.Value("mul " + number_ + " " + parts[0] + ", " + parts[1]);
  const std::string number = lines.Value("add " + number_ + " " + before + ", " + parts[2]);
  for (const Function& function : functions_) {
    const std::string has_one = lines.Value("icmp ult " + number_ + " " + number + ", " +
                                            std::to_string(function.num_elements));
    const std::string one = lines.NewLabel(), none = lines.NewLabel();
    lines.Branch(has_one, one, none, Likely::kNeither);
    lines.Label(one);
    lines.Add("call void " + function.name + "(" + number_ + " " + number + ", " + Joined(params_) +
              ")");
    lines.Add("br label %" + none);
    lines.Label(none);
  }
  return text + "define ptx_kernel void @" + kElementKernel + "(" + Joined(taken) + ") {\n" +
         lines.text() + "  ret void\n}\n";
}

std::string ElementText::ForHost() const {
  IrLines lines("k");
  std::vector<std::string> given;
  for (size_t i = 0; i < params_.size(); ++i) {
    const std::string type = params_[i].substr(0, params_[i].find(' '));
    const std::string place =
        lines.Load("ptr", lines.Value("getelementptr ptr, ptr %params, i64 " + std::to_string(i)));
    given.push_back(type + " " + lines.Load(type, place));
  }
  const std::string counter = lines.Value("alloca " + number_);
  for (const Function& function : functions_) {
    lines.Store(number_, "0", counter);
    const std::string next = lines.NewLabel(), end = lines.NewLabel();
    lines.Add("br label %" + next);
    lines.Label(next);
    const std::string number = lines.Load(number_, counter);
    lines.Add("call void " + function.name + "(" + number_ + " " + number + ", " + Joined(given) +
              ")");
    const std::string after = lines.Value("add " + number_ + " " + number + ", 1");
    lines.Store(number_, after, counter);
    const std::string more = lines.Value("icmp ult " + number_ + " " + after + ", " +
                                         std::to_string(function.num_elements));
    lines.Branch(more, next, end, Likely::kNeither);
    lines.Label(end);
  }
  return texts_ + "define void @" + kElementKernel + "(ptr %params) {\nentry:\n" + lines.text() +
         "  ret void\n}\n";
}

}  // namespace tagflow::optimized
