#include "graph/function.h"

namespace tagflow {

void FunctionLibrary::Add(FunctionDef function) {
  if (table_.use_count() > 1) table_ = std::make_shared<Table>(*table_);
  table_->by_name.emplace(function.name, table_->functions.size());
  table_->functions.push_back(std::move(function));
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
