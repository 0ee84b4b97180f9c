// Tested by conformance/ops/math.ops.

#include "optimized/kernels/elementwise.h"

#include <algorithm>
#include <atomic>

#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/part.h"

namespace tagflow::optimized {
namespace {

struct alignas(64) WideBlock {
  char bytes[kWideBlock * kWideSizeMax];
};

int64_t SizeOf(DType dtype) { return static_cast<int64_t>(DTypeSize(dtype)); }

// `index` elements of `size` bytes further on.
template <typename Pointer>
Pointer Advanced(Pointer pointer, int64_t index, int64_t size) {
  using Byte =
      std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const char, char>;
  return static_cast<Byte*>(pointer) + index * size;
}

// Elements that are loaded where they need widening; else themselves.
const void* Loaded(const Elements& elements, const void* from, int64_t count, WideBlock& block) {
  if (elements.load == nullptr) return from;
  elements.load->load(from, block.bytes, count);
  return block.bytes;
}

bool IsPlain(const Elements& elements) {
  return elements.load == nullptr && elements.store == nullptr;
}

// A row whose elements are widened or narrowed, block by block. Each block is read before it is
// written, so that the output may be an input.
const char* ComputeWidened(const PairLoop& loop, const PairRow& row) {
  const Elements& elements = loop.elements;
  WideBlock x, y, out;
  for (int64_t done = 0; done < row.count; done += kWideBlock) {
    const int64_t count = std::min(kWideBlock, row.count - done);
    const void* from_x = Advanced(row.x, done * row.x_step, SizeOf(elements.input));
    const void* from_y = Advanced(row.y, done * row.y_step, SizeOf(elements.input));
    void* to = Advanced(row.out, done, SizeOf(elements.output));
    const char* why =
        loop.compute({Loaded(elements, from_x, row.x_step == 0 ? 1 : count, x), row.x_step,
                      Loaded(elements, from_y, row.y_step == 0 ? 1 : count, y), row.y_step,
                      elements.store == nullptr ? to : out.bytes, count},
                     loop.parameter);
    if (why != nullptr) return why;
    if (elements.store != nullptr) elements.store->store(out.bytes, to, count);
  }
  return nullptr;
}
void ComputeWidened(const MapLoop& loop, const MapRow& row) {
  const Elements& elements = loop.elements;
  WideBlock x, out;
  for (int64_t done = 0; done < row.count; done += kWideBlock) {
    const int64_t count = std::min(kWideBlock, row.count - done);
    const void* from = Advanced(row.x, done, SizeOf(elements.input));
    void* to = Advanced(row.out, done, SizeOf(elements.output));
    loop.compute(
        {Loaded(elements, from, count, x), elements.store == nullptr ? to : out.bytes, count},
        loop.parameter);
    if (elements.store != nullptr) elements.store->store(out.bytes, to, count);
  }
}

// An input as its elements pair up.
struct Operand {
  DimsView dims;
  int64_t count;

  bool repeats_to(const Operand& other) const {
    return count == 1 && dims.size() <= other.dims.size();
  }
};

// As std::ranges::equal, which is a call, for the few dimensions that there are.
bool AreEqual(DimsView a, DimsView b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// The shape of the output, held by an input or by `broadcast`. `row` is set where the whole of it
// is one row; its count is 0 else.
Result<DimsView> ShapeOf(PairShapes shapes, const Operand& x, const Operand& y, PairRow& row,
                         Dims& broadcast) {
  const bool is_same = AreEqual(x.dims, y.dims);
  if (!is_same && shapes == PairShapes::kSame) {
    return InvalidArgument("the inputs must have one shape, not " + DimsString(x.dims) + " and " +
                           DimsString(y.dims));
  }
  if (is_same || y.repeats_to(x)) {
    row.x_step = 1;
    row.y_step = is_same ? 1 : 0;
    row.count = x.count;
    return x.dims;
  }
  if (x.repeats_to(y)) {
    row.x_step = 0;
    row.y_step = 1;
    row.count = y.count;
    return y.dims;
  }
  TAGFLOW_ASSIGN_OR_RETURN(broadcast, BroadcastShape(x.dims, y.dims));
  return DimsView(broadcast);
}

const char* ComputeRows(const PairLoop& loop, const PairRow& whole, const BroadcastRows& rows) {
  const int64_t size = SizeOf(loop.elements.input);
  const int64_t out_size = SizeOf(loop.elements.output) * rows.row_size();
  const char* why = nullptr;
  int64_t number = 0;
  rows.ForEach([&](const int64_t* offsets) {
    why = ComputeRow(loop, {Advanced(whole.x, offsets[0], size), rows.step(0),
                            Advanced(whole.y, offsets[1], size), rows.step(1),
                            Advanced(whole.out, number++, out_size), rows.row_size()});
    return why == nullptr;
  });
  return why;
}

// About how long a pair takes, and an element of one input, of which many formulas are functions.
constexpr double kPairNs = 0.5, kMapNs = 1.0;

// One row, in parts on several threads where it is long.
const char* ComputeInParts(const PairLoop& loop, const PairRow& row, const KernelContext& context) {
  if (context.services().crew == nullptr) return ComputeRow(loop, row);
  const int64_t size = SizeOf(loop.elements.input), out_size = SizeOf(loop.elements.output);
  std::atomic<const char*> why = nullptr;
  context.ForRanges(row.count, kPairNs, [&](int64_t begin, int64_t end) {
    const char* const refused =
        ComputeRow(loop, {Advanced(row.x, begin * row.x_step, size), row.x_step,
                          Advanced(row.y, begin * row.y_step, size), row.y_step,
                          Advanced(row.out, begin, out_size), end - begin});
    if (refused != nullptr) why = refused;
  });
  return why;
}

// The form of the type that elements of this dtype are computed in.
template <typename Form>
const Form& FormOf(const Forms<Form>& forms, DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return forms.of_bool;
    case DType::kInt32:
      return forms.of_int32;
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt64:
      return forms.of_int64;
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
      return forms.of_uint64;
    case DType::kFloat:
      return forms.of_float;
    case DType::kDouble:
      return forms.of_double;
    case DType::kHalf:
      return forms.of_half;
    case DType::kBFloat16:
      return forms.of_bfloat16;
    case DType::kComplex64:
      return forms.of_complex64;
    case DType::kComplex128:
      return forms.of_complex128;
    default:
      return forms.of_string;
  }
}

// The function for scalars of this dtype: one compiled for int64 is not for an int8 widened to it.
template <typename Form>
BoundKernel::Function CallOf(const Form& form, const Widening* widening,
                             BoundKernel::Function general) {
  return widening == nullptr ? form.call : general;
}

Elements ElementsOf(DType dtype, const Widening* widening, bool gives_bool) {
  if (gives_bool) return {dtype, DType::kBool, widening, nullptr};
  return {dtype, dtype, widening, widening};
}

}  // namespace

Status CallPairs(const void* state, KernelContext& context) {
  return RunPairs(*static_cast<const PairLoop*>(state), context);
}
Status CallMap(const void* state, KernelContext& context) {
  return RunMap(*static_cast<const MapLoop*>(state), context);
}

const char* ComputeRow(const PairLoop& loop, const PairRow& row) {
  if (IsPlain(loop.elements)) return loop.compute(row, loop.parameter);
  return ComputeWidened(loop, row);
}
void ComputeRow(const MapLoop& loop, const MapRow& row) {
  if (IsPlain(loop.elements)) return loop.compute(row, loop.parameter);
  ComputeWidened(loop, row);
}

Status RunPairs(const PairLoop& loop, KernelContext& context) {
  return RunPairs(loop, context, context.input(0).dims(), context.input(1).dims());
}

Status RunPairs(const PairLoop& loop, KernelContext& context, DimsView x_dims, DimsView y_dims) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  PairRow row = {};
  Dims broadcast;
  TAGFLOW_ASSIGN_OR_RETURN(
      const DimsView dims,
      ShapeOf(loop.shapes, {x_dims, x.num_elements()}, {y_dims, y.num_elements()}, row, broadcast));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, loop.elements.output, dims, {0, 1}));
  row.x = x.raw_data();
  row.y = y.raw_data();
  row.out = out->mutable_raw_data();
  const char* why = row.count > 0 ? ComputeInParts(loop, row, context)
                                  : ComputeRows(loop, row, BroadcastRows({x_dims, y_dims}, dims));
  return why == nullptr ? Status() : InvalidArgument(why);
}

Status RunMap(const MapLoop& loop, KernelContext& context) {
  const Tensor& x = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, loop.elements.output, x.dims(), {0}));
  const void* const from = x.raw_data();
  void* const to = out->mutable_raw_data();
  context.ForRanges(x.num_elements(), kMapNs, [&](int64_t begin, int64_t end) {
    ComputeRow(loop, MapRow{Advanced(from, begin, SizeOf(loop.elements.input)),
                            Advanced(to, begin, SizeOf(loop.elements.output)), end - begin});
  });
  return Status();
}

PairLoop FindPairLoop(DType dtype, const PairForms& forms) {
  const PairForm& form = FormOf(forms, dtype);
  PairLoop loop = {form.compute, ElementsOf(dtype, ComputingWidening(dtype), form.gives_bool)};
  loop.formula = form.formula;
  return loop;
}

Result<BoundKernel> BindPairs(const Binding& binding, DTypeSet dtypes, const PairForms& forms,
                              PairShapes shapes, double parameter) {
  const DType dtype = binding.input_dtype(0);
  PairLoop loop = FindPairLoop(dtype, forms);
  if (!Contains(dtypes, dtype) || loop.compute == nullptr) return NoKernelFor(binding, dtype);
  loop.shapes = shapes;
  loop.parameter = parameter;
  const auto call = CallOf(FormOf(forms, dtype), ComputingWidening(dtype), CallPairs);
  return BindLoop(call, loop);
}

Result<BoundKernel> BindMap(const Binding& binding, DTypeSet dtypes, const MapForms& forms,
                            double parameter) {
  const DType dtype = binding.input_dtype(0);
  const MapForm& form = FormOf(forms, dtype);
  if (!Contains(dtypes, dtype) || form.compute == nullptr) return NoKernelFor(binding, dtype);
  const Widening* widening = ComputingWidening(dtype);
  const Elements elements = ElementsOf(dtype, widening, form.gives_bool);
  return BindLoop(CallOf(form, widening, CallMap),
                  MapLoop{form.compute, elements, parameter, form.formula});
}

Result<BoundKernel> BindDoubleMap(const Binding& binding, DTypeSet dtypes,
                                  const DoubleForms& forms) {
  const DType dtype = binding.input_dtype(0);
  const MapForm& form = IsComplex(dtype)          ? forms.of_complex
                        : dtype == DType::kFloat  ? forms.of_float
                        : dtype == DType::kDouble ? forms.of_double
                                                  : forms.of_short;
  if (!Contains(dtypes, dtype) || form.compute == nullptr) return NoKernelFor(binding, dtype);
  const bool is_native = dtype == DType::kFloat && forms.computes_float;
  const Elements elements =
      ElementsOf(dtype, is_native ? nullptr : WidestWidening(dtype), form.gives_bool);
  return BindLoop(form.call, MapLoop{form.compute, elements, 0, form.formula});
}

Binder PairBinder(DTypeSet dtypes, const PairForms& forms, PairShapes shapes) {
  return [dtypes, &forms, shapes](const Binding& binding) {
    return BindPairs(binding, dtypes, forms, shapes);
  };
}
Binder MapBinder(DTypeSet dtypes, const MapForms& forms) {
  return [dtypes, &forms](const Binding& binding) { return BindMap(binding, dtypes, forms); };
}
Binder DoubleMapBinder(DTypeSet dtypes, const DoubleForms& forms) {
  return [dtypes, &forms](const Binding& binding) { return BindDoubleMap(binding, dtypes, forms); };
}

}  // namespace tagflow::optimized
