#include "tools/growth/families.h"

#include <algorithm>
#include <functional>

#include "graph/builder/builder.h"

namespace tagflow::growth {
namespace {

// A graph with the placeholder x, fed with a double; y is fetched and differentiated.
class Maker {
 public:
  explicit Maker(double x) : x_(x) {
    input = Placeholder(scope.WithOpName("x"), DType::kDouble, PartialShape(Dims{}));
  }

  Result<Member> Finish(const Output& y) {
    const Output result = Identity(scope.WithOpName("y"), y);
    TAGFLOW_ASSIGN_OR_RETURN(Graph graph, scope.Finish());
    return Member{std::move(graph), {{"x", Tensor::Scalar(x_)}}, {result.name()}, "y", "x"};
  }

  Scope scope = Scope::Root();
  Output input;

 private:
  const double x_;
};

// A tensor made from one tensor.
using Step = std::function<Output(const Scope&, const Output&)>;

// Goes round `trips` times.
Output Loop(const Scope& scope, const Output& x, int trips, const Step& body) {
  return WhileLoop(
      scope, {Const(scope, int32_t{0}), x},
      [trips](const Scope& s, const OutputList& v) { return Less(s, v[0], trips); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {Add(s, v[0], 1), body(s, v[1])};
      })[1];
}

// n conds, each in the else branch of the one before: no predicate is true.
Output ElseIn(const Scope& scope, const Output& x, int n) {
  if (n == 0) return Neg(scope, x);
  return Cond(
      scope, Greater(scope, x, static_cast<double>(n)),
      [&](const Scope& s) { return Mul(s, x, static_cast<double>(n)); },
      [&](const Scope& s) { return ElseIn(s, Identity(s, x), n - 1); });
}
Result<Member> MakeElse(int n) {
  Maker maker(0.5);
  return maker.Finish(ElseIn(maker.scope, maker.input, n));
}

// n conds, each in the then branch of the one before: every predicate is true.
Output ThenIn(const Scope& scope, const Output& x, int n) {
  if (n == 0) return Neg(scope, x);
  return Cond(
      scope, Less(scope, x, static_cast<double>(n)),
      [&](const Scope& s) { return ThenIn(s, Identity(s, x), n - 1); },
      [&](const Scope& s) { return Mul(s, x, static_cast<double>(n)); });
}
Result<Member> MakeThen(int n) {
  Maker maker(0.5);
  return maker.Finish(ThenIn(maker.scope, maker.input, n));
}

Output LoopIn(const Scope& scope, const Output& x, int n) {
  return Loop(scope, x, 1, [&](const Scope& s, const Output& v) {
    return n == 1 ? Mul(s, v, 1.5) : LoopIn(s, v, n - 1);
  });
}
Result<Member> MakeLoops(int n) {
  Maker maker(0.5);
  return maker.Finish(LoopIn(maker.scope, maker.input, n));
}

Result<Member> MakeLoopsInARow(int n) {
  Maker maker(0.5);
  Output x = maker.input;
  for (int i = 0; i < n; ++i) {
    x = Loop(maker.scope, x, 2, [](const Scope& s, const Output& v) { return Mul(s, v, 1.01); });
  }
  return maker.Finish(x);
}

Result<Member> MakeCondsInARow(int n) {
  Maker maker(0.5);
  Output x = maker.input;
  for (int i = 0; i < n; ++i) {
    x = Cond(
        maker.scope, Less(maker.scope, x, 1.0), [&](const Scope& s) { return Mul(s, x, 1.01); },
        [&](const Scope& s) { return Neg(s, x); });
  }
  return maker.Finish(x);
}

Result<Member> MakeVariables(int n) {
  Maker maker(0.5);
  const OutputList start(std::vector<Output>(static_cast<size_t>(n), maker.input));
  const OutputList end = WhileLoop(
      maker.scope, start, [](const Scope& s, const OutputList& v) { return Less(s, v[0], 1.0); },
      [](const Scope& s, const OutputList& v) {
        OutputList next;
        for (const Output& variable : v) next.push_back(Mul(s, variable, 1.5));
        return next;
      });
  return maker.Finish(AddN(maker.scope, end));
}

// One loop that reads n tensors from outside.
Result<Member> MakeCaptures(int n) {
  Maker maker(0.5);
  OutputList outside;
  for (int i = 0; i < n; ++i) outside.push_back(Mul(maker.scope, maker.input, i + 1.0));
  return maker.Finish(Loop(maker.scope, maker.input, 2, [&](const Scope& s, const Output& v) {
    OutputList terms = v;
    for (const Output& captured : outside) terms.push_back(Mul(s, captured, v));
    return AddN(s, terms);
  }));
}

// One _SwitchN with n ways, and the Merge of them.
Result<Member> MakeMerge(int n) {
  Maker maker(0.5);
  const Scope& s = maker.scope;
  const Output way = Cast(s, maker.input, DType::kInt32);
  const Operation chosen = Op(s, "_SwitchN", {maker.input, way}, {{"num_outs", n}});
  OutputList ways;
  for (int i = 0; i < n; ++i) ways.push_back(Mul(s, chosen.output(i), i + 1.0));
  return maker.Finish(Op(s, "Merge", {ways}));
}

Result<Member> MakeCase(int n) {
  Maker maker(0.5);
  std::vector<std::pair<Output, BranchFunction>> branches;
  for (int i = 0; i < n; ++i) {
    branches.emplace_back(Greater(maker.scope, maker.input, i + 1.0),
                          [&maker, i](const Scope& s) { return Mul(s, maker.input, i + 2.0); });
  }
  return maker.Finish(
      Case(maker.scope, branches, [&](const Scope& s) { return Neg(s, maker.input); }));
}

Result<Member> MakeSwitchCase(int n) {
  Maker maker(0.5);
  std::vector<BranchFunction> branches;
  for (int i = 0; i < n; ++i) {
    branches.emplace_back([&maker, i](const Scope& s) { return Mul(s, maker.input, i + 2.0); });
  }
  return maker.Finish(
      SwitchCase(maker.scope, Cast(maker.scope, maker.input, DType::kInt32), branches));
}

// n nodes before one that waits for all, and n that wait for it.
Result<Member> MakeControls(int n) {
  Maker maker(0.5);
  std::vector<Operation> before;
  for (int i = 0; i < n; ++i) before.emplace_back(Mul(maker.scope, maker.input, i + 1.0));
  const Scope after_all = maker.scope.WithControlDependencies(before);
  const Operation barrier = Op(after_all, "NoOp");
  OutputList after;
  for (int i = 0; i < n; ++i) {
    after.push_back(Mul(maker.scope.WithControlDependencies({barrier}), maker.input, i + 1.0));
  }
  return maker.Finish(AddN(maker.scope, after));
}

Result<Member> MakeChains(int n) {
  Maker maker(0.5);
  const Scope& s = maker.scope;
  OutputList ends;
  for (int i = 0; i < n; ++i) {
    ends.push_back(Tanh(s, Add(s, Mul(s, maker.input, i + 1.0), 1.0)));
  }
  return maker.Finish(AddN(s, ends));
}

Result<Member> MakeSequence(int n) {
  Maker maker(0.5);
  Output x = maker.input;
  for (int i = 0; i < n; ++i) x = Mul(maker.scope, x, 1.01);
  return maker.Finish(x);
}

// One loop whose gradient keeps n histories.
Result<Member> MakeHistories(int n) {
  Maker maker(0.5);
  return maker.Finish(Loop(maker.scope, maker.input, 3, [n](const Scope& s, const Output& v) {
    Output x = v;
    for (int i = 0; i < n; ++i) x = Mul(s, x, Mul(s, x, 0.5));
    return x;
  }));
}

}  // namespace

const std::vector<Family>& Families() {
  static const std::vector<Family> families = {
      {"else", "conds, each in the else branch of the one before", 16, MakeElse},
      {"then", "conds, each in the then branch of the one before", 16, MakeThen},
      {"loops", "loops, each in the one before", 4, MakeLoops},
      {"loops_in_a_row", "loops, one after the other", 16, MakeLoopsInARow},
      {"conds_in_a_row", "conds, one after the other", 16, MakeCondsInARow},
      {"variables", "variables of one loop", 32, MakeVariables},
      {"captures", "tensors that one loop captures", 32, MakeCaptures},
      {"merge", "inputs of one Merge", 32, MakeMerge},
      {"case", "branches of a Case", 16, MakeCase},
      {"switch_case", "branches of a SwitchCase", 16, MakeSwitchCase},
      {"controls", "control edges into and out of one node", 64, MakeControls},
      {"chains", "chains beside each other", 32, MakeChains},
      {"sequence", "ops, one after the other", 64, MakeSequence},
      {"histories", "histories of one loop's gradient", 16, MakeHistories},
  };
  return families;
}

const Family* FindFamily(std::string_view name) {
  const auto found = std::ranges::find(Families(), name, &Family::name);
  return found == Families().end() ? nullptr : &*found;
}

}  // namespace tagflow::growth
