#include "reference/resources.h"

#include <utility>

namespace tagflow::reference {

Result<std::shared_ptr<Variable>> Resources::FindOrCreateVariable(const Key& key, DType dtype,
                                                                  const PartialShape& shape) {
  std::shared_ptr<Variable>& variable = variables_[key];
  if (variable == nullptr) {
    variable = std::make_shared<Variable>();
    variable->name = key.second;
    variable->shape = shape;
  }
  if (dtype == DType::kInvalid || dtype == variable->dtype) return variable;
  if (variable->dtype != DType::kInvalid) {
    return InvalidArgument("variable '" + key.second + "' in container '" + key.first +
                           "' has dtype " + DTypeName(variable->dtype) + ", not " +
                           DTypeName(dtype) + ": give one of them another shared_name");
  }
  variable->dtype = dtype;
  return variable;
}

std::shared_ptr<NodeState> Resources::FindOrCreateState(const std::string& node, uint64_t seed,
                                                        uint64_t seed2) {
  std::shared_ptr<NodeState>& state = states_[node];
  if (state == nullptr) {
    state = std::make_shared<NodeState>();
    state->name = node;
    state->seed = seed;
    state->seed2 = seed2;
  }
  return state;
}

std::shared_ptr<SessionObject> Resources::FindObject(const Key& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

void Resources::AddObject(const Key& key, std::shared_ptr<SessionObject> object) {
  TAGFLOW_CHECK(objects_.try_emplace(key, std::move(object)).second);
}

bool Resources::RemoveObject(const Key& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return false;
  ended_.push_back(std::move(found->second));
  objects_.erase(found);
  return true;
}

std::shared_ptr<StepObject> Resources::Adopt(std::shared_ptr<StepObject> object) {
  step_objects_.push_back(object);
  StepObject* raw = object.get();
  return {raw, [kept = std::move(object)](StepObject* last) { last->End(); }};
}

void Resources::Name(const std::string& name, std::shared_ptr<StepObject> object) {
  named_objects_[name] = std::move(object);
}

std::shared_ptr<StepObject> Resources::FindNamed(const std::string& name) const {
  const auto found = named_objects_.find(name);
  return found == named_objects_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<Variable>> Resources::CreateStepVariable(const std::string& name) {
  auto variable = std::make_shared<Variable>();
  variable->name = name;
  if (step_variables_.try_emplace(name, variable).second) return variable;
  return AlreadyExists("there is a temporary variable '" + name +
                       "' already: give one of them another var_name");
}

std::shared_ptr<Variable> Resources::TakeStepVariable(const std::string& name) {
  auto found = step_variables_.find(name);
  if (found == step_variables_.end()) return nullptr;
  std::shared_ptr<Variable> variable = std::move(found->second);
  step_variables_.erase(found);
  ended_.push_back(variable);
  return variable;
}

void Resources::EndStep() {
  named_objects_.clear();
  for (const auto& object : step_objects_) object->End();
  step_objects_.clear();
  step_variables_.clear();
  ended_.clear();
}

Resources Resources::Clone() const {
  Resources copy;
  for (const auto& [key, variable] : variables_) {
    copy.variables_[key] = std::make_shared<Variable>(*variable);
  }
  for (const auto& [node, state] : states_) {
    copy.states_[node] = std::make_shared<NodeState>(*state);
  }
  for (const auto& [key, object] : objects_) copy.objects_[key] = object->Clone();
  return copy;
}

}  // namespace tagflow::reference
