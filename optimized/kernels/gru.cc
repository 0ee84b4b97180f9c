// One step of gated recurrent units, and its gradient: products, with loops over all cells between
// them that are vectorized.
//
// Tested by conformance/ops/recurrent.ops.

#include <algorithm>
#include <string>

#include "optimized/formulas/functions.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/product.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/require_dims.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {
namespace {

enum Slot { kX, kHPrev, kWRu, kWC, kBRu, kBC, kR, kU, kC, kDH };
constexpr const char* kNames[] = {"x",   "h_prev", "w_ru", "w_c", "b_ru",
                                  "b_c", "r",      "u",    "c",   "d_h"};

struct Sizes {
  int64_t batch, inputs, cells;

  int64_t states() const { return batch * cells; }
};

SmallDims DimsOf(int64_t first, int64_t second) {
  SmallDims dims(1, first);
  dims.push_back(second);
  return dims;
}

//   Errors: INVALID_ARGUMENT where inputs do not fit one another
Result<Sizes> SizesOf(const KernelContext& context) {
  for (const int slot : {kX, kHPrev, kWRu, kWC}) {
    if (context.input(slot).rank() == 2) continue;
    return InvalidArgument(std::string(kNames[slot]) + " must be a matrix");
  }
  const Tensor& w_ru = context.input(kWRu);
  const Tensor& w_c = context.input(kWC);
  const Sizes sizes = {context.input(kX).dim(0), context.input(kX).dim(1),
                       context.input(kHPrev).dim(1)};
  if (w_c.dim(1) != sizes.cells || w_c.dim(0) - sizes.cells != sizes.inputs) {
    return InvalidArgument(
        "w_c must have a row for each input and each cell, and a column for each cell");
  }
  if (w_ru.dim(1) - sizes.cells != sizes.cells || w_ru.dim(0) != w_c.dim(0)) {
    return InvalidArgument(
        "w_ru must have a row for each input and each cell, and two columns for each cell");
  }
  const auto require = [&](int slot, DimsView dims) {
    return RequireDims(context.input(slot), dims, kNames[slot]);
  };
  TAGFLOW_RETURN_IF_ERROR(require(kHPrev, DimsOf(sizes.batch, sizes.cells)));
  TAGFLOW_RETURN_IF_ERROR(require(kBRu, SmallDims(1, w_ru.dim(1))));
  TAGFLOW_RETURN_IF_ERROR(require(kBC, SmallDims(1, sizes.cells)));
  for (int slot = kR; slot < context.num_inputs(); ++slot) {
    TAGFLOW_RETURN_IF_ERROR(require(slot, DimsOf(sizes.batch, sizes.cells)));
  }
  return sizes;
}

const float* Floats(const KernelContext& context, int slot) {
  return context.input(slot).data<float>();
}
//   Errors: RESOURCE_EXHAUSTED
Result<float*> Output(KernelContext& context, int port, int64_t rows, int64_t columns) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(port, DType::kFloat, DimsOf(rows, columns)));
  return out->mutable_data<float>();
}
Result<Tensor> Room(int64_t rows, int64_t columns) {
  return Tensor::AllocateUninitialized(DType::kFloat, DimsOf(rows, columns));
}

Factor Matrix(const float* data, int64_t rows, int64_t columns, bool is_transposed = false) {
  return {data, DType::kFloat, rows, columns, is_transposed};
}

// ---- Loops ----

template <typename F>
TAGFLOW_WIDE_CLONES void Apply(float* values, int64_t count) {
  MapAlong<F, float>({values, values, count}, 0);
}

TAGFLOW_CLONES void AddThree(const float* a, const float* b, const float* c, int64_t count,
                             float* out) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) out[k] = a[k] + b[k] + c[k];
}
TAGFLOW_CLONES void AddTo(const float* values, int64_t count, float* sums) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) sums[k] += values[k];
}
TAGFLOW_CLONES void MultiplyInto(const float* a, const float* b, int64_t count, float* out) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) out[k] = a[k] * b[k];
}
TAGFLOW_CLONES void Mix(const float* u, const float* before, const float* c, int64_t count,
                        float* h) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) h[k] = u[k] * before[k] + (1 - u[k]) * c[k];
}
// Of a row: what goes back to c, and to u.
TAGFLOW_CLONES void Unmix(const float* u, const float* before, const float* c, const float* d_h,
                          int64_t count, float* d_c, float* d_u) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) {
    d_c[k] = d_h[k] * (1 - u[k]) * (1 - c[k] * c[k]);
    d_u[k] = d_h[k] * (before[k] - c[k]) * (u[k] * (1 - u[k]));
  }
}
// Of a row: what goes back to r, and to h_prev but by the gates.
TAGFLOW_CLONES void Forget(const float* r, const float* u, const float* before,
                           const float* d_remembered, const float* d_h, int64_t count, float* d_r,
                           float* d_before) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) {
    d_r[k] = d_remembered[k] * before[k] * (r[k] * (1 - r[k]));
    d_before[k] = d_remembered[k] * r[k] + d_h[k] * u[k];
  }
}

// ---- Forward ----

// [x, h] w, as the sum of two products: `sum` is the one of x, and `more` that of h.
//   Errors: RESOURCE_EXHAUSTED
Status MultiplyParts(const KernelContext& context, const Sizes& sizes, const float* x,
                     const float* h, const float* w, int64_t columns, float* sum, float* more) {
  TAGFLOW_RETURN_IF_ERROR(Multiply(DType::kFloat, Matrix(x, sizes.batch, sizes.inputs),
                                   Matrix(w, sizes.inputs, columns), sum, context));
  return Multiply(DType::kFloat, Matrix(h, sizes.batch, sizes.cells),
                  Matrix(w + sizes.inputs * columns, sizes.cells, columns), more, context);
}

//   x: float [batch, inputs]; h_prev: [batch, cells]; w_ru: [inputs + cells, 2 cells]; w_c:
//   [inputs + cells, cells]; b_ru: [2 cells]; b_c: [cells]
//   r, u, c, h: [batch, cells]
//   Errors: INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
Status GruForward(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Sizes sizes, SizesOf(context));
  const int64_t cells = sizes.cells, states = sizes.states();
  float* out[4];
  for (int port = 0; port < 4; ++port) {
    TAGFLOW_ASSIGN_OR_RETURN(out[port], Output(context, port, sizes.batch, cells));
  }
  if (states == 0) return Status();
  const auto [r, u, c, h] = out;
  const float* x = Floats(context, kX);
  const float* before = Floats(context, kHPrev);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor room, Room(sizes.batch, 4 * cells));
  float* from_x = room.mutable_data<float>();
  float* from_h = from_x + 2 * states;
  TAGFLOW_RETURN_IF_ERROR(
      MultiplyParts(context, sizes, x, before, Floats(context, kWRu), 2 * cells, from_x, from_h));
  const float* b_ru = Floats(context, kBRu);
  for (int64_t row = 0; row < sizes.batch; ++row) {
    const int64_t gates = row * 2 * cells, at = row * cells;
    AddThree(from_x + gates, from_h + gates, b_ru, cells, r + at);
    AddThree(from_x + gates + cells, from_h + gates + cells, b_ru + cells, cells, u + at);
  }
  Apply<formulas::Sigmoid>(r, states);
  Apply<formulas::Sigmoid>(u, states);
  float* remembered = h;  // h comes last
  MultiplyInto(r, before, states, remembered);
  TAGFLOW_RETURN_IF_ERROR(
      MultiplyParts(context, sizes, x, remembered, Floats(context, kWC), cells, from_x, from_h));
  for (int64_t row = 0; row < sizes.batch; ++row) {
    AddThree(from_x + row * cells, from_h + row * cells, Floats(context, kBC), cells,
             c + row * cells);
  }
  Apply<formulas::Tanh>(c, states);
  Mix(u, before, c, states, h);
  return Status();
}

// ---- Backward ----

//   the inputs of GRUBlockCell, its outputs but h, and d_h, the gradient by h: [batch, cells]
//   d_x: as x; d_h_prev: as h_prev; d_c_bar: [batch, cells], and d_r_bar_u_bar: [batch, 2 cells],
//   the gradients by what tanh and sigmoid are taken of
//   Errors: as GruForward
Status GruBackward(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Sizes sizes, SizesOf(context));
  const int64_t batch = sizes.batch, inputs = sizes.inputs, cells = sizes.cells;
  TAGFLOW_ASSIGN_OR_RETURN(float* d_x, Output(context, 0, batch, inputs));
  TAGFLOW_ASSIGN_OR_RETURN(float* d_before, Output(context, 1, batch, cells));
  TAGFLOW_ASSIGN_OR_RETURN(float* d_c, Output(context, 2, batch, cells));
  TAGFLOW_ASSIGN_OR_RETURN(float* d_ru, Output(context, 3, batch, 2 * cells));
  std::fill_n(d_x, batch * inputs, 0.0F);
  if (sizes.states() == 0) return Status();
  const float *r = Floats(context, kR), *u = Floats(context, kU), *c = Floats(context, kC);
  const float *d_h = Floats(context, kDH), *before = Floats(context, kHPrev);
  const float *w_c = Floats(context, kWC), *w_ru = Floats(context, kWRu);
  for (int64_t at = 0; at < sizes.states(); at += cells) {
    Unmix(u + at, before + at, c + at, d_h + at, cells, d_c + at, d_ru + 2 * at + cells);
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor of_cells, Room(batch, cells));
  float* part = of_cells.mutable_data<float>();
  TAGFLOW_RETURN_IF_ERROR(Multiply(DType::kFloat, Matrix(d_c, batch, cells),
                                   Matrix(w_c + inputs * cells, cells, cells, true), part,
                                   context));
  for (int64_t at = 0; at < sizes.states(); at += cells) {
    Forget(r + at, u + at, before + at, part + at, d_h + at, cells, d_ru + 2 * at, d_before + at);
  }
  const Factor by_gates = Matrix(d_ru, batch, 2 * cells);
  TAGFLOW_RETURN_IF_ERROR(Multiply(DType::kFloat, by_gates,
                                   Matrix(w_ru + inputs * 2 * cells, 2 * cells, cells, true), part,
                                   context));
  AddTo(part, sizes.states(), d_before);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor of_inputs, Room(batch, inputs));
  TAGFLOW_RETURN_IF_ERROR(
      Multiply(DType::kFloat, by_gates, Matrix(w_ru, 2 * cells, inputs, true), d_x, context));
  TAGFLOW_RETURN_IF_ERROR(Multiply(DType::kFloat, Matrix(d_c, batch, cells),
                                   Matrix(w_c, cells, inputs, true),
                                   of_inputs.mutable_data<float>(), context));
  AddTo(of_inputs.data<float>(), batch * inputs, d_x);
  return Status();
}

}  // namespace

Status RegisterGruKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"GRUBlockCell", Bind<GruForward>, Cost::kHeavy},
                                {"GRUBlockCellGrad", Bind<GruBackward>, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
