#include "optimized/resources.h"

namespace tagflow::optimized {

Tensor VariableReference(std::shared_ptr<Variable> variable) {
  ResourceHandle handle;
  handle.name = variable->name();
  handle.object = std::move(variable);
  return Tensor::Scalar(std::move(handle));
}

Variable& ReferencedVariable(const Tensor& reference) {
  return static_cast<Variable&>(*reference.data<ResourceHandle>()->object);
}

Result<std::shared_ptr<Variable>> SessionState::FindOrCreateVariable(const Key& key, DType dtype,
                                                                     const PartialShape& shape) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Variable>& variable = variables_[key];
  if (variable == nullptr) {
    variable = std::make_shared<Variable>(key.second, Variable::Contents{dtype, shape, Tensor()});
  }
  if (dtype == DType::kInvalid) return variable;
  const DType held = variable->WithAnywhere([&](Variable::Contents& contents) {
    if (contents.dtype == DType::kInvalid) contents.dtype = dtype;
    return contents.dtype;
  });
  if (held == dtype) return variable;
  return InvalidArgument("variable '" + key.second + "' in container '" + key.first +
                         "' has dtype " + DTypeName(held) + ", not " + DTypeName(dtype) +
                         ": give one of them another shared_name");
}

SessionState::~SessionState() {
  for (const std::weak_ptr<Variable>& held : unnamed_.Take()) {
    const std::shared_ptr<Variable> variable = held.lock();
    if (variable == nullptr || variable->ValueOnHost().ok()) continue;
    variable->WithAnywhere([](Variable::Contents& contents) { contents.value = Tensor(); });
  }
}

void SessionState::NoteUnnamed(const std::shared_ptr<Variable>& variable) {
  std::lock_guard lock(mutex_);
  unnamed_.Add(variable);
}

std::shared_ptr<NodeState> SessionState::FindOrCreateState(const std::string& node, uint64_t seed,
                                                           uint64_t seed2) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<NodeState>& state = states_[node];
  if (state == nullptr) {
    state = std::make_shared<NodeState>();
    state->seed = seed;
    state->seed2 = seed2;
  }
  return state;
}

std::shared_ptr<Resource> SessionState::FindObject(const Key& key) {
  std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

std::shared_ptr<Resource> SessionState::FindOrCreateObject(const Key& key, const MakeObject& make) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Resource>& object = objects_[key];
  if (object == nullptr) object = make();
  return object;
}

std::shared_ptr<Resource> SessionState::TakeObject(const Key& key) {
  std::lock_guard lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return nullptr;
  std::shared_ptr<Resource> object = std::move(found->second);
  objects_.erase(found);
  return object;
}

void StepState::Adopt(const std::shared_ptr<StepObject>& object) {
  std::lock_guard lock(mutex_);
  objects_.Add(object);
}

Result<std::shared_ptr<Variable>> StepState::CreateVariable(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto variable = std::make_shared<Variable>(name);
  if (variables_.try_emplace(name, variable).second) return variable;
  return AlreadyExists("there is a temporary variable '" + name +
                       "' already: give one of them another var_name");
}

std::shared_ptr<Variable> StepState::TakeVariable(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto found = variables_.find(name);
  if (found == variables_.end()) return nullptr;
  std::shared_ptr<Variable> variable = std::move(found->second);
  variables_.erase(found);
  return variable;
}

void StepState::Name(const std::pair<std::string, std::string>& key,
                     std::shared_ptr<StepObject> object) {
  std::lock_guard lock(mutex_);
  named_[key] = std::move(object);
}

StepObject* StepState::FindNamed(const std::pair<std::string, std::string>& key) {
  std::lock_guard lock(mutex_);
  const auto found = named_.find(key);
  return found == named_.end() ? nullptr : found->second.get();
}

void StepState::End() {
  std::vector<std::weak_ptr<StepObject>> objects;
  decltype(named_) named;  // go when the lock is released, and what they hold with them
  {
    std::lock_guard lock(mutex_);
    objects = objects_.Take();
    variables_.clear();
    named.swap(named_);
  }
  // Without the lock: what an object held may be the last handle of another.
  for (const std::weak_ptr<StepObject>& held : objects) {
    if (const auto object = held.lock()) object->End();
  }
}

}  // namespace tagflow::optimized
