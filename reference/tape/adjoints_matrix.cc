// Derivatives of products of matrices and vectors, and of BiasAdd.

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

// The channel of each element.
Result<std::vector<size_t>> ChannelsOf(const FiringPartials& firing, DimsView dims) {
  std::string format = "NHWC";
  if (firing.node().op != "BiasAddV1") {
    TAGFLOW_ASSIGN_OR_RETURN(format, StringAttr(firing.node(), "data_format"));
  }
  Dims steps(dims.size(), 0);
  steps[format == "NCHW" ? 1 : dims.size() - 1] = 1;
  return Walk(dims, steps);
}

Status BiasAdd(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto channel, ChannelsOf(firing, firing.output(0).dims()));
  for (size_t o = 0; o < channel.size(); ++o) {
    firing.Add(0, o, 0, o, 1);
    firing.Add(0, o, 1, channel[o], 1);
  }
  return Status();
}

Status BiasAddGrad(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto channel, ChannelsOf(firing, firing.input(0).dims()));
  for (size_t i = 0; i < channel.size(); ++i) firing.Add(0, channel[i], 0, i, 1);
  return Status();
}

// z[i] = x[j] y[k] - x[k] y[j] for i, j, k = 0, 1, 2 in turn, of each three numbers.
Status Cross(FiringPartials& firing) {
  const std::vector<double> x = ToDoubles(firing.input(0));
  const std::vector<double> y = ToDoubles(firing.input(1));
  for (size_t begin = 0; begin < x.size(); begin += 3) {
    for (size_t i = 0; i < 3; ++i) {
      const size_t j = begin + (i + 1) % 3;
      const size_t k = begin + (i + 2) % 3;
      firing.Add(0, begin + i, 0, j, y[k]);
      firing.Add(0, begin + i, 0, k, -y[j]);
      firing.Add(0, begin + i, 1, k, x[j]);
      firing.Add(0, begin + i, 1, j, -x[k]);
    }
  }
  return Status();
}

}  // namespace

void AddMatrixAdjoints(AdjointTable& table) {
  table.Set("MatMul", MatrixProduct("transpose_a", "transpose_b"));
  for (const char* op : {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"}) {
    table.Set(op, MatrixProduct("adj_x", "adj_y"));
  }
  table.Set("BiasAdd", BiasAdd);
  table.Set("BiasAddV1", BiasAdd);
  table.Set("BiasAddGrad", BiasAddGrad);
  table.Set("Cross", Cross);
}

}  // namespace tagflow::reference
