#ifndef TAGFLOW_OPTIMIZED_KERNEL_H_
#define TAGFLOW_OPTIMIZED_KERNEL_H_

// What the engine hands a kernel, and the table of kernels. A kernel computes the outputs of one
// firing of an ordinary op from live inputs; it knows nothing of tags, frames or deadness.
//
// A kernel is bound once per node, when a plan is made: attrs and dtypes are looked at then, and
// what is left is a function of inputs and outputs. Binding says what cannot run (UNIMPLEMENTED:
// a dtype without kernel) before anything does.
//
// Memory: every input knows whether this is the last use of the value in its slot. A kernel may
// take such a value, or write its result over it (MayOverwrite); so chains of elementwise ops run
// in one buffer.
//
// Thread safety: a registry is read-only once built; a bound kernel is immutable and may run on
// several threads at once, each with a context of its own.

#include <compare>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

class DeviceFaults;
class DeviceStream;
class FunctionCalls;
class SessionState;
class StepDevices;
class StepState;
class Variable;
struct StepControl;

// An input of a firing: where its value is, and whether nobody reads it afterwards.
struct Arg {
  uint32_t slot : 31;
  uint32_t is_last : 1;
};

// The threads of a session, as a kernel sees them: they help with one firing.
class Crew {
 public:
  virtual ~Crew() = default;
  // How many there are, with the one that calls; at least 1.
  virtual int size() const = 0;
  // Calls work(i) once for each i in [0, count), several at once, on any of the threads; returns
  // when all have returned. What a call throws is thrown here.
  virtual void Share(int64_t count, const std::function<void(int64_t)>& work) = 0;
};

// What kernels with effects need of the step they run in.
struct StepServices {
  SessionState* session = nullptr;  // variables and the states of nodes
  StepState* step = nullptr;        // arrays, stacks and variables of this step
  StepDevices* devices = nullptr;   // of this step; null: all is on the host's CPU
  // Whether the step is to end now; asked by kernels that wait or run long. May be null.
  std::function<bool()> stopped;
  FunctionCalls* functions = nullptr;    // null: no kernel calls a function
  const StepControl* control = nullptr;  // of this step; null where `functions` is
  // The tag of the call that this step is the body of; null: it is no body.
  const std::string* around = nullptr;
  Crew* crew = nullptr;  // null: a kernel has its own thread alone
};

// A tag of the step's own graph as it reads outside: behind the tag of the call.
std::string TagWithin(const StepServices& services, std::string tag);

class KernelContext {
 public:
  KernelContext(Tensor* slots, const StepServices& services) : slots_(slots), services_(services) {}
  virtual ~KernelContext() = default;

  // The firing that Run is called for next.
  void Point(const Arg* args, const uint32_t* outputs, int num_inputs) {
    args_ = args;
    outputs_ = outputs;
    num_inputs_ = num_inputs;
  }

  int num_inputs() const { return num_inputs_; }
  const Tensor& input(int i) const { return slots_[args_[i].slot]; }
  // The same value in another memory, for all who read it from now on.
  void MoveInput(int i, Tensor moved) { slots_[args_[i].slot] = std::move(moved); }
  // Outputs are apart from all inputs, and may hold values of an earlier firing.
  Tensor& output(int i) { return slots_[outputs_[i]]; }
  // Whether nobody else reads the value of this input, now or later: it may be moved or changed.
  bool MayOverwrite(int i) const { return args_[i].is_last && input(i).unique(); }
  // The value of an input, moved out where this is its last use.
  Tensor Take(int i) {
    Tensor& value = slots_[args_[i].slot];
    return args_[i].is_last ? std::move(value) : value;
  }

  // Output `i` as a tensor of this dtype and shape whose elements are not set: the memory of the
  // first input among `reuse` that may be overwritten and has the right size, or of what an earlier
  // firing left in the output (machine code does not take it away), else new memory. A kernel that
  // names inputs to reuse writes element k only after it has read element k of them. The inputs'
  // data pointers stay valid.
  //   Errors: RESOURCE_EXHAUSTED, INVALID_ARGUMENT (dims)
  Result<Tensor*> Allocate(int i, DType dtype, DimsView dims,
                           std::initializer_list<int> reuse = {});

  // Calls work(begin, end) for ranges that make up [0, count), where it is worth the hand-over on
  // several threads at once. What comes out must not depend on how it is cut.
  //   ns_each: about how long one of `count` takes on one thread, in nanoseconds
  template <typename Work>
  void ForRanges(int64_t count, double ns_each, const Work& work) const {
    const int64_t ranges = RangesFor(count, ns_each);
    if (ranges <= 1) {
      if (count > 0) work(int64_t{0}, count);
      return;
    }
    services_.crew->Share(ranges, [&](int64_t i) {
      const auto at = [&](int64_t range) {
        return static_cast<int64_t>(static_cast<__int128>(count) * range / ranges);
      };
      work(at(i), at(i + 1));
    });
  }
  // The same with work that may fail: the error of one that does.
  template <typename Work>
  Status TryRanges(int64_t count, double ns_each, const Work& work) const {
    std::mutex mutex;
    Status status;
    ForRanges(count, ns_each, [&](int64_t begin, int64_t end) {
      const Status done = work(begin, end);
      if (done.ok()) return;
      std::lock_guard lock(mutex);
      status = done;
    });
    return status;
  }
  // In how many ranges that would be.
  int64_t RangesFor(int64_t count, double ns_each) const;

  // A reference input or output: a variable instead of a value ([ref.1]). The slot holds a scalar
  // resource tensor whose handle's object is the variable.
  Result<std::shared_ptr<Variable>> variable(int i) const;
  void set_output_variable(int i, std::shared_ptr<Variable> variable);

  const StepServices& services() const { return services_; }
  SessionState& session() { return *services_.session; }
  StepState& step() { return *services_.step; }
  // The tag of this firing as text ("f[3]/g[0]"): names per-step objects, enters messages.
  virtual std::string tag() const { return ""; }
  // Where a kernel of a device enqueues its work (devices/device.h); null on the host.
  DeviceStream* stream() const { return stream_; }
  // Where one that can fail there says so; null where stream() is.
  DeviceFaults* faults() const { return faults_; }
  void set_stream(DeviceStream* stream, DeviceFaults* faults) {
    stream_ = stream;
    faults_ = faults;
  }

 protected:
  Tensor* slots_;

 private:
  const StepServices& services_;
  const Arg* args_ = nullptr;
  const uint32_t* outputs_ = nullptr;
  int num_inputs_ = 0;
  DeviceStream* stream_ = nullptr;
  DeviceFaults* faults_ = nullptr;
};

// A kernel bound to a node. Holds any callable `Status(KernelContext&) const`; one without captures
// costs no memory.
class BoundKernel {
 public:
  using Function = Status (*)(const void* state, KernelContext& context);

  BoundKernel() = default;
  // What many kernels of one form are made of, without a type for each.
  BoundKernel(Function function, std::shared_ptr<const void> state)
      : function_(function), state_(std::move(state)) {}
  template <typename F>
  requires std::is_invocable_r_v<Status, const F&, KernelContext&> BoundKernel(
      F callable) {  // NOLINT: binders return lambdas
    function_ = [](const void* state, KernelContext& context) -> Status {
      return (*static_cast<const F*>(state))(context);
    };
    if constexpr (std::is_empty_v<F>) {
      static const F shared = callable;
      state_ = std::shared_ptr<const void>(std::shared_ptr<const void>(), &shared);
    } else {
      state_ = std::make_shared<const F>(std::move(callable));
    }
  }

  Status operator()(KernelContext& context) const { return function_(state_.get(), context); }
  Function function() const { return function_; }
  const std::shared_ptr<const void>& state() const { return state_; }

 private:
  Function function_ = nullptr;
  std::shared_ptr<const void> state_;
};

// What a binder sees of its node.
struct Binding {
  const Node& node;
  const Signature& signature;
  const Graph* graph = nullptr;  // that the node is in; null where it is alone

  DType input_dtype(size_t i) const { return signature.inputs[i].dtype; }
  DType output_dtype(size_t i) const { return signature.outputs[i].dtype; }
  // Whether the graph says that input i is a constant: unless it is fed, the same tensor in all
  // firings.
  bool IsConstant(size_t i) const;
};
// Errors: UNIMPLEMENTED for a dtype or attr without kernel; INVALID_ARGUMENT for a bad attr.
using Binder = std::function<Result<BoundKernel>(const Binding& binding)>;

// How much one firing costs: what decides whether it is worth another thread.
enum class Cost : uint8_t {
  kCheap,  // a scalar, or one pass over its inputs
  kHeavy,  // a matrix product, a convolution, a sort, …: worth a hand-over between threads
};

struct KernelEntry {
  Binder bind;
  Cost cost = Cost::kCheap;
  // Of a kernel for a kind of device: the input arguments, by their names in the op's definition,
  // that it reads on the host, such as the `shape` of Reshape. The rest is in the device's memory.
  std::vector<std::string> host_inputs = {};
  // Of the same: whether the node is one that the host's kernel runs for, so that all its inputs
  // are read there; for ops of which the device has only some. Null: none is.
  bool (*is_for_host)(const Binding& binding) = nullptr;
};

// For which kind of device a kernel is: "CUDA". dtype: the value of the op's first attr of kind
// "type" (transform/placement/kernel_dtype.h); kInvalid: of any.
struct KernelTarget {
  std::string op;
  std::string kind;
  DType dtype = DType::kInvalid;
  auto operator<=>(const KernelTarget&) const = default;
};

class KernelRegistry {
 public:
  // ALREADY_EXISTS for a second kernel of one op.
  Status Register(std::string_view op, Binder bind, Cost cost = Cost::kCheap);
  // A kernel for a kind of device, which only enqueues: see DeviceStream in devices/device.h.
  //   Errors: ALREADY_EXISTS
  Status RegisterFor(const KernelTarget& target, KernelEntry entry);
  // Null when there is none.
  const KernelEntry* Find(std::string_view op) const;
  // One for just this dtype, else one for any; null when there is none.
  const KernelEntry* FindFor(const KernelTarget& target) const;
  std::vector<std::string> Ops() const;       // by name
  std::vector<KernelTarget> Targets() const;  // of RegisterFor, in order
  // The same kernels with what bind(op, entry) gives in the place of each binder.
  using ChangeBinder = std::function<Binder(const std::string& op, const KernelEntry& entry)>;
  std::unique_ptr<KernelRegistry> WithBinders(const ChangeBinder& bind) const;

  // Every CPU kernel of the engine, made on first use.
  static const KernelRegistry& Standard();

 private:
  std::unordered_map<std::string, std::unique_ptr<KernelEntry>> kernels_;
  std::map<KernelTarget, std::unique_ptr<KernelEntry>> device_kernels_;
};

// Registers every CPU kernel the engine has. Called by Standard(); users add their own to a
// registry of their own.
Status RegisterStandardKernels(KernelRegistry& registry);

// "node 'n' (Op): no CPU kernel for int8", for binders.
Status NoKernelFor(const Binding& binding, DType dtype);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNEL_H_
