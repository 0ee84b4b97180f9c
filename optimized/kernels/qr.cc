// Qr, by Eigen's Householder reflections, in blocks.
//
// As there, and in LAPACK, a reflection makes an element of r's diagonal real, with the sign that
// the element which it replaces has not; where there is nothing below to be cleared, and no
// imaginary part, nothing is done.

#include <algorithm>
#include <eigen3/Eigen/QR>

#include "optimized/kernels/eigen_matrices.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/matrices.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// The sides of one matrix and its factors: m x n = (m x inner) (inner x n).
struct QrSides {
  int64_t m, n, inner;
};

template <typename W>
void Factor(const W* elements, const QrSides& sides, W* q, W* r) {
  auto q_rows = WrittenRows(q, sides.m, sides.inner);
  if (sides.n == 0) {
    q_rows.setIdentity();
    return;
  }
  const Eigen::HouseholderQR<EigenMatrix<W>> qr(ReadRows(elements, sides.m, sides.n));
  q_rows = qr.householderQ() * EigenMatrix<W>::Identity(sides.m, sides.inner);
  WrittenRows(r, sides.inner, sides.n) =
      qr.matrixQR().topRows(sides.inner).template triangularView<Eigen::Upper>();
}

//   input: [..., m, n]; outputs: q [..., m, p], r [..., p, n], p = m if full, else min(m, n)
template <typename W>
Status Qr(KernelContext& context, bool full) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(input, "input"));
  QrSides sides{input.dim(input.rank() - 2), input.dim(input.rank() - 1), 0};
  sides.inner = full ? sides.m : std::min(sides.m, sides.n);
  const DType dtype = input.dtype();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * q_out,
                           context.Allocate(0, dtype, BatchWith(input, {sides.m, sides.inner})));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * r_out,
                           context.Allocate(1, dtype, BatchWith(input, {sides.inner, sides.n})));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<W>::OfWidest(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto q, ElementsFor<W>::OfWidest(*q_out));
  TAGFLOW_ASSIGN_OR_RETURN(auto r, ElementsFor<W>::OfWidest(*r_out));
  const int64_t count = CountOf(*q_out, sides.m, sides.inner);
  for (int64_t i = 0; i < count; ++i) {
    Factor(x.data() + i * sides.m * sides.n, sides, q.data() + i * sides.m * sides.inner,
           r.data() + i * sides.inner * sides.n);
  }
  q.Finish();
  r.Finish();
  return Status();
}

Result<BoundKernel> BindQr(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool full, BoolAttr(binding.node, "full_matrices"));
  return BindWide(binding, kMatrixTypes | SetOf(DType::kHalf), [&]<typename W>(Computing<W>) {
    return BoundKernel([full](KernelContext& context) { return Qr<W>(context, full); });
  });
}

}  // namespace

Status RegisterQrKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Qr", BindQr, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
