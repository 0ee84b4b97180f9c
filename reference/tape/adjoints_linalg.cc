// Derivatives of what is made of whole matrices: inverses, determinants, solutions, Cholesky
// factors. Of dX they are linear functions, which are written out element by element.

#include "reference/tape/adjoint.h"
#include "reference/tape/matrix.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// Y = inverse of X: dY = - Y dX Y.  Of the transposed X: dY = - Y dX' Y.
Status MatrixInverse(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint, BoolAttr(firing.node(), "adjoint"));
  for (size_t b = 0; b < MatrixCount(firing.output(0)); ++b) {
    const RealMatrix y = MatrixOf(firing.output(0), b);
    const size_t n = y.rows;
    const size_t begin = b * n * n;
    for (size_t i = 0; i < n * n; ++i) {
      for (size_t x = 0; x < n * n; ++x) {
        const size_t k = adjoint ? x % n : x / n;
        const size_t l = adjoint ? x / n : x % n;
        firing.Add(0, begin + i, 0, begin + x, -y(i / n, k) * y(l, i % n));
      }
    }
  }
  return Status();
}

// The derivative of a determinant is its cofactor, that of its logarithm the cofactor over it.
AdjointFunction OfDeterminant(size_t port, bool logarithm) {
  return [port, logarithm](FiringPartials& firing) {
    for (size_t b = 0; b < MatrixCount(firing.input(0)); ++b) {
      const RealMatrix x = MatrixOf(firing.input(0), b);
      const std::vector<double> slopes = Cofactors(x).elements;
      const double divisor = logarithm ? Determinant(x) : 1;
      for (size_t i = 0; i < slopes.size(); ++i) {
        firing.Add(port, b, 0, b * slopes.size() + i, slopes[i] / divisor);
      }
    }
    return Status();
  };
}

// The half of a product's diagonal that goes to a lower triangle.
double LowerPart(size_t i, size_t j, double value) {
  return i > j ? value : i == j ? value / 2 : 0;
}

// X = L L'. dL = L P where P is the lower part of inverse(L) dX inverse(L)', half of its diagonal.
// dX is symmetric: what moves X[k,l] moves X[l,k], by half as much each.
Status Cholesky(FiringPartials& firing) {
  for (size_t b = 0; b < MatrixCount(firing.output(0)); ++b) {
    const RealMatrix l = MatrixOf(firing.output(0), b);
    const RealMatrix inverse = Inverse(l);
    const size_t n = l.rows;
    const auto slope = [&](size_t i, size_t j, size_t r, size_t c) {
      double sum = 0;
      for (size_t m = j; m <= i; ++m) {
        const double both = inverse(m, r) * inverse(j, c) + inverse(m, c) * inverse(j, r);
        sum += l(i, m) * LowerPart(m, j, both / 2);
      }
      return sum;
    };
    for (size_t i = 0; i < n * n; ++i) {
      for (size_t x = 0; x < n * n; ++x) {
        firing.Add(0, b * n * n + i, 0, b * n * n + x, slope(i / n, i % n, x / n, x % n));
      }
    }
  }
  return Status();
}

// Y = inverse of A times B:  dY = inverse(A) (dB - dA Y).
struct Solution {
  RealMatrix inverse;  // of A, or of A' where that is solved with
  RealMatrix y;
  size_t a_begin, b_begin, y_begin;
  bool adjoint;
};

// `counts` says which elements of A do.
void AddSolution(FiringPartials& firing, const Solution& of, bool (*counts)(size_t k, size_t l)) {
  const size_t n = of.inverse.rows;
  const size_t columns = of.y.columns;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      const size_t o = of.y_begin + i * columns + j;
      for (size_t k = 0; k < n; ++k) {
        firing.Add(0, o, 1, of.b_begin + k * columns + j, of.inverse(i, k));
        for (size_t l = 0; l < n; ++l) {
          const size_t row = of.adjoint ? l : k;
          const size_t column = of.adjoint ? k : l;
          if (!counts(row, column)) continue;
          firing.Add(0, o, 0, of.a_begin + row * n + column, -of.inverse(i, k) * of.y(l, j));
        }
      }
    }
  }
}

Status AddSolutions(FiringPartials& firing, bool (*counts)(size_t k, size_t l)) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint, BoolAttr(firing.node(), "adjoint"));
  const auto a_of = BroadcastWalk(MatrixBatchOf(firing.input(0)), MatrixBatchOf(firing.output(0)));
  const auto b_of = BroadcastWalk(MatrixBatchOf(firing.input(1)), MatrixBatchOf(firing.output(0)));
  for (size_t b = 0; b < a_of.size(); ++b) {
    RealMatrix a = MatrixOf(firing.input(0), a_of[b]);
    for (size_t i = 0; i < a.elements.size(); ++i) {
      if (!counts(i / a.columns, i % a.columns)) a.elements[i] = 0;
    }
    AddSolution(firing,
                {Inverse(adjoint ? Transposed(a) : a), MatrixOf(firing.output(0), b),
                 a_of[b] * MatrixSizeOf(firing.input(0)), b_of[b] * MatrixSizeOf(firing.input(1)),
                 b * MatrixSizeOf(firing.output(0)), adjoint},
                counts);
  }
  return Status();
}

Status MatrixSolve(FiringPartials& firing) {
  return AddSolutions(firing, [](size_t, size_t) { return true; });
}

Status MatrixTriangularSolve(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool lower, BoolAttr(firing.node(), "lower"));
  return lower ? AddSolutions(firing, [](size_t k, size_t l) { return k >= l; })
               : AddSolutions(firing, [](size_t k, size_t l) { return k <= l; });
}

}  // namespace

void AddLinalgAdjoints(AdjointTable& table) {
  table.Set("MatrixInverse", MatrixInverse);
  table.Set("MatrixDeterminant", OfDeterminant(0, false));
  table.Set("LogMatrixDeterminant", OfDeterminant(1, true));
  table.Set("Cholesky", Cholesky);
  table.Set("MatrixSolve", MatrixSolve);
  table.Set("MatrixTriangularSolve", MatrixTriangularSolve);
}

}  // namespace tagflow::reference
