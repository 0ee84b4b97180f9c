#ifndef TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_WRITER_H_
#define TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_WRITER_H_

// The lines that compute one element of each of some outputs of a program, all of one shape. What
// an output is made of is computed at the places where it is looked at, so that pieces and what
// repeats are in no memory.
//
// Tested by element_text_test.cc.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "optimized/native/body_calls.h"
#include "optimized/native/element_program.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/native_types.h"

namespace tagflow::optimized {

inline constexpr char kElementNumber[] = "%number";  // the element's

// A value that is an output, or a part of one that is joined.
struct StoredPart {
  int value = 0;
  size_t output = 0;
  const Dims* whole = nullptr;  // of the output
  size_t axis = 0;
  int64_t begin = 0;  // along the axis
};

class ElementWriter {
 public:
  // types: by value; dims: of what is stored; all of it outlives this
  // number_type: of kElementNumber
  ElementWriter(const ElementProgram& program, const std::vector<TensorType>& types,
                const Dims& dims, std::string number_type, BodyCalls& bodies);

  // Puts the value's element into a tensor at `base`.
  void Store(const StoredPart& part, const std::string& base);

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
  // How a tensor is walked through, of neighbouring dimensions that are one there.
  struct Walk {
    int64_t size = 1;    // of the output
    int64_t inner = 1;   // elements of the output to the next place
    int64_t stride = 0;  // elements of the tensor
  };

  const NativeType& TypeOf(int value) const {
    return *NativeTypeOf(types_[static_cast<size_t>(value)].dtype);
  }
  const Dims& DimsOf(int value) const { return types_[static_cast<size_t>(value)].dims; }

  // The name of what the value's element is.
  std::string At(int value, View view);
  std::string Compute(int value, const View& view);
  std::string Given(int value);
  std::string Load(int value, const View& view);
  // Which element of a tensor it is.
  std::string Place(const Dims& dims, const View& view);
  // A place, and what the element's number means along the walk.
  //   all: elements of the output
  std::string Moved(const std::string& place, const Walk& walk, int64_t all);
  std::string AddressAt(const NativeType& type, const std::string& base, const std::string& place);

  const std::vector<TensorType>& types_;  // by value, as the next
  std::vector<Maker> makers_;
  const Dims& dims_;  // of the outputs
  const std::string number_type_;
  IrLines lines_;
  BodyCalls& bodies_;
  std::map<std::pair<int, View>, std::string> computed_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_WRITER_H_
