// One step of gated recurrent units, and its gradient.
//
// Source: Cho et al., "Learning phrase representations using RNN encoder-decoder for statistical
// machine translation", EMNLP 2014. With the output h_prev of the step before,
//
//   [r, u] = sigmoid([x, h_prev] w_ru + b_ru)      what is remembered, and what is kept
//   c = tanh([x, r * h_prev] w_c + b_c)            what is new
//   h = u * h_prev + (1 - u) * c
//
// Everything is computed in double and rounded once.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

using Vector = std::vector<double>;

// A matrix in rows.
struct Matrix {
  int64_t rows = 0, columns = 0;
  Vector values;

  double& at(int64_t row, int64_t column) {
    return values[static_cast<size_t>(row * columns + column)];
  }
  double at(int64_t row, int64_t column) const {
    return values[static_cast<size_t>(row * columns + column)];
  }
};

Matrix Zeros(int64_t rows, int64_t columns) {
  return {rows, columns, Vector(static_cast<size_t>(rows * columns))};
}
Matrix ReadMatrix(const Tensor& tensor) {
  return {tensor.dim(0), tensor.dim(1), LoadDoubles(tensor)};
}

// The inputs that both ops have in common.
struct Gru {
  int64_t batch = 0, inputs = 0, cells = 0;
  Matrix x, h_prev, w_ru, w_c;
  Vector b_ru, b_c;
};

//   Errors: INVALID_ARGUMENT unless input `slot` is of this shape
Status RequireDims(const KernelContext& context, size_t slot, const Dims& dims) {
  const Tensor& input = context.inputs[slot];
  if (std::ranges::equal(input.dims(), dims)) return Status();
  return InvalidArgument(context.node.def->inputs[slot].name + " must be of shape " +
                         DimsString(dims) + ", not " + DimsString(input.dims()));
}

//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT where the shapes do not fit one another
Result<Gru> ReadGru(const KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, context.inputs[0].dtype(), {DType::kFloat}));
  for (size_t slot = 0; slot < 4; ++slot) {
    if (context.inputs[slot].rank() == 2) continue;
    return InvalidArgument(context.node.def->inputs[slot].name + " must be a matrix, not " +
                           DimsString(context.inputs[slot].dims()));
  }
  Gru gru;
  gru.x = ReadMatrix(context.inputs[0]);
  gru.h_prev = ReadMatrix(context.inputs[1]);
  gru.w_ru = ReadMatrix(context.inputs[2]);
  gru.w_c = ReadMatrix(context.inputs[3]);
  gru.batch = gru.x.rows;
  gru.inputs = gru.x.columns;
  gru.cells = gru.h_prev.columns;
  if (gru.w_c.columns != gru.cells || gru.w_c.rows - gru.cells != gru.inputs) {
    return InvalidArgument(
        "w_c must have a row for each input and each cell and a column for each "
        "cell, not the shape " +
        DimsString(context.inputs[3].dims()));
  }
  if (gru.w_ru.columns - gru.cells != gru.cells || gru.w_ru.rows != gru.w_c.rows) {
    return InvalidArgument(
        "w_ru must have a row for each input and each cell and two columns for "
        "each cell, not the shape " +
        DimsString(context.inputs[2].dims()));
  }
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context, 1, {gru.batch, gru.cells}));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context, 4, {gru.w_ru.columns}));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context, 5, {gru.cells}));
  gru.b_ru = LoadDoubles(context.inputs[4]);
  gru.b_c = LoadDoubles(context.inputs[5]);
  return gru;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Element (row, column) of [x, h] w + b.
double Gate(const Gru& gru, const Matrix& h, const Matrix& w, const Vector& b, int64_t row,
            int64_t column) {
  double sum = b[static_cast<size_t>(column)];
  for (int64_t j = 0; j < gru.inputs; ++j) sum += gru.x.at(row, j) * w.at(j, column);
  for (int64_t k = 0; k < gru.cells; ++k) sum += h.at(row, k) * w.at(gru.inputs + k, column);
  return sum;
}

Status StoreMatrices(KernelContext& context, const std::vector<const Matrix*>& matrices) {
  for (size_t port = 0; port < matrices.size(); ++port) {
    const Matrix& matrix = *matrices[port];
    TAGFLOW_ASSIGN_OR_RETURN(
        context.outputs[port],
        StoreDoubles(DType::kFloat, Dims{matrix.rows, matrix.columns}, matrix.values));
  }
  return Status();
}

//   x: float [batch, inputs]; h_prev: [batch, cells]; w_ru: [inputs + cells, 2 cells]; w_c:
//   [inputs + cells, cells]; b_ru: [2 cells]; b_c: [cells]
//   r, u, c, h: [batch, cells]
//   Errors: of ReadGru
Status GruForward(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Gru gru, ReadGru(context));
  Matrix r = Zeros(gru.batch, gru.cells), u = r, c = r, h = r, remembered = r;
  for (int64_t row = 0; row < gru.batch; ++row) {
    for (int64_t k = 0; k < gru.cells; ++k) {
      r.at(row, k) = Sigmoid(Gate(gru, gru.h_prev, gru.w_ru, gru.b_ru, row, k));
      u.at(row, k) = Sigmoid(Gate(gru, gru.h_prev, gru.w_ru, gru.b_ru, row, gru.cells + k));
      remembered.at(row, k) = r.at(row, k) * gru.h_prev.at(row, k);
    }
    for (int64_t k = 0; k < gru.cells; ++k) {
      c.at(row, k) = std::tanh(Gate(gru, remembered, gru.w_c, gru.b_c, row, k));
      h.at(row, k) = u.at(row, k) * gru.h_prev.at(row, k) + (1 - u.at(row, k)) * c.at(row, k);
    }
  }
  return StoreMatrices(context, {&r, &u, &c, &h});
}

// The gradient by element j of [x, h] of what [x, h] w takes `by_gates` for.
double ByFactor(const Matrix& by_gates, const Matrix& w, int64_t row, int64_t j) {
  double sum = 0;
  for (int64_t column = 0; column < w.columns; ++column) {
    sum += by_gates.at(row, column) * w.at(j, column);
  }
  return sum;
}

//   the inputs of GRUBlockCell, its outputs but h, and d_h, the gradient by h: [batch, cells]
//   d_x: as x; d_h_prev: as h_prev; d_c_bar: [batch, cells], and d_r_bar_u_bar: [batch, 2 cells],
//   the gradients by what tanh and sigmoid are taken of
//   Errors: of ReadGru, and INVALID_ARGUMENT for other shapes
Status GruBackward(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Gru gru, ReadGru(context));
  for (size_t slot = 6; slot < 10; ++slot) {
    TAGFLOW_RETURN_IF_ERROR(RequireDims(context, slot, {gru.batch, gru.cells}));
  }
  const Matrix r = ReadMatrix(context.inputs[6]), u = ReadMatrix(context.inputs[7]);
  const Matrix c = ReadMatrix(context.inputs[8]), d_h = ReadMatrix(context.inputs[9]);
  Matrix d_x = Zeros(gru.batch, gru.inputs), d_h_prev = Zeros(gru.batch, gru.cells);
  Matrix d_c = d_h_prev, d_ru = Zeros(gru.batch, 2 * gru.cells);
  for (int64_t row = 0; row < gru.batch; ++row) {
    for (int64_t k = 0; k < gru.cells; ++k) {
      const double kept = u.at(row, k), found = c.at(row, k), gradient = d_h.at(row, k);
      d_c.at(row, k) = gradient * (1 - kept) * (1 - found * found);
      d_ru.at(row, gru.cells + k) = gradient * (gru.h_prev.at(row, k) - found) * kept * (1 - kept);
    }
    for (int64_t k = 0; k < gru.cells; ++k) {
      const double of_remembered = ByFactor(d_c, gru.w_c, row, gru.inputs + k);
      const double share = r.at(row, k);
      d_ru.at(row, k) = of_remembered * gru.h_prev.at(row, k) * share * (1 - share);
      d_h_prev.at(row, k) = of_remembered * share + d_h.at(row, k) * u.at(row, k);
    }
    for (int64_t j = 0; j < gru.inputs; ++j) {
      d_x.at(row, j) = ByFactor(d_ru, gru.w_ru, row, j) + ByFactor(d_c, gru.w_c, row, j);
    }
    for (int64_t k = 0; k < gru.cells; ++k) {
      d_h_prev.at(row, k) += ByFactor(d_ru, gru.w_ru, row, gru.inputs + k);
    }
  }
  return StoreMatrices(context, {&d_x, &d_h_prev, &d_c, &d_ru});
}

}  // namespace

Status RegisterGruKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"GRUBlockCell", GruForward}, {"GRUBlockCellGrad", GruBackward}});
}

}  // namespace tagflow::reference
