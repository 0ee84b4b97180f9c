// Functional ops that lowering has kept: each firing runs bodies as steps.        Spec:
// [functional.*]
//
// Tested by bodies_test.cc and the cases `functional` on the engine "optimized-unlowered".

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/function_body.h"
#include "graph/tag.h"
#include "optimized/function_calls.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/truth.h"

namespace tagflow::optimized {
namespace {

using Values = std::vector<Tensor>;

// The part of a node that its kernel needs while it runs.
struct Caller {
  std::string name;
  std::string_view op;  // "While" of a StatelessWhile too
  int depth = 0;
  std::vector<DType> gives;
};

Result<Caller> CallerOf(const Binding& binding, std::string_view op) {
  Caller caller{binding.node.name, op, 0, {}};
  for (size_t i = 0; i < binding.signature.outputs.size(); ++i) {
    caller.gives.push_back(binding.output_dtype(i));
  }
  if (FindAttr(binding.node, kCallDepthAttr) != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t depth, IntAttr(binding.node, kCallDepthAttr));
    caller.depth = static_cast<int>(depth);
  }
  return caller;
}

//   place: what is called, among the functions of the node: "/then"
Result<FunctionCall> CallOf(const Binding& binding, const Caller& caller, const char* attr,
                            const std::string& place) {
  const AttrValue* const value = FindAttr(binding.node, attr);
  if (value != nullptr && value->function() != nullptr) {
    return FunctionCall{*value->function(), caller.name + place, caller.depth};
  }
  return InvalidArgument(std::string("no function is named as its ") + attr);
}

std::vector<DType> DTypesOf(const Values& values) {
  std::vector<DType> dtypes;
  for (const Tensor& value : values) dtypes.push_back(value.dtype());
  return dtypes;
}

Values Inputs(KernelContext& context, int first) {
  Values values;
  for (int i = first; i < context.num_inputs(); ++i) values.push_back(context.Take(i));
  return values;
}

Result<Values> Run(const FunctionCall& call, Values args, const std::string& tag,
                   KernelContext& context) {
  FunctionCalls* const functions = context.services().functions;
  if (functions == nullptr) return Unimplemented("functions are not run here");
  return functions->Run(call, std::move(args), tag, context);
}

// The values become the outputs.                                          Spec: [functional.call]
Status Give(const Caller& caller, Values values, KernelContext& context) {
  if (DTypesOf(values) != caller.gives) {
    return InvalidArgument("the function gives other results than node '" + caller.name + "' says")
        .WithRule("functional.call");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    context.output(static_cast<int>(i)) = std::move(values[i]);
  }
  return Status();
}

// ---- Calls, If and Case ----

//   kFirst: the input that is the first argument
template <int kFirst>
Result<BoundKernel> BindCall(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Caller caller, CallerOf(binding, "call"));
  TAGFLOW_ASSIGN_OR_RETURN(FunctionCall call, CallOf(binding, caller, "f", ""));
  return BoundKernel([caller = std::move(caller), call = std::move(call)](KernelContext& context) {
    Result<Values> results = Run(call, Inputs(context, kFirst), context.tag(), context);
    return results.ok() ? Give(caller, *std::move(results), context) : results.status();
  });
}

//                                                                           Spec: [functional.if]
Result<BoundKernel> BindIf(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Caller caller, CallerOf(binding, "If"));
  TAGFLOW_ASSIGN_OR_RETURN(FunctionCall then, CallOf(binding, caller, "then_branch", "/then"));
  TAGFLOW_ASSIGN_OR_RETURN(FunctionCall other, CallOf(binding, caller, "else_branch", "/else"));
  const ScalarTruth truth = TruthOfScalars(binding.input_dtype(0));
  return BoundKernel([caller = std::move(caller), then = std::move(then), other = std::move(other),
                      truth](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const bool holds, Holds(context.input(0), truth));
    TAGFLOW_ASSIGN_OR_RETURN(Values results,
                             Run(holds ? then : other, Inputs(context, 1), context.tag(), context));
    return Give(caller, std::move(results), context);
  });
}

//                                                                         Spec: [functional.case]
Result<BoundKernel> BindCase(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Caller caller, CallerOf(binding, "Case"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList named, ListAttr(binding.node, "branches"));
  if (named.functions.empty()) return InvalidArgument("no functions are named as its branches");
  std::vector<FunctionCall> branches;
  for (const auto& function : named.functions) {
    const std::string place = "/branch" + std::to_string(branches.size());
    branches.push_back({*function, caller.name + place, caller.depth});
  }
  return BoundKernel([caller = std::move(caller),
                      branches = std::move(branches)](KernelContext& context) -> Status {
    if (context.input(0).rank() > 0) return InvalidArgument("branch_index must be a scalar");
    const auto index = static_cast<size_t>(*context.input(0).data<int32_t>());
    // A negative one is beyond all branches, too.
    const FunctionCall& branch = branches[std::min(index, branches.size() - 1)];
    TAGFLOW_ASSIGN_OR_RETURN(Values results,
                             Run(branch, Inputs(context, 1), context.tag(), context));
    return Give(caller, std::move(results), context);
  });
}

// ---- Loops ----

// The tag of an iteration of the loop that the node is.
std::string IterationTag(const Caller& caller, const std::string& outside, int64_t iteration) {
  const std::string inside = ToString(Tag{{{caller.name, iteration}}});
  return outside.empty() ? inside : outside + "/" + inside;
}

// One iteration: the variables become what the body gives.
//   first: arguments before the variables
Status Iterate(const Caller& caller, const FunctionCall& body, Values first, Values& variables,
               const std::string& tag, KernelContext& context) {
  const std::vector<DType> dtypes = DTypesOf(variables);
  std::ranges::move(variables, std::back_inserter(first));
  TAGFLOW_ASSIGN_OR_RETURN(variables, Run(body, std::move(first), tag, context));
  if (DTypesOf(variables) == dtypes) return Status();
  return InvalidArgument("function '" + body.function.name +
                         "' gives other types than the variables of the " + std::string(caller.op) +
                         " have")
      .WithRule(caller.op == "For" ? "functional.for" : "functional.while");
}

//                                                                        Spec: [functional.while]
Result<BoundKernel> BindWhile(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Caller caller, CallerOf(binding, "While"));
  TAGFLOW_ASSIGN_OR_RETURN(FunctionCall cond, CallOf(binding, caller, "cond", "/cond"));
  TAGFLOW_ASSIGN_OR_RETURN(FunctionCall body, CallOf(binding, caller, "body", "/body"));
  return BoundKernel([caller = std::move(caller), cond = std::move(cond),
                      body = std::move(body)](KernelContext& context) -> Status {
    const std::string outside = context.tag();
    Values variables = Inputs(context, 0);
    for (int64_t iteration = 0;; ++iteration) {
      const std::string tag = IterationTag(caller, outside, iteration);
      TAGFLOW_ASSIGN_OR_RETURN(const Values tested, Run(cond, variables, tag, context));
      if (tested.size() != 1) {
        return InvalidArgument("function '" + cond.function.name + "' gives " +
                               std::to_string(tested.size()) +
                               " tensors; the cond of a While gives one")
            .WithRule("functional.while");
      }
      TAGFLOW_ASSIGN_OR_RETURN(const bool goes_on,
                               Holds(tested[0], TruthOfScalars(tested[0].dtype())));
      if (!goes_on) return Give(caller, std::move(variables), context);
      TAGFLOW_RETURN_IF_ERROR(Iterate(caller, body, {}, variables, tag, context));
    }
  });
}

//   inputs 0, 1 and 2: start, limit and delta, int32 scalars              Spec: [functional.for]
Result<BoundKernel> BindFor(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Caller caller, CallerOf(binding, "For"));
  TAGFLOW_ASSIGN_OR_RETURN(FunctionCall body, CallOf(binding, caller, "body", "/body"));
  return BoundKernel(
      [caller = std::move(caller), body = std::move(body)](KernelContext& context) -> Status {
        int64_t bounds[3];
        for (int i = 0; i < 3; ++i) {
          if (context.input(i).rank() > 0) {
            return InvalidArgument("start, limit and delta must be scalars");
          }
          bounds[i] = *context.input(i).data<int32_t>();
        }
        const auto [start, limit, delta] = bounds;
        if (delta > 0 ? start > limit : delta < 0 ? start < limit : start != limit) {
          return InvalidArgument("no count from " + std::to_string(start) + " by " +
                                 std::to_string(delta) + " comes to " + std::to_string(limit))
              .WithRule("functional.for");
        }
        const std::string outside = context.tag();
        Values variables = Inputs(context, 3);
        int64_t iteration = 0;
        for (int64_t count = start; delta > 0 ? count < limit : count > limit; count += delta) {
          const std::string tag = IterationTag(caller, outside, iteration++);
          Values first = {Tensor::Scalar(static_cast<int32_t>(count))};
          TAGFLOW_RETURN_IF_ERROR(Iterate(caller, body, std::move(first), variables, tag, context));
        }
        return Give(caller, std::move(variables), context);
      });
}

}  // namespace

Status RegisterCallKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"PartitionedCall", BindCall<0>},
                                {"StatefulPartitionedCall", BindCall<0>},
                                {"RemoteCall", BindCall<1>},
                                {"If", BindIf},
                                {"StatelessIf", BindIf},
                                {"Case", BindCase},
                                {"StatelessCase", BindCase},
                                {"While", BindWhile},
                                {"StatelessWhile", BindWhile},
                                {"For", BindFor}});
}

}  // namespace tagflow::optimized
