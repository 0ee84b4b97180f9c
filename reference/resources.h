#ifndef TAGFLOW_REFERENCE_RESOURCES_H_
#define TAGFLOW_REFERENCE_RESOURCES_H_

// Mutable objects of the reference: variables live in the session, by (container, name); stacks and
// tensor arrays live in a step and are held by their handles. Spec: [resource.*]

#include <cstdint>
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

// What one firing did to resources: the race detector's input ([race.1]). `element` tells parts of
// one object apart that do not conflict (an index of an array); kWhole conflicts with every
// element.
struct Access {
  static constexpr int64_t kWhole = -1;
  const Resource* object = nullptr;
  int64_t element = kWhole;
  bool is_write = false;
  std::string name;  // of the object, for messages
};
using AccessLog = std::vector<Access>;

class Resources {
 public:
  using Key = std::pair<std::string, std::string>;  // container, name

  // The variable under this name, made (uninitialized) when absent; INVALID_ARGUMENT if it exists
  // with another dtype.
  Result<std::shared_ptr<Variable>> FindOrCreateVariable(const Key& key, DType dtype,
                                                         const PartialShape& shape);
  // Null when there is none.
  std::shared_ptr<Variable> FindVariable(const Key& key) const;
  // NOT_FOUND when there is none.
  Status DestroyVariable(const Key& key);

  // Keeps a per-step object reachable by name, as long as a handle holds it (gradient arrays are
  // found by (array, source): [resource.3]).
  void RegisterStepObject(const std::string& name, std::weak_ptr<Resource> object);
  std::shared_ptr<Resource> FindStepObject(
      const std::string& name) const;  // null when there is none
  void EndStep() { step_objects_.clear(); }

 private:
  std::map<Key, std::shared_ptr<Variable>> variables_;
  std::map<std::string, std::weak_ptr<Resource>> step_objects_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_RESOURCES_H_
