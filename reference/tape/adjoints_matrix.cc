// Derivatives of products of matrices, and of BiasAdd.

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// One product in a batch: where its three matrices begin.
struct Product3 {
  size_t x, y, z;
};

// z[i,j] = sum over k of x[i,k] * y[k,j], where x lies transposed in memory if transpose_x, and y
// alike.
void AddProduct(FiringPartials& firing, const std::vector<double>& x, const std::vector<double>& y,
                bool transpose_x, bool transpose_y, Product3 at) {
  const DimsView x_dims = firing.input(0).dims();
  const DimsView z_dims = firing.output(0).dims();
  const auto rows = static_cast<size_t>(z_dims[z_dims.size() - 2]);
  const auto columns = static_cast<size_t>(z_dims[z_dims.size() - 1]);
  const auto inner = static_cast<size_t>(x_dims[x_dims.size() - (transpose_x ? 2 : 1)]);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      for (size_t k = 0; k < inner; ++k) {
        const size_t x_at = at.x + (transpose_x ? k * rows + i : i * inner + k);
        const size_t y_at = at.y + (transpose_y ? j * inner + k : k * columns + j);
        const size_t z_at = at.z + i * columns + j;
        firing.Add(0, z_at, 0, x_at, y[y_at]);
        firing.Add(0, z_at, 1, y_at, x[x_at]);
      }
    }
  }
}

Status AddProducts(FiringPartials& firing, bool transpose_x, bool transpose_y) {
  const std::vector<double> x = ToDoubles(firing.input(0));
  const std::vector<double> y = ToDoubles(firing.input(1));
  auto batch = [](const Tensor& tensor) {
    return tensor.dims().subspan(0, tensor.dims().size() - 2);
  };
  auto matrix = [](const Tensor& tensor) {
    const size_t rank = tensor.dims().size();
    return static_cast<size_t>(Product(tensor.dims(), rank - 2, rank));
  };
  const auto x_of = BroadcastWalk(batch(firing.input(0)), batch(firing.output(0)));
  const auto y_of = BroadcastWalk(batch(firing.input(1)), batch(firing.output(0)));
  for (size_t b = 0; b < x_of.size(); ++b) {
    AddProduct(firing, x, y, transpose_x, transpose_y,
               {x_of[b] * matrix(firing.input(0)), y_of[b] * matrix(firing.input(1)),
                b * matrix(firing.output(0))});
  }
  return Status();
}

AdjointFunction MatrixProduct(const char* x_attr, const char* y_attr) {
  return [x_attr, y_attr](FiringPartials& firing) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const bool transpose_x, BoolAttr(firing.node(), x_attr));
    TAGFLOW_ASSIGN_OR_RETURN(const bool transpose_y, BoolAttr(firing.node(), y_attr));
    return AddProducts(firing, transpose_x, transpose_y);
  };
}

Status BiasAdd(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(firing.node(), "data_format"));
  const DimsView dims = firing.output(0).dims();
  Dims steps(dims.size(), 0);
  steps[format == "NCHW" ? 1 : dims.size() - 1] = 1;
  const std::vector<size_t> channel = Walk(dims, steps);
  for (size_t o = 0; o < channel.size(); ++o) {
    firing.Add(0, o, 0, o, 1);
    firing.Add(0, o, 1, channel[o], 1);
  }
  return Status();
}

}  // namespace

void AddMatrixAdjoints(AdjointTable& table) {
  table.Set("MatMul", MatrixProduct("transpose_a", "transpose_b"));
  table.Set("BatchMatMulV2", MatrixProduct("adj_x", "adj_y"));
  table.Set("BiasAdd", BiasAdd);
}

}  // namespace tagflow::reference
