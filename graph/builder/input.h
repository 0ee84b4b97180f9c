#ifndef TAGFLOW_GRAPH_BUILDER_INPUT_H_
#define TAGFLOW_GRAPH_BUILDER_INPUT_H_

// What may stand for an argument of an op: a tensor of the graph, a list of them, or a constant
// written in place.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/builder/output.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// A number written in place. Beside tensors of the same type attr it becomes their type (x + 1);
// alone it has the type it has in C++.
class Literal {
 public:
  Literal(bool value) : value_(Tensor::Scalar(value)) {}     // NOLINT
  Literal(int value) : value_(Tensor::Scalar(value)) {}      // NOLINT
  Literal(int64_t value) : value_(Tensor::Scalar(value)) {}  // NOLINT
  Literal(float value) : value_(Tensor::Scalar(value)) {}    // NOLINT
  Literal(double value) : value_(Tensor::Scalar(value)) {}   // NOLINT

  const Tensor& value() const { return value_; }
  // The number as a scalar of `dtype`; INVALID_ARGUMENT when it has no such value (1.5 as an
  // int32, 300 as an int8, 1 as a bool).
  Result<Tensor> As(DType dtype) const;

 private:
  Tensor value_;
};

class Input {
 public:
  using Value = std::variant<std::monostate, Output, OutputList, Tensor, Literal>;

  Input() = default;                                                        // nothing
  Input(const Output& output) : value_(output) {}                           // NOLINT
  Input(const Operation& op) : value_(op.output(0)) {}                      // NOLINT
  Input(OutputList list) : value_(std::move(list)) {}                       // NOLINT
  Input(std::vector<Output> list) : value_(OutputList(std::move(list))) {}  // NOLINT
  Input(std::initializer_list<Output> list) : value_(OutputList(list)) {}   // NOLINT
  Input(Tensor constant) : value_(std::move(constant)) {}                   // NOLINT
  Input(const Literal& literal) : value_(literal) {}                        // NOLINT
  Input(bool value) : value_(Literal(value)) {}                             // NOLINT
  Input(int value) : value_(Literal(value)) {}                              // NOLINT
  Input(int64_t value) : value_(Literal(value)) {}                          // NOLINT
  Input(float value) : value_(Literal(value)) {}                            // NOLINT
  Input(double value) : value_(Literal(value)) {}                           // NOLINT
  Input(const char* text) : value_(Tensor::Scalar(std::string(text))) {}    // NOLINT
  Input(std::string text) : value_(Tensor::Scalar(std::move(text))) {}      // NOLINT

  bool empty() const { return value_.index() == 0; }
  const Output* output() const { return std::get_if<Output>(&value_); }
  const OutputList* list() const { return std::get_if<OutputList>(&value_); }
  const Tensor* tensor() const { return std::get_if<Tensor>(&value_); }
  const Literal* literal() const { return std::get_if<Literal>(&value_); }

 private:
  Value value_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_INPUT_H_
