// What Gradients costs of graphs that grow in one direction: bytes allocated, over the nodes that
// go in and come out, while the graph doubles four times.
//
// Tests: transform/gradients, transform/deadness

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "graph/builder/builder.h"
#include "graph/test_graph.h"
#include "transform/gradients/gradients.h"

namespace {

uint64_t bytes_allocated = 0;  // NOLINT: of the whole process

}  // namespace

void* operator new(size_t size) {
  bytes_allocated += size;
  if (void* place = std::malloc(size)) return place;
  std::abort();
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, size_t /*size*/) noexcept { std::free(place); }

namespace tagflow {
namespace {

// "name = op(inputs) attrs", with # for the number in each.
class Text {
 public:
  Text& Line(std::string line, int number = 0) {
    for (const auto& [mark, value] :
         {std::pair('#', number), std::pair('<', number - 1), std::pair('>', number + 1)}) {
      for (size_t at = line.find(mark); at != std::string::npos; at = line.find(mark)) {
        line.replace(at, 1, std::to_string(value));
      }
    }
    text_ += line + "\n";
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "x = Placeholder() dtype=float\nlimit = Placeholder() dtype=float\n";
};

// Branches in branches: what is not in the next one is at `taken`.
std::string Branches(int size, const char* taken, const char* other) {
  Text text;
  text.Line("s0 = Identity(x)").Line("i0 = Identity(x)");
  for (int i = 1; i <= size; ++i) {
    text.Line("p# = Placeholder() dtype=bool", i).Line("s# = Switch(i<, p#)", i);
    text.Line(std::string("i# = Identity(s#:") + other + ")", i);
    text.Line(std::string("t# = Mul(s#:") + taken + ", s#:" + taken + ")", i);
  }
  text.Line("m> = Neg(i#)", size);
  for (int i = size; i > 0; --i) text.Line("m# = Merge(m>, t#)", i);
  return text.Line("y = Identity(m1)").text();
}

// The head of loop # whose variable begins with `begin` and is bounded by the tensor l<.
void BeginLoop(Text& text, int i, const std::string& begin) {
  text.Line("e# = Enter(" + begin + ") frame_name=f#", i);
  text.Line("l# = Enter(l<) frame_name=f# is_constant=true", i);
  text.Line("v# = Merge(e#, n#)", i)
      .Line("less# = Less(v#, l#)", i)
      .Line("go# = LoopCond(less#)", i);
  text.Line("s# = Switch(v#, go#)", i).Line("b# = Identity(s#:1)", i).Line("o# = Exit(s#:0)", i);
}

std::string LoopsInLoops(int size) {
  Text text;
  text.Line("l0 = Identity(limit)").Line("b0 = Identity(x)");
  for (int i = 1; i <= size; ++i) BeginLoop(text, i, "b<");
  text.Line("o> = Mul(b#, b#)", size);
  for (int i = size; i > 0; --i) text.Line("n# = NextIteration(o>)", i);
  return text.Line("y = Identity(o1)").text();
}

// A loop after, or beside, the other.
std::string Loops(int size, bool in_a_chain) {
  Text text;
  text.Line("o0 = Identity(x)").Line("y0 = Identity(x)");
  for (int i = 1; i <= size; ++i) {
    text.Line("e# = Enter(" + std::string(in_a_chain ? "o<" : "x") + ") frame_name=f#", i);
    text.Line("l# = Enter(limit) frame_name=f# is_constant=true", i);
    text.Line("v# = Merge(e#, n#)", i).Line("less# = Less(v#, l#)", i);
    text.Line("go# = LoopCond(less#)", i).Line("s# = Switch(v#, go#)", i);
    text.Line("b# = Identity(s#:1)", i).Line("o# = Exit(s#:0)", i);
    text.Line("m# = Mul(b#, b#)", i).Line("n# = NextIteration(m#)", i).Line("y# = Add(y<, o#)", i);
  }
  return text.Line("y = Identity(y#)", size).text();
}

// One loop of `size` variables, captured tensors, or values that are saved.
std::string OneLoop(int size, const char* line, bool has_variables = false) {
  Text text;
  text.Line("l0 = Identity(limit)");
  BeginLoop(text, 1, "x");
  text.Line("w0 = Identity(b1)");
  for (int i = 1; i <= size; ++i) {
    if (has_variables) {
      text.Line("ve# = Enter(x) frame_name=f1", i).Line("vv# = Merge(ve#, vn#)", i);
      text.Line("vs# = Switch(vv#, go1)", i).Line("vb# = Identity(vs#:1)", i);
      text.Line("vm# = Mul(vb#, vb#)", i).Line("vn# = NextIteration(vm#)", i);
    } else {
      text.Line("c# = Enter(x) frame_name=f1 is_constant=true", i);
    }
    text.Line(line, i);
  }
  return text.Line("n1 = NextIteration(w#)", size).Line("y = Identity(o1)").text();
}

std::string Conds(int size) {
  Text text;
  text.Line("m0 = Identity(x)");
  for (int i = 1; i <= size; ++i) {
    text.Line("p# = Placeholder() dtype=bool", i).Line("s# = Switch(m<, p#)", i);
    text.Line("t# = Mul(s#:1, s#:1)", i).Line("m# = Merge(s#:0, t#)", i);
  }
  return text.Line("y = Identity(m#)", size).text();
}

std::string Case(int size) {
  Text text;
  text.Line("which = Placeholder() dtype=int32");
  text.Line("s = _SwitchN(x, which) num_outs=#", size);
  std::string ways;
  for (int i = 0; i < size; ++i) {
    text.Line("t# = Mul(s:#, s:#)", i);
    ways += (i == 0 ? "t" : ", t") + std::to_string(i);
  }
  return text.Line("y = Merge(" + ways + ")").text();
}

std::string Chain(int size) {
  Text text;
  text.Line("w0 = Identity(x)");
  for (int i = 1; i <= size; ++i) text.Line("w# = Mul(w<, x)", i);
  return text.Line("y = Identity(w#)", size).text();
}

struct Family {
  std::string name;
  int first;  // the smallest size
  std::function<std::string(int)> make;
};

std::vector<Family> Families() {
  return {
      {"branches in else", 64, [](int n) { return Branches(n, "1", "0"); }},
      {"branches in then", 64, [](int n) { return Branches(n, "0", "1"); }},
      {"loops in loops", 8, LoopsInLoops},
      {"loops in a chain", 32, [](int n) { return Loops(n, true); }},
      {"parallel loops", 32, [](int n) { return Loops(n, false); }},
      {"loop variables", 64, [](int n) { return OneLoop(n, "w# = Mul(w<, vb#)", true); }},
      {"captures", 64, [](int n) { return OneLoop(n, "w# = Add(w<, c#)"); }},
      {"histories", 64, [](int n) { return OneLoop(n, "w# = Mul(w<, c#)"); }},
      {"conds in a chain", 64, Conds},
      {"a case of n", 64, Case},
      {"a chain", 256, Chain},
  };
}

struct Cost {
  double nodes = 0;  // in and out
  double bytes = 0;
};

Cost CostOf(const Family& family, int size) {
  TestGraph graph(family.make(size), OpRegistry::Standard());
  const Result<Scope> scope = Scope::Open(graph.Take());
  EXPECT_TRUE(scope.ok()) << scope.status().ToString();
  if (!scope.ok()) return {};
  const Output y = *scope->Find("y"), x = *scope->Find("x");
  const auto before = static_cast<double>(scope->graph().num_nodes());
  const uint64_t begin = bytes_allocated;
  const Result<OutputList> gradients = Gradients(*scope, {y}, {x});
  EXPECT_TRUE(gradients.ok()) << family.name << ": " << gradients.status().ToString();
  EXPECT_TRUE(gradients.ok() && (*gradients)[0].valid()) << family.name;
  return {before + static_cast<double>(scope->graph().num_nodes()),
          static_cast<double>(bytes_allocated - begin)};
}

// The cost of n log n of one node and of another: none doubles with the nodes.
TEST(Growth, IsThatOfWhatGoesInAndComesOut) {
  for (const Family& family : Families()) {
    const Cost small = CostOf(family, family.first);
    const Cost large = CostOf(family, 16 * family.first);
    const double exponent =
        std::log(large.bytes / small.bytes) / std::log(large.nodes / small.nodes);
    std::printf("%-18s %7d: nodes %8.0f -> %8.0f, bytes %11.0f -> %12.0f, exponent %.2f\n",
                family.name.c_str(), family.first, small.nodes, large.nodes, small.bytes,
                large.bytes, exponent);
    EXPECT_LE(exponent, 1.15) << family.name;
  }
}

}  // namespace
}  // namespace tagflow
