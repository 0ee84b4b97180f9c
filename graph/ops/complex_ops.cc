// The parts of complex numbers, and complex numbers of their parts.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// T -> Tout, the real dtype as wide as a part of T.
struct Part {
  const char* name;
  const char* input;
  const char* output;
  const char* summary;
};
constexpr Part kParts[] = {
    {"ComplexAbs", "x: T", "y: Tout", "The modulus of x."},
    {"Angle", "input: T", "output: Tout", "The angle of a complex number, from -pi to pi."},
    {"Real", "input: T", "output: Tout", "The real part."},
    {"Imag", "input: T", "output: Tout", "The imaginary part."},
};

std::vector<OpDefBuilder> WholeOps() {
  return {
      OpDefBuilder("Conj")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: {complex64, complex128, variant} = DT_COMPLEX64")
          .Summary("The complex conjugate.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Complex")
          .Input("real: T")
          .Input("imag: T")
          .Output("out: Tout")
          .Attr("T: {float, double} = DT_FLOAT")
          .Attr("Tout: {complex64, complex128} = DT_COMPLEX64")
          .Summary("The complex numbers of two parts, by broadcasting.")
          .Shape(shapes::Broadcast),
  };
}

}  // namespace

Status RegisterComplexOps(OpRegistry& registry) {
  for (const Part& op : kParts) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(OpDefBuilder(op.name)
                                                  .Input(op.input)
                                                  .Output(op.output)
                                                  .Attr("T: {complex64, complex128} = DT_COMPLEX64")
                                                  .Attr("Tout: {float, double} = DT_FLOAT")
                                                  .Summary(op.summary)
                                                  .Shape(shapes::Unchanged)));
  }
  return RegisterAll(registry, WholeOps());
}

}  // namespace tagflow
