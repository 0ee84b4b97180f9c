#ifndef TAGFLOW_OPTIMIZED_RANDOM_LOOPS_H_
#define TAGFLOW_OPTIMIZED_RANDOM_LOOPS_H_

// For tests: loops drawn from a seed, as the text of a graph (graph/test_graph.h). Each counts i
// from 0 to the fed n and changes some variables on the way, scalars, vectors and matrices, through
// arithmetic, conds and inner loops; with a large n it runs for ever.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/tensor.h"

namespace tagflow::optimized {

struct RandomLoop {
  std::string text;
  std::vector<std::pair<std::string, Tensor>> feeds;  // but for n, an int32
  std::vector<std::string> fetches;
};

class RandomLoopMaker {
 public:
  explicit RandomLoopMaker(uint32_t seed) : random_(seed) {}

  RandomLoop Make() {
    loop_ = RandomLoop();
    const std::string iterations = std::to_string(Pick({1, 2, 10, 32}));
    outer_ = " frame_name=outer parallel_iterations=" + iterations;
    loop_.text = R"(
      n = Placeholder() dtype=int32
      zero = Const() dtype=int32 value=0
      five = Const() dtype=int32 value=5
      two = Const() dtype=int32 value=2
      i_in = Enter(zero) T=int32)" +
                 outer_ + R"(
      n_in = Enter(n) T=int32 is_constant=true)" +
                 outer_ + R"(
      two_in = Enter(two) T=int32 is_constant=true)" +
                 outer_ + R"(
      zero_in = Enter(zero) T=int32 is_constant=true)" +
                 outer_ + R"(
      five_in = Enter(five) T=int32 is_constant=true)" +
                 outer_ + R"(
      i = Merge(i_in, i_next) T=int32
      less = Less(i, n_in) T=int32
      again = LoopCond(less)
      i_way = Switch(i, again) T=int32
      one = Const(^i_way) dtype=int32 value=1
      i_sum = AddV2(i_way:1, one) T=int32
      i_next = NextIteration(i_sum) T=int32
      i_exit = Exit(i_way:0) T=int32
      rest = FloorMod(i_way:1, two_in) T=int32
      even = Equal(rest, zero_in) T=int32
    )";
    loop_.fetches = {"i_exit"};
    const int variables = Pick({1, 2, 3});
    for (int k = 0; k < variables; ++k) AddVariable("v" + std::to_string(k));
    return loop_;
  }

 private:
  template <typename T>
  T Pick(std::initializer_list<T> among) {
    return among.begin()[random_() % among.size()];
  }
  void Line(const std::string& name, const std::string& rest) {
    loop_.text += "      " + name + " = " + rest + "\n";
  }
  // A node on floats; its name.
  std::string Add(const std::string& op, const std::string& inputs) {
    const std::string name = "op" + std::to_string(count_++);
    Line(name, op + "(" + inputs + ") T=float");
    return name;
  }
  static Tensor Values(const Dims& dims, float by) {
    Tensor tensor = *Tensor::Allocate(DType::kFloat, dims);
    float value = 0;
    for (float& element : tensor.mutable_flat<float>()) element = value += by;
    return tensor;
  }

  void AddVariable(const std::string& v) {
    const Dims dims = Pick<Dims>({Dims{}, Dims{}, Dims{3}, Dims{1000}, Dims{24, 24}});
    for (const char* part : {"_start", "_by"}) {
      Line(v + part, "Placeholder() dtype=float");
      loop_.feeds.emplace_back(v + part, Values(dims, part[1] == 's' ? 0.5f : 0.001f));
    }
    Line(v + "_in", "Enter(" + v + "_start) T=float" + outer_);
    Line(v + "_c", "Enter(" + v + "_by) T=float is_constant=true" + outer_);
    Line(v, "Merge(" + v + "_in, " + v + "_next) T=float");
    Line(v + "_way", "Switch(" + v + ", again) T=float");
    std::string value = v + "_way:1";
    const int ops = Pick({1, 2, 4});
    for (int i = 0; i < ops; ++i) value = Change(value, v + "_c");
    Line(v + "_next", "NextIteration(" + value + ") T=float");
    Line(v + "_exit", "Exit(" + v + "_way:0) T=float");
    loop_.fetches.push_back(v + "_exit");
  }

  std::string Change(const std::string& x, const std::string& c) {
    switch (Pick({0, 1, 2, 3, 4})) {
      case 0:
        return Add("AddV2", x + ", " + c);
      case 1:
        return Add("Tanh", Add("Mul", x + ", " + c));
      case 2:
        return Add("Sub", x + ", " + c);
      case 3: {
        const std::string way = Add("Switch", x + ", even");
        const std::string yes = Add("AddV2", way + ":1, " + c);
        return Add("Merge", yes + ", " + Add("Neg", way + ":0"));
      }
      default:
        return InnerLoop(x, c);
    }
  }

  // Five times more c.
  std::string InnerLoop(const std::string& x, const std::string& c) {
    const std::string f = "loop" + std::to_string(count_++);
    const std::string frame = " frame_name=" + f;
    Line(f + "_jin", "Enter(zero_in) T=int32" + frame);
    Line(f + "_xin", "Enter(" + x + ") T=float" + frame);
    Line(f + "_five", "Enter(five_in) T=int32 is_constant=true" + frame);
    Line(f + "_c", "Enter(" + c + ") T=float is_constant=true" + frame);
    Line(f + "_j", "Merge(" + f + "_jin, " + f + "_jnext) T=int32");
    Line(f + "_x", "Merge(" + f + "_xin, " + f + "_xnext) T=float");
    Line(f + "_less", "Less(" + f + "_j, " + f + "_five) T=int32");
    Line(f + "_again", "LoopCond(" + f + "_less)");
    Line(f + "_jway", "Switch(" + f + "_j, " + f + "_again) T=int32");
    Line(f + "_xway", "Switch(" + f + "_x, " + f + "_again) T=float");
    Line(f + "_one", "Const(^" + f + "_jway) dtype=int32 value=1");
    Line(f + "_jsum", "AddV2(" + f + "_jway:1, " + f + "_one) T=int32");
    Line(f + "_xsum", "AddV2(" + f + "_xway:1, " + f + "_c) T=float");
    Line(f + "_jnext", "NextIteration(" + f + "_jsum) T=int32");
    Line(f + "_xnext", "NextIteration(" + f + "_xsum) T=float");
    Line(f + "_exit", "Exit(" + f + "_xway:0) T=float");
    return f + "_exit";
  }

  std::mt19937 random_;
  RandomLoop loop_;
  std::string outer_;  // attrs of the Enters
  int count_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_RANDOM_LOOPS_H_
