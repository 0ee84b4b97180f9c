// Sparse tensors as three texts, or as three variants, each: their indices, their values and their
// shape; and back, several of them as one. The elements of a row lie side by side, so that a row's
// values are a view.
//
// Tested by conformance/ops/sparse.ops.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/held_tensor.h"
#include "graph/limits.h"
#include "graph/saved/tensor_bytes.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

// Element i of an output becomes the tensor: as a variant, or as a text.
using Writer = Status (*)(Tensor part, Tensor& output, int64_t i);

Status WriteVariant(Tensor part, Tensor& output, int64_t i) {
  output.mutable_data<Variant>()[i] = HeldTensor::Wrap(std::move(part));
  return Status();
}

Status WriteText(Tensor part, Tensor& output, int64_t i) {
  TAGFLOW_ASSIGN_OR_RETURN(output.mutable_data<std::string>()[i], TensorToBytes(part));
  return Status();
}

Writer WriterOf(DType dtype) { return dtype == DType::kVariant ? WriteVariant : WriteText; }

Status NotOfRank(const char* what, const Tensor& part) {
  return InvalidArgument(std::string("Input ") + what + " but received shape " +
                         DimsString(part.dims()));
}

//   serialized_sparse: [3], of whatever the inputs hold
Result<BoundKernel> BindSerialize(const Binding& binding) {
  return BoundKernel([dtype = binding.output_dtype(0)](KernelContext& context) -> Status {
    if (context.input(0).rank() != 2) {
      return NotOfRank("indices should be a matrix", context.input(0));
    }
    if (context.input(1).rank() != 1) {
      return NotOfRank("values should be a vector", context.input(1));
    }
    if (context.input(2).rank() != 1) {
      return NotOfRank("shape should be a vector", context.input(2));
    }
    TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(dtype, SmallDims(1, 3)));
    for (int i = 0; i < 3; ++i) {
      TAGFLOW_RETURN_IF_ERROR(WriterOf(dtype)(context.input(i), output, i));
    }
    context.output(0) = std::move(output);
    return Status();
  });
}

// The places [begin, end) without their first coordinate, int64 [end - begin, rank - 1].
Result<Tensor> InnerPlaces(const Places& places, int64_t begin, int64_t end) {
  SmallDims dims(1, end - begin);
  dims.push_back(places.rank() - 1);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor inner, Tensor::AllocateUninitialized(DType::kInt64, dims));
  int64_t* to = inner.mutable_data<int64_t>();
  for (int64_t i = begin; i < end; ++i) {
    for (int64_t d = 1; d < places.rank(); ++d) *to++ = places.at(i, d);
  }
  return inner;
}

//   The elements are in order. serialized_sparse: [rows, 3]
Status SerializeMany(KernelContext& context, DType dtype) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, SparseInputAt(context, 0));
  const Places& places = sparse.places;
  if (places.rank() < 2) {
    return InvalidArgument("Rank of input SparseTensor should be > 1, but saw rank: " +
                           std::to_string(places.rank()));
  }
  TAGFLOW_RETURN_IF_ERROR(places.RequireInOrder());
  const int64_t rows = sparse.dims[0];
  if (rows > kMostListElements) {
    return ResourceExhausted("there are " + std::to_string(rows) + " rows to write");
  }
  const Tensor shape =
      Tensor::Of<int64_t>(SmallDims(1, places.rank() - 1), DimsView(sparse.dims).subspan(1));
  SmallDims dims(1, rows);
  dims.push_back(3);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(dtype, dims));
  const Writer write = WriterOf(dtype);
  int64_t begin = 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t end = begin;
    while (end < places.size() && places.at(end, 0) == row) ++end;
    TAGFLOW_ASSIGN_OR_RETURN(Tensor inner, InnerPlaces(places, begin, end));
    TAGFLOW_RETURN_IF_ERROR(write(std::move(inner), output, 3 * row));
    TAGFLOW_RETURN_IF_ERROR(
        write(sparse.values.SliceOuter(begin, end - begin), output, 3 * row + 1));
    TAGFLOW_RETURN_IF_ERROR(write(shape, output, 3 * row + 2));
    begin = end;
  }
  context.output(0) = std::move(output);
  return Status();
}

Result<BoundKernel> BindSerializeMany(const Binding& binding) {
  return BoundKernel([dtype = binding.output_dtype(0)](KernelContext& context) {
    return SerializeMany(context, dtype);
  });
}

Result<std::vector<Tensor>> TensorsOf(const Tensor& written) {
  if (written.dtype() == DType::kString) return TensorsFromBytes(written.flat<std::string>());
  std::vector<Tensor> tensors(static_cast<size_t>(written.num_elements()));
  const Variant* variants = written.data<Variant>();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto* held = variants[i].Get<HeldTensor>();
    if (held == nullptr) {
      return InvalidArgument("Could not get a tensor from serialized_sparse[" +
                             std::to_string(i / 3) + ", " + std::to_string(i % 3) + "]");
    }
    tensors[i] = held->tensor();
  }
  return tensors;
}

// Three tensors a sparse tensor, all of one rank and dtype.
//   Errors: INVALID_ARGUMENT where they do not fit together
Status CheckParts(const std::vector<Tensor>& tensors, DType dtype) {
  for (size_t i = 0; i < tensors.size(); i += 3) {
    const Tensor& indices = tensors[i];
    const Tensor& values = tensors[i + 1];
    const Tensor& shape = tensors[i + 2];
    const auto wrong = [i](const std::string& what) {
      return InvalidArgument("SparseTensor[" + std::to_string(i / 3) + "]" + what);
    };
    if (indices.rank() != 2) return wrong(" has indices of shape " + DimsString(indices.dims()));
    if (values.rank() != 1) return wrong(" has values of shape " + DimsString(values.dims()));
    if (shape.rank() != 1) return wrong(" has a shape of shape " + DimsString(shape.dims()));
    if (indices.dtype() != DType::kInt64 || shape.dtype() != DType::kInt64) {
      return wrong(" has indices or a shape that are not int64");
    }
    if (values.dtype() != dtype) {
      return wrong(".values.dtype() is " + DTypeName(values.dtype()) + ", not " + DTypeName(dtype));
    }
    if (indices.dim(0) != values.dim(0)) return wrong(" has not an index for each value");
    if (indices.dim(1) != shape.dim(0)) return wrong(" has indices of another rank than its shape");
    if (shape.dim(0) != tensors[2].dim(0)) return wrong(" has another rank than those before it");
  }
  return Status();
}

// The elements of all, with the dimensions of `outer` before their own.
Status Join(KernelContext& context, const std::vector<Tensor>& tensors, DimsView outer) {
  SmallDims dims(outer);
  dims.resize(outer.size() + static_cast<size_t>(tensors[2].dim(0)), 0);
  int64_t count = 0;
  for (size_t i = 0; i < tensors.size(); i += 3) {
    count += tensors[i].dim(0);
    size_t d = outer.size();
    for (const int64_t size : tensors[i + 2].flat<int64_t>()) {
      if (size < 0)
        return InvalidArgument("a SparseTensor has a dimension " + std::to_string(size));
      dims[d] = std::max(dims[d], size);
      ++d;
    }
  }
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  TAGFLOW_ASSIGN_OR_RETURN(int64_t * place,
                           SetMatrix(context, 0, count, static_cast<int64_t>(dims.size())));
  const DType dtype = tensors[1].dtype();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * values, context.Allocate(1, dtype, SmallDims(1, count)));
  const Mover& mover = MoverOf(dtype);
  int64_t done = 0;
  for (size_t i = 0; i < tensors.size(); i += 3) {
    const int64_t elements = tensors[i].dim(0), rank = tensors[i].dim(1);
    const int64_t* inner = tensors[i].data<int64_t>();
    for (int64_t k = 0; k < elements; ++k, inner += rank) {
      PutPlace(static_cast<int64_t>(i / 3), outer, place);
      place = std::copy_n(inner, rank, place + outer.size());
    }
    mover.run(tensors[i + 1].raw_data(), mover.At(values->mutable_raw_data(), done), elements);
    done += elements;
  }
  return SetShape(context, 2, dims);
}

//   serialized_sparse: [..., 3]
//   Outputs: the one sparse tensor, as it is; or of several one in which each is a slice
Status Deserialize(KernelContext& context, DType dtype) {
  const Tensor& written = context.input(0);
  if (written.rank() == 0) return InvalidArgument("Serialized sparse should have non-zero rank []");
  if (written.dims().back() != 3) {
    return InvalidArgument("Serialized sparse should have 3 as the last dimension " +
                           DimsString(written.dims()));
  }
  if (written.num_elements() == 0) {
    return InvalidArgument("Serialized sparse should have at least 1 serialized tensor, not " +
                           DimsString(written.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> tensors, TensorsOf(written));
  TAGFLOW_RETURN_IF_ERROR(CheckParts(tensors, dtype));
  const SmallDims outer(written.dims().first(static_cast<size_t>(written.rank()) - 1));
  if (!outer.empty()) return Join(context, tensors, outer);
  for (int i = 0; i < 3; ++i) context.output(i) = std::move(tensors[static_cast<size_t>(i)]);
  return Status();
}

Result<BoundKernel> BindDeserialize(const Binding& binding) {
  const DType dtype = binding.output_dtype(1);
  if (!IsTensorDType(dtype)) return NoKernelFor(binding, dtype);
  return BoundKernel([dtype](KernelContext& context) { return Deserialize(context, dtype); });
}

}  // namespace

Status RegisterSparseSerializationKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SerializeSparse", BindSerialize},
                                {"SerializeManySparse", BindSerializeMany},
                                {"DeserializeSparse", BindDeserialize},
                                {"DeserializeManySparse", BindDeserialize}});
}

}  // namespace tagflow::optimized
