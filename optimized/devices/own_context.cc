#include "optimized/devices/own_context.h"

#include <iterator>
#include <string>
#include <utility>

namespace tagflow::optimized {
namespace {

class CallContext : public OwnContext {
 public:
  CallContext(const DeviceCall& call, std::vector<Tensor> inputs,
              const std::vector<bool>& may_change)
      : OwnContext(std::move(inputs), may_change, call.kernel->num_outputs, call.services),
        tag_(call.tag) {}
  std::string tag() const override { return tag_; }

 private:
  const std::string& tag_;
};

}  // namespace

OwnContext::OwnContext(std::vector<Tensor> inputs, const std::vector<bool>& may_change,
                       size_t num_outputs, const StepServices& services)
    : KernelContext(nullptr, services), values_(std::move(inputs)) {
  const auto num_inputs = static_cast<uint32_t>(values_.size());
  for (uint32_t i = 0; i < num_inputs; ++i) {
    args_.push_back({i, !may_change.empty() && may_change[i]});
  }
  for (size_t i = 0; i < num_outputs; ++i) {
    outputs_.push_back(static_cast<uint32_t>(values_.size()));
    values_.emplace_back();
  }
  slots_ = values_.data();
  Point(args_.data(), outputs_.data(), static_cast<int>(num_inputs));
}

Result<std::vector<Tensor>> OwnContext::Run(const BoundKernel& kernel) {
  TAGFLOW_RETURN_IF_ERROR(kernel(*this));
  const auto first_output = values_.begin() + static_cast<std::ptrdiff_t>(args_.size());
  return std::vector<Tensor>(std::make_move_iterator(first_output),
                             std::make_move_iterator(values_.end()));
}

Result<std::vector<Tensor>> RunOnItsOwn(const DeviceCall& call, std::vector<Tensor> inputs,
                                        DeviceStream* stream, DeviceFaults* faults) {
  std::vector<bool> may_change;
  for (size_t i = 0; i < inputs.size(); ++i) may_change.push_back(call.inputs[i].may_change);
  CallContext context(call, std::move(inputs), may_change);
  context.set_stream(stream, faults);
  return context.Run(call.kernel->kernel);
}

}  // namespace tagflow::optimized
