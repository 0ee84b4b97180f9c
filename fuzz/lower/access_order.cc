#include "fuzz/lower/access_order.h"

namespace tagflow::fuzz {
namespace {

void Walk(std::span<const Block> blocks, Touched& touched) {
  for (const Block& block : blocks) {
    for (const Statement& statement : block.statements) {
      if (statement.variable >= 0) {
        const bool read = statement.op == Op::kRead;
        (read ? touched.reads : touched.writes)[static_cast<size_t>(statement.variable)] = true;
      }
      Walk(statement.blocks, touched);
    }
  }
}

}  // namespace

Touched FindTouched(std::span<const Block> blocks, size_t num_variables) {
  Touched touched{std::vector<bool>(num_variables), std::vector<bool>(num_variables)};
  if (num_variables > 0) Walk(blocks, touched);
  return touched;
}

}  // namespace tagflow::fuzz
