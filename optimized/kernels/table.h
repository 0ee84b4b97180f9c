#ifndef TAGFLOW_OPTIMIZED_KERNELS_TABLE_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TABLE_H_

// A table from keys to values, one of which each key has: a hash table from keys to rows, and the
// values in rows, side by side.                                                Spec: [resource.1]
//
// Thread safety: every member may be called from several threads at once; who reads does not keep
// others from reading. What a call does, it does as one: a reader sees all of a change or nothing.
// Cost: a call over n keys takes O(n); Export of m keys O(m log m).
//
// Tested by table_test.cc and conformance/ops/table.ops.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

// What tables are told by their handles.
inline constexpr std::string_view kTableTypeName = "tensorflow::lookup::LookupInterface";

class Table : public Resource {
 public:
  struct Form {
    DType key = DType::kInvalid;  // string, int32 or int64
    DType value = DType::kInvalid;
    Dims value_dims;              // of each value
    bool is_filled_once = false;  // and not changed afterwards
    // The dimensions of keys, and behind them those of a value.
    Dims DimsOfValues(DimsView keys) const;
  };

  // REQUIRES: form.key is one of the three
  static std::shared_ptr<Table> Make(std::string name, Form form);

  const std::string& name() const { return name_; }
  const Form& form() const { return form_; }

  virtual int64_t size() const = 0;
  virtual bool is_filled() const = 0;  // of one that is filled once
  // values: for each key its value, else one of `otherwise`, which has a value for all of them or
  // for each; of a table that is filled once the first serves for all, as in TensorFlow.
  virtual void Find(const Tensor& keys, const Tensor& otherwise, Tensor& values) const = 0;
  // Sets the values of keys; `replaces_all`: and forgets all other keys.
  virtual void Set(const Tensor& keys, const Tensor& values, bool replaces_all) = 0;
  // Sets them if it is not filled, all or, where there is an error, none.
  //   Errors: FAILED_PRECONDITION for a key with two values, and where it is filled with another
  //   number of keys
  virtual Status Fill(const Tensor& keys, const Tensor& values) = 0;
  virtual void Remove(const Tensor& keys) = 0;
  // All keys, ascending, and their values.
  virtual Result<std::pair<Tensor, Tensor>> Export() const = 0;
  // REQUIRES, of all these: dtypes and shapes as the form says

 protected:
  Table(std::string name, Form form) : name_(std::move(name)), form_(std::move(form)) {}

 private:
  const std::string name_;
  const Form form_;
};

// Whether it is one handle, of a table.
bool IsTableHandle(const Tensor& tensor);
// The table of the handle in input 0.
//   Errors: INVALID_ARGUMENT for what is no handle of a table; NOT_FOUND for one that is destroyed
Result<std::shared_ptr<Table>> TableOfHandle(KernelContext& context);
// Takes it out of the session.   Errors: NOT_FOUND.   REQUIRES: IsTableHandle(input 0)
Status DestroyTable(KernelContext& context);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TABLE_H_
