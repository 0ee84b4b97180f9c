#ifndef TAGFLOW_OPTIMIZED_KERNELS_EIGEN_MATRICES_H_
#define TAGFLOW_OPTIMIZED_KERNELS_EIGEN_MATRICES_H_

// Our rows of elements as Eigen's matrices. Only the few files that decompose matrices include it:
// each of Eigen's decompositions takes long to compile.
//
// Eigen's own checks stay on, and end the process. So a kernel hands it no empty matrix, and asks
// for no vectors that it has not computed; numbers that are infinite or none stop no loop of the
// decompositions here but for those of eigenvalues and singular values, whose kernels look at what
// they are given first.

#define EIGEN_DONT_PARALLELIZE

#include <cmath>
#include <complex>
#include <cstdint>
#include <eigen3/Eigen/Core>

namespace tagflow::optimized {

template <typename W>
using EigenMatrix = Eigen::Matrix<W, Eigen::Dynamic, Eigen::Dynamic>;

template <typename W>
using EigenRows = Eigen::Matrix<W, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Those of a tensor, where they lie.
template <typename W>
Eigen::Map<const EigenRows<W>> ReadRows(const W* elements, int64_t rows, int64_t columns) {
  return {elements, rows, columns};
}
template <typename W>
Eigen::Map<EigenRows<W>> WrittenRows(W* elements, int64_t rows, int64_t columns) {
  return {elements, rows, columns};
}

inline bool IsFinite(double x) { return std::isfinite(x); }
inline bool IsFinite(std::complex<double> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_EIGEN_MATRICES_H_
