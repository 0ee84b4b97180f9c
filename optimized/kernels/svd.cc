// Svd, by Eigen's division and conquest of bidiagonal matrices; small ones by Jacobi's rotations.

#include <algorithm>
#include <eigen3/Eigen/SVD>
#include <limits>

#include "optimized/kernels/eigen_matrices.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/matrices.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct SvdForm {
  bool has_vectors = true;
  bool is_full = false;
};

// The sides of one matrix, m x n, the shorter of them, and how many vectors there are for each.
struct SvdSides {
  int64_t m, n, shorter, us, vs;
};

SvdSides SidesOf(const Tensor& input, const SvdForm& form) {
  SvdSides sides{input.dim(input.rank() - 2), input.dim(input.rank() - 1), 0, 0, 0};
  sides.shorter = std::min(sides.m, sides.n);
  sides.us = form.is_full ? sides.m : sides.shorter;
  sides.vs = form.is_full ? sides.n : sides.shorter;
  return sides;
}

unsigned OptionsOf(const SvdForm& form) {
  if (!form.has_vectors) return 0;
  return form.is_full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                      : Eigen::ComputeThinU | Eigen::ComputeThinV;
}

// Where one matrix's parts go.
template <typename W>
struct SvdParts {
  W* s;
  W* u;
  W* v;
};

// Of a matrix of which some number is none, or infinite, nothing is a number.
template <typename W>
void Decompose(const W* elements, const SvdSides& sides, const SvdForm& form,
               const SvdParts<W>& parts) {
  auto s = WrittenRows(parts.s, sides.shorter, 1);
  auto u = WrittenRows(parts.u, form.has_vectors ? sides.m : 0, sides.us);
  auto v = WrittenRows(parts.v, form.has_vectors ? sides.n : 0, sides.vs);
  if (sides.shorter == 0) {
    u.setIdentity();
    v.setIdentity();
    return;
  }
  const auto matrix = ReadRows(elements, sides.m, sides.n);
  const int64_t size = sides.m * sides.n;
  if (std::all_of(elements, elements + size, [](W x) { return IsFinite(x); })) {
    const Eigen::BDCSVD<EigenMatrix<W>> svd(matrix, OptionsOf(form));
    if (svd.info() == Eigen::Success) {
      s = svd.singularValues().template cast<W>();
      if (!form.has_vectors) return;
      u = svd.matrixU();
      v = svd.matrixV();
      return;
    }
  }
  const W none(std::numeric_limits<double>::quiet_NaN());
  s.setConstant(none);
  u.setConstant(none);
  v.setConstant(none);
}

//   input: [..., m, n], p = min(m, n); outputs: s [..., p], descending; u [..., m, p] and
//   v [..., n, p], both square if full, or both [0]
template <typename W>
Status Svd(KernelContext& context, const SvdForm& form) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(input, "input"));
  const SvdSides sides = SidesOf(input, form);
  const DType dtype = input.dtype();
  const auto vector_dims = [&](int64_t rows, int64_t columns) {
    return form.has_vectors ? BatchWith(input, {rows, columns}) : Dims{0};
  };
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * s_out,
                           context.Allocate(0, dtype, BatchWith(input, {sides.shorter})));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * u_out,
                           context.Allocate(1, dtype, vector_dims(sides.m, sides.us)));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * v_out,
                           context.Allocate(2, dtype, vector_dims(sides.n, sides.vs)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<W>::OfWidest(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto s, ElementsFor<W>::OfWidest(*s_out));
  TAGFLOW_ASSIGN_OR_RETURN(auto u, ElementsFor<W>::OfWidest(*u_out));
  TAGFLOW_ASSIGN_OR_RETURN(auto v, ElementsFor<W>::OfWidest(*v_out));
  const int64_t count =
      std::max({CountOf(*s_out, sides.shorter, 1), CountOf(*u_out, sides.m, sides.us),
                CountOf(*v_out, sides.n, sides.vs)});
  const bool has_parts = count > 0 && form.has_vectors;
  const int64_t u_size = has_parts ? sides.m * sides.us : 0;
  const int64_t v_size = has_parts ? sides.n * sides.vs : 0;
  for (int64_t i = 0; i < count; ++i) {
    Decompose(x.data() + i * sides.m * sides.n, sides, form,
              {s.data() + i * sides.shorter, u.data() + i * u_size, v.data() + i * v_size});
  }
  s.Finish();
  u.Finish();
  v.Finish();
  return Status();
}

Result<BoundKernel> BindSvd(const Binding& binding) {
  SvdForm form;
  TAGFLOW_ASSIGN_OR_RETURN(form.has_vectors, BoolAttr(binding.node, "compute_uv"));
  TAGFLOW_ASSIGN_OR_RETURN(form.is_full, BoolAttr(binding.node, "full_matrices"));
  return BindWide(binding, kMatrixTypes, [&]<typename W>(Computing<W>) {
    return BoundKernel([form](KernelContext& context) { return Svd<W>(context, form); });
  });
}

}  // namespace

Status RegisterSvdKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Svd", BindSvd, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
