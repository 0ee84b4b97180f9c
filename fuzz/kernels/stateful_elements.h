#ifndef TAGFLOW_FUZZ_KERNELS_STATEFUL_ELEMENTS_H_
#define TAGFLOW_FUZZ_KERNELS_STATEFUL_ELEMENTS_H_

// The elements of the array, list, stack or variable that a sequence of ops is about
// (stateful_sequence.h): how many there are, of which dtype and shape, and which of them an op is
// given. An element of an array is written once and read only then; so places are drawn among those
// that were written, or those that were not, as a rule.
//
// Tested by kernels_test.cc.

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/kernels/stateful_kinds.h"
#include "graph/op_def.h"
#include "graph/partial_shape.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

using Numbers = std::vector<int64_t>;

inline constexpr int kElements = 3;  // of variables, and of lists as a rule

// Whether the op takes pieces of these lengths, which lie one behind the other in a tensor.
bool TakesPieces(const OpDef& op);
// Whether it takes values for elements.
bool TakesElements(const OpDef& op);

class StatefulElements {
 public:
  StatefulElements(const StatefulKind& kind, Choices& choices);

  int count() const { return count_; }
  const Dims& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  void RedrawDType();
  // From here on they may differ in their first dimension.
  void LetDiffer() { differ_ = true; }
  // From here on an element is so many of what it was.
  void Prepend(int64_t count) { shape_.insert(shape_.begin(), count); }
  // None of an array is written any more.
  void Forget() { written_.clear(); }

  // What an attr of the op says of the shape of a variable, of an element, or of an element but for
  // its first dimension.
  PartialShape Declared(const OpDef& op, const std::string& attr);
  // The same as a list of numbers; where elements are put one behind the other, of any length.
  Numbers ShapeFor(const OpDef& op) const;

  // Draws how many elements the op is given, where they go, and how long they are.
  void DrawPlaces(const OpDef& op);
  int64_t place() { return places_.empty() ? AnyPlace() : places_[0]; }
  const Numbers& places() const { return places_; }
  const Numbers& lengths() const { return lengths_; }
  // The shape of the values that the op is given for them.
  Dims ValueDims(const OpDef& op);

 private:
  int64_t AnyPlace();
  int64_t WrittenPlace();
  int64_t NewPlace();
  int64_t PlaceFor(const OpDef& op);
  int DrawLength();

  const StatefulKind& kind_;
  Choices& choices_;
  const int count_;
  Dims shape_;  // of one
  DType dtype_;
  bool differ_;               // in their first dimension
  Numbers written_;           // of an array
  Numbers places_, lengths_;  // that the op is given
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_STATEFUL_ELEMENTS_H_
