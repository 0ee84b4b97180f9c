// Derivatives of decompositions of matrices, by moving one element of the matrix at a time: what
// the factors have to be after that says how they move. Of singular values and eigenvalues alone,
// without their vectors, the derivatives are made of projections, which are products of the matrix.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "reference/tape/adjoint.h"
#include "reference/tape/matrix.h"

namespace tagflow::reference {
namespace {

// A matrix of sums, and the sums of their terms' magnitudes.
struct Sums {
  RealMatrix value, magnitude;

  size_t rows() const { return value.rows; }
  size_t columns() const { return value.columns; }
  void Set(size_t i, size_t j, double x, double size) {
    value(i, j) = x;
    magnitude(i, j) = size;
  }
};

Sums Zeros(size_t rows, size_t columns) {
  const RealMatrix zeros{rows, columns, std::vector<double>(rows * columns)};
  return {zeros, zeros};
}

Sums Exactly(const RealMatrix& matrix) {
  Sums sums{matrix, matrix};
  for (double& element : sums.magnitude.elements) element = std::fabs(element);
  return sums;
}

Sums Diagonal(const std::vector<double>& numbers) {
  Sums diagonal = Zeros(numbers.size(), numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    diagonal.Set(i, i, numbers[i], std::fabs(numbers[i]));
  }
  return diagonal;
}

Sums Unit(size_t n) { return Diagonal(std::vector<double>(n, 1)); }

Sums Transposed(const Sums& a) { return {Transposed(a.value), Transposed(a.magnitude)}; }

Sums operator*(const Sums& a, const Sums& b) {
  Sums product = Zeros(a.rows(), b.columns());
  for (size_t i = 0; i < a.rows(); ++i) {
    for (size_t j = 0; j < b.columns(); ++j) {
      for (size_t k = 0; k < a.columns(); ++k) {
        product.value(i, j) += a.value(i, k) * b.value(k, j);
        product.magnitude(i, j) += a.magnitude(i, k) * b.magnitude(k, j);
      }
    }
  }
  return product;
}

Sums Plus(Sums a, const Sums& b, double sign) {
  for (size_t i = 0; i < a.value.elements.size(); ++i) {
    a.value.elements[i] += sign * b.value.elements[i];
    a.magnitude.elements[i] += b.magnitude.elements[i];
  }
  return a;
}
Sums operator+(const Sums& a, const Sums& b) { return Plus(a, b, 1); }
Sums operator-(const Sums& a, const Sums& b) { return Plus(a, b, -1); }

// Each element times factor(i, j).
template <typename F>
Sums Times(Sums a, F factor) {
  for (size_t i = 0; i < a.rows(); ++i) {
    for (size_t j = 0; j < a.columns(); ++j) {
      const double by = factor(i, j);
      a.Set(i, j, a.value(i, j) * by, a.magnitude(i, j) * std::fabs(by));
    }
  }
  return a;
}

// Columns [begin, end).
Sums Columns(const Sums& a, size_t begin, size_t end) {
  Sums columns = Zeros(a.rows(), end - begin);
  for (size_t i = 0; i < a.rows(); ++i) {
    for (size_t j = begin; j < end; ++j) {
      columns.Set(i, j - begin, a.value(i, j), a.magnitude(i, j));
    }
  }
  return columns;
}
Sums Beside(const Sums& a, const Sums& b) {
  Sums both = Zeros(a.rows(), a.columns() + b.columns());
  for (size_t i = 0; i < a.rows(); ++i) {
    for (size_t j = 0; j < both.columns(); ++j) {
      const bool is_left = j < a.columns();
      const Sums& from = is_left ? a : b;
      const size_t column = is_left ? j : j - a.columns();
      both.Set(i, j, from.value(i, column), from.magnitude(i, column));
    }
  }
  return both;
}

// Matrix `b` of an output moves so, where element x of the input does by 1.
void AddMoves(FiringPartials& firing, size_t port, size_t b, size_t x, const Sums& moves) {
  const size_t size = moves.value.elements.size();
  for (size_t i = 0; i < size; ++i) {
    firing.Add(port, b * size + i, 0, x, moves.value.elements[i], moves.magnitude.elements[i]);
  }
}

// For each element x of each matrix b of the input: move(b, x, k, l), its number, row and column.
template <typename Move>
Status MoveEach(FiringPartials& firing, Move move) {
  const size_t columns = static_cast<size_t>(firing.input(0).dims().back());
  const size_t size = MatrixSizeOf(firing.input(0));
  for (size_t b = 0; b < MatrixCount(firing.input(0)); ++b) {
    for (size_t x = 0; x < size; ++x) move(b, b * size + x, x / columns, x % columns);
  }
  return Status();
}

Sums One(const RealMatrix& like, size_t k, size_t l) {
  Sums one = Zeros(like.rows, like.columns);
  one.Set(k, l, 1, 1);
  return one;
}

// ---- Qr ----

struct QrMoves {
  Sums q, r;
};

// A = Q R with square R. Of C = Q' dA inverse(R) the lower part W turns Q by W - W'; what is left
// is dR inverse(R), which is upper.
QrMoves TallQr(const Sums& q, const Sums& r, const Sums& inverse, const Sums& moved) {
  const Sums c = Transposed(q) * moved * inverse;
  const Sums lower = Times(c, [](size_t i, size_t j) { return i > j ? 1 : 0; });
  const Sums upper = Times(c, [](size_t i, size_t j) { return i > j ? 0 : 1; });
  const Sums dr = (upper + Transposed(lower)) * r;
  return {moved * inverse - q * (upper + Transposed(lower)), dr};
}

Status Qr(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool full, BoolAttr(firing.node(), "full_matrices"));
  const DimsView dims = firing.input(0).dims();
  if (full && dims[dims.size() - 2] > dims.back()) {
    return Unimplemented("the derivative of a full Qr of more rows than columns is not known");
  }
  return MoveEach(firing, [&](size_t b, size_t x, size_t k, size_t l) {
    const RealMatrix a = MatrixOf(firing.input(0), b);
    const Sums q = Exactly(MatrixOf(firing.output(0), b));
    const Sums whole = Exactly(MatrixOf(firing.output(1), b));
    const size_t square = whole.rows();
    const Sums r = Columns(whole, 0, square);
    const Sums inverse = Exactly(Inverse(r.value));
    const Sums one = One(a, k, l);
    const QrMoves moves = TallQr(q, r, inverse, Columns(one, 0, square));
    AddMoves(firing, 0, b, x, moves.q);
    // The columns beyond are Q times those of R.
    const Sums dy = Columns(one, square, a.columns), y = Columns(Exactly(a), square, a.columns);
    const Sums beyond = Transposed(moves.q) * y + Transposed(q) * dy;
    AddMoves(firing, 1, b, x, Beside(moves.r, beyond));
  });
}

// ---- SelfAdjointEigV2 ----

std::vector<double> RowOf(const Tensor& tensor, size_t which, size_t size) {
  const std::vector<double> all = ToDoubles(tensor);
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(which * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

// 1 / (x[j] - x[i]), 0 where that is none.
double Gap(const std::vector<double>& x, size_t i, size_t j) {
  return x[i] == x[j] ? 0 : 1 / (x[j] - x[i]);
}

// The projection onto the vector of value j: that of any other value makes one factor zero, and of
// this one all are 1.
Sums Projection(const Sums& matrix, const std::vector<double>& values, size_t j) {
  Sums projection = Unit(matrix.rows());
  for (size_t i = 0; i < values.size(); ++i) {
    if (i == j) continue;
    const Sums factor = matrix - Diagonal(std::vector<double>(matrix.rows(), values[i]));
    projection = projection * Times(factor, [&](size_t, size_t) { return Gap(values, i, j); });
  }
  return projection;
}

// The symmetric matrix that a lower half says.
RealMatrix Symmetric(RealMatrix matrix) {
  for (size_t i = 0; i < matrix.rows; ++i) {
    for (size_t j = 0; j < i; ++j) matrix(j, i) = matrix(i, j);
  }
  return matrix;
}

Status EigenvaluesAlone(FiringPartials& firing) {
  return MoveEach(firing, [&](size_t b, size_t x, size_t k, size_t l) {
    const Sums a = Exactly(Symmetric(MatrixOf(firing.input(0), b)));
    const std::vector<double> e = RowOf(firing.output(0), b, a.rows());
    for (size_t j = 0; j < e.size() && k >= l; ++j) {
      const Sums projection = Projection(a, e, j);
      const double times = k == l ? 1 : 2;
      firing.Add(0, b * e.size() + j, 0, x, times * projection.value(k, l),
                 times * projection.magnitude(k, l));
    }
  });
}

// A V = V E, of which only A's lower half counts: C = V' dA V has dE on its diagonal, and V turns
// by C over the gaps.
Status SelfAdjointEig(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool vectors, BoolAttr(firing.node(), "compute_v"));
  if (!vectors) return EigenvaluesAlone(firing);
  return MoveEach(firing, [&](size_t b, size_t x, size_t k, size_t l) {
    if (k < l) return;
    const Sums v = Exactly(MatrixOf(firing.output(1), b));
    const std::vector<double> e = RowOf(firing.output(0), b, v.rows());
    const Sums one = One(v.value, k, l);
    const Sums c = Transposed(v) * (k == l ? one : one + Transposed(one)) * v;
    for (size_t j = 0; j < e.size(); ++j) {
      firing.Add(0, b * e.size() + j, 0, x, c.value(j, j), c.magnitude(j, j));
    }
    AddMoves(firing, 1, b, x, v * Times(c, [&](size_t i, size_t j) { return Gap(e, i, j); }));
  });
}

// ---- Svd ----

std::vector<double> Squares(std::vector<double> numbers) {
  for (double& number : numbers) number *= number;
  return numbers;
}

// d s = u' dA v, where u v' is A times the projection onto v, over s. Where A has more columns than
// values, A' A has the value 0 besides.
Status SingularValuesAlone(FiringPartials& firing) {
  return MoveEach(firing, [&](size_t b, size_t x, size_t k, size_t l) {
    const Sums a = Exactly(MatrixOf(firing.input(0), b));
    const std::vector<double> s = RowOf(firing.output(0), b, std::min(a.rows(), a.columns()));
    std::vector<double> values = Squares(s);
    if (a.columns() > s.size()) values.push_back(0);
    for (size_t j = 0; j < s.size(); ++j) {
      const Sums both = a * Projection(Transposed(a) * a, values, j);
      firing.Add(0, b * s.size() + j, 0, x, both.value(k, l) / s[j], both.magnitude(k, l) / s[j]);
    }
  });
}

// How the vectors of one side move, given C = U' dA V or its like of the other side, and D = dA V
// or its like: they turn by C S + S C' over the gaps of squares, and go outward by what of D / S
// lies outside of them. A last one, that makes them square, stays orthogonal to the others.
Sums MovesOf(const Sums& all, const std::vector<double>& s, const Sums& c, const Sums& d) {
  const Sums vectors = Columns(all, 0, s.size());
  const Sums size = Diagonal(s);
  const std::vector<double> squares = Squares(s);
  const Sums turn = Times(c * size + size * Transposed(c),
                          [&](size_t i, size_t j) { return Gap(squares, i, j); });
  const Sums outward = Times(d, [&](size_t, size_t j) { return 1 / s[j]; });
  Sums moves = vectors * turn;
  if (all.rows() > s.size()) {
    moves = moves + outward - vectors * (Transposed(vectors) * outward);
  }
  if (all.columns() == s.size()) return moves;
  const Sums last = Columns(all, s.size(), all.columns());
  return Beside(moves, Zeros(all.rows(), last.columns()) - vectors * Transposed(moves) * last);
}

Status Svd(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool with_vectors, BoolAttr(firing.node(), "compute_uv"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool full, BoolAttr(firing.node(), "full_matrices"));
  if (!with_vectors) return SingularValuesAlone(firing);
  const DimsView dims = firing.input(0).dims();
  const bool vectors_count = firing.flows_from(1) || firing.flows_from(2);
  if (full && vectors_count && std::abs(dims[dims.size() - 2] - dims.back()) > 1) {
    return Unimplemented("the derivative of a full Svd of a long matrix is not known");
  }
  return MoveEach(firing, [&](size_t b, size_t x, size_t k, size_t l) {
    const RealMatrix a = MatrixOf(firing.input(0), b);
    const std::vector<double> s = RowOf(firing.output(0), b, std::min(a.rows, a.columns));
    const Sums all_u = Exactly(MatrixOf(firing.output(1), b));
    const Sums all_v = Exactly(MatrixOf(firing.output(2), b));
    const Sums u = Columns(all_u, 0, s.size()), v = Columns(all_v, 0, s.size());
    const Sums one = One(a, k, l);
    const Sums c = Transposed(u) * one * v;
    for (size_t j = 0; j < s.size(); ++j) {
      firing.Add(0, b * s.size() + j, 0, x, c.value(j, j), c.magnitude(j, j));
    }
    if (!vectors_count) return;
    AddMoves(firing, 1, b, x, MovesOf(all_u, s, c, one * v));
    AddMoves(firing, 2, b, x, MovesOf(all_v, s, Transposed(c), Transposed(one) * u));
  });
}

}  // namespace

void AddDecompositionAdjoints(AdjointTable& table) {
  table.Set("Qr", Qr);
  table.Set("SelfAdjointEigV2", SelfAdjointEig);
  table.Set("Svd", Svd);
}

}  // namespace tagflow::reference
