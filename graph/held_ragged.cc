#include "graph/held_ragged.h"

#include <memory>
#include <utility>

#include "graph/take_down.h"

namespace tagflow {

HeldRagged::~HeldRagged() { TakeDown(tensors_); }

Variant HeldRagged::Wrap(std::vector<Tensor> tensors) {
  return Variant(std::make_shared<const HeldRagged>(std::move(tensors)));
}

std::string HeldRagged::DebugString() const {
  return "Ragged tensor of " + DTypeName(values().dtype()) + DimsString(values().dims()) +
         " and of ragged rank " + std::to_string(ragged_rank());
}

}  // namespace tagflow
