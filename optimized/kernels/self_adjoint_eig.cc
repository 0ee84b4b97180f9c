// SelfAdjointEigV2, by Eigen's tridiagonal QR iteration.

#include <algorithm>
#include <complex>
#include <eigen3/Eigen/Eigenvalues>

#include "optimized/kernels/eigen_matrices.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/matrices.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// Only the lower half is looked at, and of its diagonal the real parts. A number that is none, or
// infinite, ends it, but for that of a matrix of one, which is its own eigenvalue.
template <typename W>
Status Decompose(const W* elements, int64_t n, W* values, W* vectors) {
  EigenMatrix<W> matrix = ReadRows(elements, n, n).template triangularView<Eigen::Lower>();
  for (int64_t i = 0; i < n; ++i) matrix(i, i) = std::real(matrix(i, i));
  if (n > 1 &&
      !std::all_of(matrix.data(), matrix.data() + n * n, [](W x) { return IsFinite(x); })) {
    return InvalidArgument("a matrix of which some number is not finite has no eigenvalues");
  }
  const Eigen::SelfAdjointEigenSolver<EigenMatrix<W>> solver(
      matrix, vectors != nullptr ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) {
    return InvalidArgument("the eigenvalues of a matrix do not converge");
  }
  for (int64_t i = 0; i < n; ++i) values[i] = solver.eigenvalues()[i];
  if (vectors != nullptr) WrittenRows(vectors, n, n) = solver.eigenvectors();
  return Status();
}

//   input: [..., n, n]; outputs: e [..., n], ascending; v [..., n, n], in columns, or [0]
template <typename W>
Status SelfAdjointEig(KernelContext& context, bool with_vectors) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireSquares(input, "input"));
  const int64_t n = input.dims().back();
  const Dims no_vectors = {0};
  const DimsView vector_dims = with_vectors ? input.dims() : DimsView(no_vectors);
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor * e_out, context.Allocate(0, input.dtype(), input.dims().first(input.rank() - 1)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * v_out, context.Allocate(1, input.dtype(), vector_dims));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<W>::OfWidest(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto e, ElementsFor<W>::OfWidest(*e_out));
  TAGFLOW_ASSIGN_OR_RETURN(auto v, ElementsFor<W>::OfWidest(*v_out));
  const int64_t count = CountOf(*e_out, n, 1);
  for (int64_t i = 0; i < count; ++i) {
    TAGFLOW_RETURN_IF_ERROR(Decompose(x.data() + i * n * n, n, e.data() + i * n,
                                      with_vectors ? v.data() + i * n * n : nullptr));
  }
  e.Finish();
  v.Finish();
  return Status();
}

Result<BoundKernel> BindSelfAdjointEig(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool vectors, BoolAttr(binding.node, "compute_v"));
  return BindWide(binding, kMatrixTypes, [&]<typename W>(Computing<W>) {
    return BoundKernel(
        [vectors](KernelContext& context) { return SelfAdjointEig<W>(context, vectors); });
  });
}

}  // namespace

Status RegisterSelfAdjointEigKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SelfAdjointEigV2", BindSelfAdjointEig, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
