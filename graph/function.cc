#include "graph/function.h"

namespace tagflow {

FunctionLibrary::Table& FunctionLibrary::Own() {
  if (table_.use_count() > 1) table_ = std::make_shared<Table>(*table_);
  return *table_;
}

void FunctionLibrary::Add(FunctionDef function) {
  Table& table = Own();
  table.by_name.emplace(function.name, table.functions.size());
  table.functions.push_back(std::move(function));
}

void FunctionLibrary::SetGradient(const std::string& function, const std::string& gradient) {
  Own().gradients[function] = gradient;
}

const std::string* FunctionLibrary::GradientOf(std::string_view function) const {
  const auto found = table_->gradients.find(function);
  return found == table_->gradients.end() ? nullptr : &found->second;
}

const FunctionDef* FunctionLibrary::Find(std::string_view name) const {
  const auto found = table_->by_name.find(name);
  return found == table_->by_name.end() ? nullptr : &table_->functions[found->second];
}

const OpDef* FunctionLibrary::FindOp(std::string_view name) const {
  const FunctionDef* const found = Find(name);
  const bool is_read = found != nullptr && found->function.ok() && *found->function != nullptr;
  return is_read ? &(*found->function)->op : nullptr;
}

}  // namespace tagflow
