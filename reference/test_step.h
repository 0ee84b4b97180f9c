#ifndef TAGFLOW_REFERENCE_TEST_STEP_H_
#define TAGFLOW_REFERENCE_TEST_STEP_H_

// A tiny language for tests of the interpreter: graph/test_graph.h over the standard ops, and the
// loops most tests start from.

#include <memory>
#include <string>
#include <string_view>

#include "graph/test_graph.h"
#include "reference/session.h"

namespace tagflow::reference {

inline std::unique_ptr<Session> MakeSession(std::string_view text) {
  TestGraph graph(text, OpRegistry::Standard());
  Result<std::unique_ptr<Session>> session = Session::Create(graph.Take());
  TAGFLOW_CHECK(session.ok());
  return *std::move(session);
}

// i = 0; while i < n: i = i + 1, as primitives; n is fed. `enter` holds more attrs of the Enters.
inline std::string CountingLoop(const std::string& enter = "") {
  return R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    i_enter = Enter(zero) T=int32 frame_name=loop )" +
         enter + R"(
    n_enter = Enter(n) T=int32 frame_name=loop is_constant=true )" +
         enter + R"(
    i = Merge(i_enter, i_next) T=int32
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    i_switch = Switch(i, again) T=int32
    body = Identity(i_switch:1) T=int32
    one = Const(^body) dtype=int32 value=1
    sum = AddV2(body, one) T=int32
    i_next = NextIteration(sum) T=int32
    i_exit = Exit(i_switch:0) T=int32
  )";
}

inline Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
inline Tensor Bool(bool value) { return Tensor::Scalar<bool>(value); }

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TEST_STEP_H_
