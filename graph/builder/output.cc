#include "graph/builder/output.h"

#include "graph/builder/build_state.h"

namespace tagflow {

std::string Output::name() const { return valid() ? state_->Name(ref_) : ""; }
DType Output::dtype() const { return valid() ? state_->type(ref_).dtype : DType::kInvalid; }
bool Output::is_ref() const { return valid() && state_->type(ref_).is_ref; }
PartialShape Output::shape() const { return valid() ? state_->shape(ref_) : PartialShape(); }
Operation Output::op() const { return Operation(*this); }

std::string Operation::name() const { return valid() ? state_->graph().node(node_).name : ""; }

int Operation::num_outputs() const {
  return valid() ? static_cast<int>(state_->output_types(node_).size()) : 0;
}

Output Operation::output(int index) const {
  if (valid() && index >= 0 && index < num_outputs()) {
    return Output(state_, OutputRef{node_, index});
  }
  if (valid()) {
    state_->Fail(InvalidArgument("'" + name() + "' has " + std::to_string(num_outputs()) +
                                 " outputs: there is no output " + std::to_string(index)));
  }
  return Output(state_, OutputRef{});
}

Output OutputList::operator[](size_t index) const {
  if (index < outputs_.size()) return outputs_[index];
  const std::shared_ptr<internal::BuildState> state =
      outputs_.empty() ? state_ : outputs_[0].state();
  if (state != nullptr) {
    state->Fail(InvalidArgument("there are " + std::to_string(outputs_.size()) +
                                " tensors in the list: there is no tensor " +
                                std::to_string(index)));
  }
  return Output(state, OutputRef{});
}

}  // namespace tagflow
