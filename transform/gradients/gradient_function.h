#ifndef TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_FUNCTION_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_FUNCTION_H_

// What the gradient of an op is: a function that, given the gradients of a node's outputs, makes
// the nodes that compute the gradients of its inputs. It says nothing of loops, branches or
// histories: a forward value that it asks for is there in the iteration where it is needed.
//
//   Status MulGradient(NodeGradient& node) {
//     const Scope& scope = node.scope();
//     node.GiveReduced(0, Mul(scope, node.grad(0), node.input(1)));
//     node.GiveReduced(1, Mul(scope, node.grad(0), node.input(0)));
//     return Status();
//   }
//
// A gradient for complex numbers is the conjugate of the derivative, as in TensorFlow, so that a
// step against it goes downhill.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/builder/input.h"
#include "graph/builder/output.h"
#include "graph/builder/scope.h"
#include "graph/graph.h"
#include "graph/partial_shape.h"
#include "graph/status.h"

namespace tagflow {

// Adds to a gradient in place of handing over a whole one: given what has been summed so far, with
// the shape of the input, it gives that plus its own part. For what touches a few rows of many.
using GradientUpdate = std::function<Output(const Scope& scope, const Output& sum)>;

// One node to be differentiated. What is asked for is made or saved when it is asked for, so ask
// for no value that is not needed, and for a shape where a shape will do.
class NodeGradient {
 public:
  virtual ~NodeGradient() = default;

  virtual const Node& node() const = 0;
  // Where the nodes of the gradient go; its first error ends the call.
  virtual const Scope& scope() const = 0;

  // The forward values, as the gradient may use them.
  virtual Output input(size_t slot) = 0;
  virtual Output output(size_t port) = 0;
  // Their shapes as an int32 vector: a constant where it is known, else only the shape is kept.
  virtual Output shape_of_input(size_t slot) = 0;
  virtual Output shape_of_output(size_t port) = 0;
  // What is known of them before anything runs. The shapes and dtype of a variable's handle are the
  // variable's, where the gradient by it is asked for.
  virtual PartialShape input_shape(size_t slot) const = 0;
  virtual PartialShape output_shape(size_t port) const = 0;
  virtual DType input_dtype(size_t slot) const = 0;
  virtual DType output_dtype(size_t port) const = 0;
  // The value of an input that is a constant of the graph, else null.
  virtual const Tensor* constant_input(size_t slot) const = 0;

  // Whether anything depends on this output: where nothing does, grad(port) is zeros.
  virtual bool has_grad(size_t port) const = 0;
  virtual Output grad(size_t port) = 0;
  // Whether the gradient of this input leads anywhere. Giving one that does not is harmless.
  virtual bool wants(size_t slot) const = 0;

  // Adds to the gradient of an input; its shape must be the input's.
  virtual void Give(size_t slot, const Output& gradient) = 0;
  virtual void GiveUpdate(size_t slot, GradientUpdate update) = 0;

  size_t num_inputs() const { return node().inputs.size(); }
  // The gradient of an operand that was broadcast to `gradient`'s shape: summed over what it was
  // repeated along. Nothing is done that the shapes show to be needless.
  void GiveReduced(size_t slot, const Output& gradient);
};

using GradientFunction = std::function<Status(NodeGradient&)>;

// From op to gradient function. Built by explicit calls, then read-only and shared between threads.
class GradientRegistry {
 public:
  // Errors: ALREADY_EXISTS
  Status Register(std::string_view op, GradientFunction function);
  // The op's outputs are constant wherever they have a derivative (Floor, Shape, comparisons), or
  // it is there to stop gradients: what is behind it gets none.
  Status RegisterStop(std::string_view op) { return Register(op, nullptr); }
  // Null: nobody said what its gradient is. An empty function: it stops gradients.
  const GradientFunction* Find(std::string_view op) const;

  // Every differentiable op of docs/ops.md, made on first use.
  static const GradientRegistry& Standard();

 private:
  std::unordered_map<std::string, GradientFunction> functions_;
};

// Registers the gradients of Tagflow's own ops.
Status RegisterStandardGradients(GradientRegistry& registry);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_FUNCTION_H_
