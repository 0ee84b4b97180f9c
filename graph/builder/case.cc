#include "graph/builder/case.h"

#include "graph/builder/array_ops.h"
#include "graph/builder/math_ops.h"

namespace tagflow {
namespace {

using Branches = std::vector<std::pair<Output, BranchFunction>>;

CondResult Nothing(const Scope& scope, const Status& status) {
  scope.Fail(status);
  return CondResult(OutputList({}, scope.state()), Operation(scope.state(), NodeId::kNone));
}

// What stands for the default where there is none: the last branch, after asserting that its
// predicate is true.
BranchFunction AssertedLast(const Branches& branches) {
  return [last = branches.back()](const Scope& scope) {
    const Scope after = scope.WithControlDependencies({Assert(scope, last.first, {last.first})});
    std::vector<Output> checked;
    for (const Output& output : last.second(after)) checked.push_back(Identity(after, output));
    return OutputList(std::move(checked), scope.state());
  };
}

CondResult CaseFrom(const Scope& scope, const Branches& branches, size_t i,
                    const BranchFunction& otherwise, const std::string& name) {
  const bool last = i + 1 == branches.size();
  return Cond(
      scope, branches[i].first, branches[i].second,
      [&](const Scope& inner) -> OutputList {
        return last ? otherwise(inner)
                    : OutputList(CaseFrom(inner, branches, i + 1, otherwise, name));
      },
      name);
}

// Fails the step when more than one predicate is true.
Operation AssertExclusive(const Scope& scope, const Branches& branches) {
  std::vector<Output> preds;
  for (const auto& [pred, branch] : branches) preds.push_back(pred);
  const Output all = Pack(scope, preds);
  const Output count = Sum(scope, Cast(scope, all, DType::kInt32), 0);
  return Assert(scope, LessEqual(scope, count, 1), all, static_cast<int64_t>(preds.size()));
}

// Branches [low, high) of a SwitchCase whose index is known to be among them.
CondResult OneOf(const Scope& scope, const Output& index,
                 const std::vector<BranchFunction>& branches, size_t low, size_t high,
                 const std::string& name) {
  const size_t middle = low + (high - low) / 2;
  auto part = [&](size_t from, size_t to) {
    return [&, from, to](const Scope& inner) -> OutputList {
      return to - from == 1 ? branches[from](inner)
                            : OutputList(OneOf(inner, index, branches, from, to, name));
    };
  };
  const Output in_lower = Less(scope, index, static_cast<int64_t>(middle));
  return Cond(scope, in_lower, part(low, middle), part(middle, high), name);
}

}  // namespace

CondResult Case(const Scope& scope, const Branches& branches, const BranchFunction& default_branch,
                const CaseOptions& options) {
  if (branches.empty()) {
    return Nothing(scope, InvalidArgument("'" + options.name +
                                          "' has no branch: give at least "
                                          "one"));
  }
  if (!scope.ok()) return Nothing(scope, scope.status());
  Scope inner = scope;
  if (options.exclusive) {
    inner = scope.WithControlDependencies({AssertExclusive(scope, branches)});
  }
  // Without a default the last branch is reached by the Assert alone.
  if (default_branch != nullptr) {
    return CaseFrom(inner, branches, 0, default_branch, options.name);
  }
  const Branches tested(branches.begin(), branches.end() - 1);
  const BranchFunction last = AssertedLast(branches);
  if (!tested.empty()) return CaseFrom(inner, tested, 0, last, options.name);
  const OutputList outputs = last(inner);
  std::vector<Operation> made;
  for (const Output& output : outputs) made.push_back(output);
  return CondResult(outputs, Group(inner, made));
}

CondResult SwitchCase(const Scope& scope, const Output& index,
                      const std::vector<BranchFunction>& branches,
                      const BranchFunction& default_branch, std::string_view name) {
  if (!scope.ok()) return Nothing(scope, scope.status());
  const std::string what(name);
  if (branches.empty()) {
    return Nothing(scope, InvalidArgument("'" + what + "' has no branch: give at least one"));
  }
  if (!IsInteger(index.dtype())) {
    return Nothing(scope,
                   InvalidArgument("the index of '" + what + "', '" + index.name() + "', is " +
                                   DTypeName(index.dtype()) + ": an integer scalar is needed"));
  }
  std::vector<BranchFunction> all = branches;
  if (default_branch != nullptr) all.push_back(default_branch);
  // Any index that names no branch becomes that of the last one.
  const Scope names = scope.SubScope(name);
  const Output wide = Cast(names, index, DType::kInt64);
  const Output inside = LogicalAnd(names, GreaterEqual(names, wide, 0),
                                   Less(names, wide, static_cast<int64_t>(branches.size())));
  const Output known = Select(names, inside, wide, static_cast<int64_t>(all.size() - 1));
  if (all.size() == 1) {
    return Cond(scope, Less(names, known, 1), all[0], all[0], name);
  }
  return OneOf(scope, known, all, 0, all.size(), what);
}

}  // namespace tagflow
