#ifndef TAGFLOW_REFERENCE_KERNELS_JACOBI_H_
#define TAGFLOW_REFERENCE_KERNELS_JACOBI_H_

// Jacobi's rotations, by which eigenvalues and singular values are found: each takes two columns to
// two others that span the same plane, and is chosen to make one number zero.

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "reference/kernels/matrix.h"

namespace tagflow::reference {

// How often all pairs of columns are gone through at most; about ten times is what matrices take.
inline constexpr int kSweepsMax = 60;

// The columns p and q become  cosine p - sine conj(phase) q  and  sine phase p + cosine q.
template <typename S>
struct Rotation {
  double cosine = 1;
  double sine = 0;
  S phase = S(1);
};

// That which takes the Hermitian matrix [[a, c], [conj(c), b]] to a diagonal one; of the two angles
// the smaller. REQUIRES: c is not zero
template <typename S>
Rotation<S> Diagonalizing(double a, double b, S c) {
  const double size = std::abs(c);
  const double cotangent = (b - a) / (2 * size);  // of twice the angle
  const double tangent =
      (cotangent < 0 ? -1 : 1) / (std::fabs(cotangent) + std::hypot(cotangent, 1.0));
  const double cosine = 1 / std::hypot(tangent, 1.0);
  return {cosine, cosine * tangent, c / size};
}

template <typename S>
void RotateColumns(Matrix<S>& matrix, int64_t p, int64_t q, const Rotation<S>& by) {
  for (int64_t i = 0; i < matrix.rows; ++i) {
    const S left = matrix.at(i, p), right = matrix.at(i, q);
    matrix.at(i, p) = by.cosine * left - by.sine * Conjugate(by.phase) * right;
    matrix.at(i, q) = by.sine * by.phase * left + by.cosine * right;
  }
}

// The largest size of an element, by which a matrix is divided lest squares overflow; 1 of zeros.
template <typename S>
double ScaleOf(const Matrix<S>& matrix) {
  double largest = 0;
  for (const S& value : matrix.values) {
    largest = std::max({largest, std::fabs(std::real(value)), std::fabs(std::imag(value))});
  }
  return largest > 0 ? largest : 1;
}

template <typename S>
bool IsFinite(S value) {
  return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

// The columns in another order.
template <typename S>
Matrix<S> Reordered(Matrix<S> matrix, const std::vector<int64_t>& order) {
  Matrix<S> ordered{matrix.rows, static_cast<int64_t>(order.size()), {}};
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (const int64_t column : order) ordered.values.push_back(matrix.at(i, column));
  }
  return ordered;
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_JACOBI_H_
