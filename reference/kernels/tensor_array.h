#ifndef TAGFLOW_REFERENCE_KERNELS_TENSOR_ARRAY_H_
#define TAGFLOW_REFERENCE_KERNELS_TENSOR_ARRAY_H_

// A TensorArray: values by index, each written once and then read. It is made by one firing of
// TensorArrayV3 and lives until the last handle to it goes or the step ends.    Spec: [resource.2]
//
// A *gradient array* belongs to another array (its source) and mirrors it: same size, the shapes of
// what the source holds, zeros where nothing was written yet; writes to one index add up. An array
// holds its gradient arrays, by the `source` string, so that every TensorArrayGradV3 of one source
// finds the same one, whichever iteration it runs in.                           Spec: [resource.3]
//
// For the race detector an index has two parts: its value, and whether and with what shape it was
// written. The latter is what making a gradient array reads, and it does not change when a value
// is read; so a forward read and the making of its gradient array do not conflict.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/limits.h"
#include "graph/partial_shape.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/resources.h"

namespace tagflow::reference {

struct TensorArrayOptions {
  DType dtype = DType::kInvalid;
  PartialShape element_shape;             // every element has it
  bool dynamic_size = false;              // writes past the end make the array longer
  bool clear_after_read = true;           // reading an element frees it; a second read is an error
  bool identical_element_shapes = false;  // the first write fixes element_shape
  bool is_gradient = false;
};

class TensorArray : public StepObject {
 public:
  // REQUIRES: 0 <= size <= kMostListElements
  TensorArray(std::string array_name, const TensorArrayOptions& options, int64_t size);

  DType dtype() const { return options_.dtype; }
  bool dynamic_size() const { return options_.dynamic_size; }

  // Errors are INVALID_ARGUMENT, and RESOURCE_EXHAUSTED beyond kMostListElements. Each logs what
  // it touched.
  //   Errors: the value's dtype or shape, an index out of range, written or read before, closed.
  Status Write(int64_t index, const Tensor& value, AccessLog& accesses);
  // What was written; zeros where nothing was and the shape is known.
  //   Errors: index out of range, nothing written and shape unknown, cleared by a read, closed.
  Result<Tensor> Read(int64_t index, AccessLog& accesses);
  Result<int64_t> Size(AccessLog& accesses) const;
  // What is also known of every element from now on; an error when it contradicts element_shape.
  Status MergeElementShape(const PartialShape& shape, AccessLog& accesses);
  // How many elements Concat takes: of a gradient array, as many as its source was split into.
  Result<int64_t> ConcatSize(AccessLog& accesses) const;
  // The array was split into so many. A gradient array keeps what its source was split into, also
  // where gradients of more elements are split into it, since the source has grown in between.
  void MarkSplit(int64_t size) {
    if (!options_.is_gradient) split_size_ = size;
  }
  // Frees the elements; every later use is an error.
  void Close(AccessLog& accesses);
  // Frees everything, as Close does; of the step, not of the graph.
  void End() override;

  // The gradient array of this array under `source`, made when it is not there; this array keeps
  // its size from then on. `prepend`: dimensions its elements have before those of this array's.
  //   Errors: closed; a gradient array has none of its own.
  Result<std::shared_ptr<StepObject>> Gradient(const std::string& source, DimsView prepend,
                                               Resources& resources, AccessLog& accesses);

 private:
  struct Element {
    Tensor value;  // none: zeros of `dims`
    Dims dims;
    bool written = false;
    bool filled = false;  // by a read, with zeros of the element shape that the array had
    bool read = false;
    bool cleared = false;
  };

  Status Error(const std::string& text) const;
  Status CheckOpen() const;
  Status CheckWrite(int64_t index, const Tensor& value) const;
  Status Aggregate(Element& element, int64_t index, const Tensor& value);
  Status CheckRoom(int64_t index) const;
  // Lets a read find zeros at an index that was never written.
  Status WriteZeros(int64_t index, AccessLog& accesses);
  void Resize(int64_t size, AccessLog& accesses);
  Element& at(int64_t index) { return elements_[static_cast<size_t>(index)]; }
  int64_t size() const { return static_cast<int64_t>(elements_.size()); }

  // Parts for the race detector.
  static constexpr int64_t kSizePart = -2;
  static constexpr int64_t kElementShapePart = -3;
  static int64_t ValuePart(int64_t index) { return index; }
  static int64_t ShapePart(int64_t index) { return kElementShapePart - 1 - index; }
  void Log(AccessLog& accesses, int64_t part, bool is_write) const {
    accesses.push_back({this, part, is_write, name});
  }
  // Of the element, and of how many there are where it is not one of them.
  void LogUse(AccessLog& accesses, int64_t index, bool is_write) const;
  // Of the shape that all have, where the graph leaves any of it open.
  void LogElementShape(AccessLog& accesses, bool is_write) const;

  TensorArrayOptions options_;
  const PartialShape declared_;  // element_shape as the array was made with it
  const int64_t first_size_;     // of elements; others are there since it has grown
  std::vector<Element> elements_;
  int64_t split_size_ = -1;  // elements of the (source's) last Split; -1: none
  bool closed_ = false;
  std::map<std::string, std::shared_ptr<StepObject>> gradients_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_TENSOR_ARRAY_H_
