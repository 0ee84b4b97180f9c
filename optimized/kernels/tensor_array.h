#ifndef TAGFLOW_OPTIMIZED_KERNELS_TENSOR_ARRAY_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TENSOR_ARRAY_H_

// A TensorArray: values by index, each written once and then read.              Spec: [resource.2]
//
// A *gradient array* belongs to another array (its source) and mirrors it: same size, the shapes of
// what the source holds, zeros where nothing was written yet; writes to one index add up. An array
// holds its gradient arrays, by the `source` string, so that every TensorArrayGradV3 of one source
// finds the same one, whichever iteration it runs in.                           Spec: [resource.3]
//
// Thread safety: any thread may call anything; one mutex guards all. A value leaves and enters by
// reference, so the lock is held for moments, but for sums in a gradient array.
// Lock order: a source before StepState; never two arrays.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/limits.h"
#include "graph/partial_shape.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/native/cells.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

class TensorArray final : public StepObject {
 public:
  struct Options {
    DType dtype = DType::kInvalid;
    PartialShape element_shape;             // every element has it
    bool dynamic_size = false;              // writes past the end make the array longer
    bool clear_after_read = true;           // reading an element frees it
    bool identical_element_shapes = false;  // the first write fixes element_shape
    bool is_gradient = false;
  };

  // REQUIRES: 0 <= size <= kMostListElements
  TensorArray(std::string name, Options options, int64_t size);

  DType dtype() const { return dtype_; }

  // Errors of all are INVALID_ARGUMENT (a closed array among them), and RESOURCE_EXHAUSTED beyond
  // kMostListElements.

  // Sums of elements in the memory of a device.   Errors: the device's
  using AddThere = std::function<Result<Tensor>(const Tensor& sum, const Tensor& term)>;
  // add: for a gradient array whose elements are on a device; null: they are the host's
  //   Errors: the value's dtype or shape, an index out of range, written or read before
  Status Write(int64_t index, Tensor value, const AddThere& add = nullptr);
  // What was written; zeros where nothing was and the shape is known.
  //   Errors: an index out of range, nothing written and shape unknown, cleared by a read
  Result<Tensor> Read(int64_t index);
  Result<int64_t> Size() const;
  // Whether it may be made one of `count` elements, as it is or longer.
  Status CheckUnpack(int64_t count) const;
  // Whether elements up to index `last` may be written, and whether the array may be made one of
  // `size` pieces.
  Status CheckScatter(int64_t last) const;
  Status CheckSplit(int64_t size) const;
  // The array is now one of so many pieces; of a gradient array, its source counts.
  void MarkSplit(int64_t size);
  // How many elements a concatenation takes: of a gradient array, as many as its source was split
  // into.
  Result<int64_t> ConcatSize() const;
  // What is also known of every element from now on; an error when it contradicts element_shape.
  Status MergeElementShape(const PartialShape& shape);
  // The gradient array under `source`, made when it is not there; this array keeps its size from
  // then on. `prepend`: dimensions its elements have before those of this array's.
  //   Errors: also for a gradient array, which has none of its own
  Result<std::shared_ptr<TensorArray>> Gradient(const std::string& source, DimsView prepend,
                                                StepState& step);
  // Frees the elements; every later use is an error.
  void End() override;
  Status ChangeValues(const ChangeValue& change) override;
  Cells* TryOpen(const TensorType* type) override;
  void Shut() override { mutex_.unlock(); }

 private:
  struct ElementState {
    int32_t shape = 0;  // number of the shape where there is no value
    bool is_written = false;
    bool is_read = false;
    bool is_cleared = false;
    bool unused = false;
  };
  // Laid out as ArrayCell.
  struct Element : ElementState {
    Tensor value;  // none: zeros, or cleared
  };
  struct OwnCells : ArrayCells {
    TensorArray* array = nullptr;
  };

  // All of these are called with the lock held.
  Status Error(const std::string& text) const;
  Status CheckOpen() const;
  Status CheckWrite(int64_t index, const Tensor& value) const;
  Status CheckRoom(int64_t index) const;
  Status Aggregate(Element& element, int64_t index, Tensor value, const AddThere& add);
  Status WriteZeros(int64_t index);
  Result<Tensor> ReadElement(Element& element, int64_t index);
  std::shared_ptr<TensorArray> NewGradient(const std::string& source, DimsView prepend) const;
  int64_t size() const { return static_cast<int64_t>(elements_.size()); }
  Element& at(int64_t index) { return elements_[static_cast<size_t>(index)]; }
  DimsView DimsOf(const Element& element) const;
  int32_t NumberOfShape(DimsView dims);

  const DType dtype_;
  mutable std::mutex mutex_;
  // What follows is guarded by mutex_.
  Options options_;
  std::vector<Element> elements_;
  std::vector<Dims> shapes_;  // of elements without value; neighbours mostly share one
  int64_t split_size_ = -1;   // pieces of the last Split; -1: none
  bool is_closed_ = false;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients_;
  OwnCells cells_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TENSOR_ARRAY_H_
