#include "optimized/devices/own_context.h"

#include <iterator>
#include <string>
#include <utility>

namespace tagflow::optimized {
namespace {

class OwnContext : public KernelContext {
 public:
  OwnContext(Tensor* slots, const DeviceCall& call, DeviceStream* stream, DeviceFaults* faults)
      : KernelContext(slots, call.services), tag_(call.tag) {
    set_stream(stream, faults);
  }
  std::string tag() const override { return tag_; }

 private:
  const std::string& tag_;
};

}  // namespace

Result<std::vector<Tensor>> RunOnItsOwn(const DeviceCall& call, std::vector<Tensor> inputs,
                                        DeviceStream* stream, DeviceFaults* faults) {
  std::vector<Arg> args;
  for (size_t i = 0; i < inputs.size(); ++i) {
    args.push_back({static_cast<uint32_t>(i), call.inputs[i].may_change});
  }
  std::vector<uint32_t> outputs;
  for (size_t i = 0; i < call.kernel->num_outputs; ++i) {
    outputs.push_back(static_cast<uint32_t>(inputs.size() + i));
  }
  std::vector<Tensor> slots = std::move(inputs);
  slots.resize(args.size() + outputs.size());
  OwnContext context(slots.data(), call, stream, faults);
  context.Point(args.data(), outputs.data(), static_cast<int>(args.size()));
  TAGFLOW_RETURN_IF_ERROR(call.kernel->kernel(context));
  const auto first_output = slots.begin() + static_cast<std::ptrdiff_t>(args.size());
  return std::vector<Tensor>(std::make_move_iterator(first_output),
                             std::make_move_iterator(slots.end()));
}

}  // namespace tagflow::optimized
