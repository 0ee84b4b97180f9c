#ifndef TAGFLOW_REFERENCE_RESOURCES_H_
#define TAGFLOW_REFERENCE_RESOURCES_H_

// Mutable objects of the reference: variables live in the session, by (container, name), and so do
// the states of nodes, by name; stacks and tensor arrays live in a step and are held by
// their handles. Spec: [resource.*]

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/partial_shape.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "graph/variant.h"

namespace tagflow::reference {

struct Variable : Resource {
  std::string name;
  DType dtype = DType::kInvalid;
  PartialShape shape;
  Tensor value;  // no value: uninitialized
};

// What a node keeps from firing to firing: where its random numbers begin and how many blocks of
// them are used up, or how often it has printed; and how often each class has been true, of those
// that have been, where the node learns from that.
struct NodeState : Resource {
  std::string name;  // of the node
  uint64_t seed = 0;
  uint64_t seed2 = 0;
  uint64_t count = 0;
  std::map<int64_t, int64_t> true_classes;
};

// An array or stack.
struct StepObject : Resource {
  std::string name;  // of the node that made it and its tag, for messages
  // Frees the contents and closes the object. May be called again, also while it runs: the contents
  // may hold the last handle to this very object.
  virtual void End() = 0;
};

// What a session keeps by container and name besides variables: a table. Kernels derive their own.
struct SessionObject : Resource {
  std::string name;
  // An object of its own with the same contents.
  virtual std::shared_ptr<SessionObject> Clone() const = 0;
};

// What one firing did to resources: the race detector's input ([race.1]). `element` tells parts of
// one object apart that do not conflict (an index of an array; of a variable, what its value is and
// whether it has one); kWhole conflicts with every element.
struct Access {
  static constexpr int64_t kWhole = -1;
  static constexpr int64_t kValue = 0, kPresence = 1;  // of a variable
  // A live token at a Merge, plus the number of its value: two that are not equal are a race even
  // when one comes after the other ([race.2]). Apart from all elements, which resources number as
  // they like.
  static constexpr int64_t kLiveToken = std::numeric_limits<int64_t>::min();
  const Resource* object = nullptr;
  int64_t element = kWhole;
  bool is_write = false;
  std::string name;  // of the object, for messages
  bool is_live_token() const { return element < kLiveToken / 2; }
};
using AccessLog = std::vector<Access>;

class Resources {
 public:
  using Key = std::pair<std::string, std::string>;  // container, name

  // The variable under this name, made (uninitialized) when absent; INVALID_ARGUMENT if it exists
  // with another dtype. kInvalid asks for no dtype in particular.
  Result<std::shared_ptr<Variable>> FindOrCreateVariable(const Key& key, DType dtype,
                                                         const PartialShape& shape);

  // The state of the node of this name, made on first use with these seeds.   Spec: [resource.1]
  std::shared_ptr<NodeState> FindOrCreateState(const std::string& node, uint64_t seed = 0,
                                               uint64_t seed2 = 0);

  // The object under this name; null when there is none.                       Spec: [resource.1]
  std::shared_ptr<SessionObject> FindObject(const Key& key) const;
  // REQUIRES: there is none under this name
  void AddObject(const Key& key, std::shared_ptr<SessionObject> object);
  // Takes it out of the session; false when there is none.
  bool RemoveObject(const Key& key);

  // Makes a per-step object known to the step, and returns what its handles share: with the last of
  // them the object's contents go. The emptied object itself stays until the step ends, so that an
  // address in an AccessLog names one object for the whole step.               Spec: [resource.2]
  std::shared_ptr<StepObject> Adopt(std::shared_ptr<StepObject> object);
  // Keeps an object of the step until that ends, under a name: older graphs have no handles.
  void Name(const std::string& name, std::shared_ptr<StepObject> object);
  // Null when there is none of this name.
  std::shared_ptr<StepObject> FindNamed(const std::string& name) const;

  // A new variable of this step by this name. ALREADY_EXISTS while there is one.
  Result<std::shared_ptr<Variable>> CreateStepVariable(const std::string& name);
  // The same, taken from the step; null when there is none.
  std::shared_ptr<Variable> TakeStepVariable(const std::string& name);
  // Ends every per-step object; a handle that outlived the step finds it closed.
  void EndStep();

  // The same variables with the same values and the same states, as objects of their own. Between
  // steps only.
  Resources Clone() const;

 private:
  std::map<Key, std::shared_ptr<Variable>> variables_;
  std::map<std::string, std::shared_ptr<NodeState>> states_;
  std::map<Key, std::shared_ptr<SessionObject>> objects_;
  std::vector<std::shared_ptr<StepObject>> step_objects_;
  std::map<std::string, std::shared_ptr<StepObject>> named_objects_;
  std::map<std::string, std::shared_ptr<Variable>> step_variables_;
  // Ended ones: an address in an AccessLog names one object for the whole step.
  std::vector<std::shared_ptr<Resource>> ended_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_RESOURCES_H_
