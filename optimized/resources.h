#ifndef TAGFLOW_OPTIMIZED_RESOURCES_H_
#define TAGFLOW_OPTIMIZED_RESOURCES_H_

// Mutable objects of the engine: variables and the states of nodes live in the session; arrays,
// stacks and temporary variables live in a step.                                Spec: [resource.*]
//
// Thread safety: everything here may be used by the kernels of several threads and steps at once.
// A variable holds an immutable tensor under a lock that is held for moments only: whoever reads
// has a snapshot, and a write puts another tensor in its place.
//
// The value is where it was used last: a device's kernels bring it to the device, and the host's
// bring it back. What is enqueued for a value that a device has is enqueued with the lock held, so
// that what takes the value from then on comes behind it.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/partial_shape.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "graph/variant.h"

namespace tagflow::optimized {

struct Cells;
struct TensorType;

class Variable : public Resource {
 public:
  struct Contents {
    DType dtype = DType::kInvalid;  // kInvalid: that of the first assignment
    PartialShape shape;
    Tensor value;  // no value: uninitialized
  };

  explicit Variable(std::string name) : name_(std::move(name)) {}
  Variable(std::string name, Contents contents)
      : name_(std::move(name)), contents_(std::move(contents)) {}
  const std::string& name() const { return name_; }
  // Where it lies, which may be on a device.
  Tensor value() const {
    std::lock_guard lock(mutex_);
    return contents_.value;
  }
  // Errors: those of Tensor::OnHost
  Result<Tensor> ValueOnHost() {
    return With([](const Contents& contents) -> Result<Tensor> { return contents.value; });
  }
  Contents contents() const {
    std::lock_guard lock(mutex_);
    return contents_;
  }
  // Calls use(contents) with the lock held and the value on the host: for what reads and then
  // writes. `use` may move the value out and put it back changed, so that an update is done in
  // place when nobody else holds it.
  //   Errors: of `use`, which gives a Status or a Result; those of Tensor::OnHost
  template <typename F>
  auto With(F&& use) -> std::invoke_result_t<F, Contents&> {
    std::lock_guard lock(mutex_);
    if (contents_.value.memory_kind() == MemoryKind::kDevice) [[unlikely]] {
      TAGFLOW_ASSIGN_OR_RETURN(contents_.value, contents_.value.OnHost());
    }
    return use(contents_);
  }
  // The same with the value where it lies.
  template <typename F>
  auto WithAnywhere(F&& use) {
    std::lock_guard lock(mutex_);
    return use(contents_);
  }

 private:
  const std::string name_;
  mutable std::mutex mutex_;
  Contents contents_;  // guarded by mutex_
};

// A reference token: a scalar resource tensor whose handle holds the variable.      Spec: [ref.1]
Tensor VariableReference(std::shared_ptr<Variable> variable);
// The variable of such a tensor. REQUIRES: made by VariableReference
Variable& ReferencedVariable(const Tensor& reference);

// What a node keeps from firing to firing: where its random numbers begin and how many blocks of
// them are used up, or how often it has printed; and what else its kernel makes and keeps.
struct NodeState {
  uint64_t seed = 0;
  uint64_t seed2 = 0;
  std::atomic<uint64_t> count{0};
  std::mutex mutex;
  std::unique_ptr<Resource> kept;  // guarded by mutex, with what is in it
};

// An array or stack. Derived classes guard themselves.
class StepObject : public Resource {
 public:
  explicit StepObject(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  // Frees the contents and closes the object: a handle that outlived the step finds it closed.
  virtual void End() = 0;
  // Puts change(value) in the place of each value that it holds, unless it keeps these where they
  // are.
  //   Errors: those of change; what was not reached then stays
  using ChangeValue = std::function<Result<Tensor>(const Tensor& value)>;
  virtual Status ChangeValues(const ChangeValue&) { return Status(); }
  // Its elements for machine code (native/cells.h), and nobody else looks at them until Shut, which
  // the same thread calls; null, and nothing has happened, where another is at them now, or they
  // are not of this type.
  //   type: of tensors that it is opened for; null: for scalars
  virtual Cells* TryOpen(const TensorType* /*type*/) { return nullptr; }
  virtual void Shut() {}

 private:
  const std::string name_;  // of the node that made it and its tag
};

// Objects that somebody else owns; those that are gone are forgotten now and then.
template <typename T>
class WeakList {
 public:
  void Add(const std::shared_ptr<T>& object) {
    if (objects_.size() >= sweep_at_) {
      std::erase_if(objects_, [](const auto& held) { return held.expired(); });
      sweep_at_ = std::max(kSweepFirst, 2 * objects_.size());
    }
    objects_.push_back(object);
  }
  std::vector<std::weak_ptr<T>> Take() { return std::exchange(objects_, {}); }

 private:
  static constexpr size_t kSweepFirst = 64;
  std::vector<std::weak_ptr<T>> objects_;
  size_t sweep_at_ = kSweepFirst;
};

class SessionState {
 public:
  ~SessionState();

  using Key = std::pair<std::string, std::string>;  // container, name

  // The variable under this name, made (uninitialized) when absent; INVALID_ARGUMENT if it exists
  // with another dtype. kInvalid asks for no dtype in particular.
  Result<std::shared_ptr<Variable>> FindOrCreateVariable(const Key& key, DType dtype,
                                                         const PartialShape& shape);
  // Makes a variable known that handles alone lead to, and that so may outlive the session: then
  // its value is on the host.
  void NoteUnnamed(const std::shared_ptr<Variable>& variable);
  // The state of the node of this name, made on first use with these seeds.    Spec: [resource.1]
  std::shared_ptr<NodeState> FindOrCreateState(const std::string& node, uint64_t seed = 0,
                                               uint64_t seed2 = 0);
  // What a session keeps by container and name besides variables: a table. Null when there is none.
  //                                                                           Spec: [resource.1]
  std::shared_ptr<Resource> FindObject(const Key& key);
  // The object under this name, made by `make` when absent.
  using MakeObject = std::function<std::shared_ptr<Resource>()>;
  std::shared_ptr<Resource> FindOrCreateObject(const Key& key, const MakeObject& make);
  // Takes the object out of the session; null when there is none.
  std::shared_ptr<Resource> TakeObject(const Key& key);

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Variable>> variables_;        // guarded by mutex_
  std::map<std::string, std::shared_ptr<NodeState>> states_;  // guarded by mutex_
  std::map<Key, std::shared_ptr<Resource>> objects_;          // guarded by mutex_
  WeakList<Variable> unnamed_;                                // guarded by mutex_
};

class StepState {
 public:
  ~StepState() { End(); }

  // Makes a per-step object known to the step, which ends it unless its last handle went before.
  void Adopt(const std::shared_ptr<StepObject>& object);
  // A new variable of this step by this name. ALREADY_EXISTS while there is one.
  Result<std::shared_ptr<Variable>> CreateVariable(const std::string& name);
  // The same, taken from the step; null when there is none.
  std::shared_ptr<Variable> TakeVariable(const std::string& name);
  // Keeps an object until the step ends, under a container and a name: older graphs have no
  // handles.
  void Name(const std::pair<std::string, std::string>& key, std::shared_ptr<StepObject> object);
  // Null when there is none of this name.
  StepObject* FindNamed(const std::pair<std::string, std::string>& key);
  // Ends every per-step object.
  void End();

 private:
  std::mutex mutex_;
  WeakList<StepObject> objects_;                                // guarded by mutex_
  std::map<std::string, std::shared_ptr<Variable>> variables_;  // guarded by mutex_
  std::map<std::pair<std::string, std::string>, std::shared_ptr<StepObject>>
      named_;  // guarded by mutex_
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_RESOURCES_H_
