#include "fuzz/kernels/fitting.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "fuzz/kernels/convolution_call.h"
#include "fuzz/kernels/equation.h"
#include "fuzz/kernels/image_call.h"
#include "fuzz/kernels/recurrent_call.h"
#include "fuzz/kernels/values.h"
#include "graph/rounding.h"
#include "optimized/kernels/chain.h"
#include "optimized/kernels/gather.h"

namespace tagflow::fuzz {
namespace {

using enum ArgRole;

bool IsData(ArgRole role) { return role <= kBase64; }
bool IsOnAxis(ArgRole role) {
  return role == kAxis || role == kAxes || role == kAxisOrAxes || role == kPerAxis ||
         role == kPieceSizes;
}

bool Has(const OpDef& op, ArgRole role) {
  return std::ranges::any_of(op.inputs, [&](const ArgDef& arg) { return arg.role == role; });
}

// What an op of that layout asks of its data: nothing, the same shape, the same but on an axis.
bool HasMeaning(const OpDef& op, bool on_axis) {
  return std::ranges::any_of(op.inputs, [&](const ArgDef& arg) {
    return !IsData(arg.role) && IsOnAxis(arg.role) == on_axis;
  });
}

// How many dimensions the images of an op have, in each of which its windows have a size; 0 where
// the op is not on images.
size_t ImageRank(const OpDef& op) {
  if (op.FindAttr("ksizes") != nullptr || op.FindAttr("rates") != nullptr) return 4;
  const AttrDef* sizes = op.FindAttr("ksize");
  if (sizes != nullptr) return static_cast<size_t>(sizes->minimum.value_or(4));
  const auto is_one = [](const ArgDef& arg) { return arg.name == "ksize"; };
  const bool takes_sizes = std::ranges::any_of(op.inputs, is_one);
  const bool is_norm =
      op.FindAttr("is_training") != nullptr || op.FindAttr("depth_radius") != nullptr;
  return takes_sizes || is_norm ? 4 : 0;
}

// Sizes of windows, or strides, as an attr: of the spatial dimensions alone.
AttrList WindowSizes(size_t rank, Choices& choices) {
  AttrList list;
  list.ints.assign(rank, 1);
  for (size_t i = 1; i + 1 < rank; ++i) {
    if (choices.Chance(kEvenly)) list.ints[i] = choices.Between(kFew);
  }
  return list;
}

Dims DrawFittingDims(const OpDef& op, Choices& choices) {
  if (const size_t rank = ImageRank(op); rank > 0) {
    Dims dims(rank);
    for (int64_t& dim : dims) dim = choices.Chance(kRarely) ? 0 : choices.Between(kFew);
    return dims;
  }
  constexpr Odds kRanks[] = {kSometimes, kEvenly, kSometimes, kSeldom};
  Dims dims(op.FindAttr("block_size") != nullptr ? 4 : choices.Weighted(kRanks) + 1);
  if (op.FindAttr("block_size") != nullptr) {
    for (int64_t& dim : dims) dim = choices.Chance(kEvenly) ? 2 : 4;
    return dims;
  }
  static const auto& sizes = *new std::vector<int64_t>{2, 3, 1, 4, 2, 3, 5, 6};
  const bool is_reshape = Has(op, kNewShape);  // what is not said is found from what is not zero
  for (int64_t& dim : dims)
    dim = choices.Chance(is_reshape ? kSometimes : kSeldom) ? 0 : choices.Of(sizes);
  // Rows of about the length from which on kernels work row by row, or of twice that, so that
  // halves are of it. Half of such matrices are square.
  const bool has_layouts = op.FindAttr("data_format") != nullptr;
  const bool has_rows = choices.Chance(has_layouts ? kEvenly : kSeldom);
  if (has_rows) dims.back() = choices.AroundLimit(optimized::kRowMin);
  if (has_rows && dims.size() == 2 && choices.Chance(kEvenly)) dims[0] = dims.back();
  // Channels may be the second dimension or the last.
  if (has_layouts && choices.Chance(kEvenly)) {
    dims.insert(dims.begin(), 2, 2);
    dims.erase(dims.begin(), dims.end() - 3);
    dims[1] = dims[2];
  }
  return dims;
}

bool CountsOutputs(const AttrDef& attr) {
  const bool is_number = attr.name == "num" && attr.kind == AttrKind::kInt;
  return is_number || attr.name == "num_split" || attr.name == "num_partitions";
}

bool Flag(const Node& node, const char* name, const char* other) {
  const Result<bool> flag = BoolAttr(node, name);
  const Result<bool> same = BoolAttr(node, other);
  return (flag.ok() && *flag) || (same.ok() && *same);
}

}  // namespace

bool Fitting::IsWholeNumber(DType dtype) {
  using enum DType;
  return dtype == kInt8 || dtype == kInt16 || dtype == kInt32 || dtype == kInt64;
}

Fitting::Fitting(const OpDef& op, Choices& choices) : op_(op), choices_(choices) {
  dims_ = DrawFittingDims(op, choices);
  const bool is_of_two = op.FindAttr("transpose_a") != nullptr;  // a product, and of no batches
  is_product_ = is_of_two || op.FindAttr("adj_x") != nullptr;
  while (is_product_ && dims_.size() < 2) dims_.push_back(3);
  is_large_ = is_product_ && choices.Chance(kEvenly);
  if (is_large_) {
    dims_[dims_.size() - 2] = choices.Chance(kSometimes) ? 1 : choices.Between(kSeveral);
    dims_.back() = choices.Between(kMany);
  }
  // A column times a row.
  if (is_product_ && choices.Chance(kSometimes))
    dims_[dims_.size() - choices.Between(kOneOrTwo)] = 1;
  is_of_vectors_ = is_product_ && choices.Chance(is_of_two ? kSometimes : kSeldom);
  if (is_of_vectors_) dims_.back() = 1;
  if (Has(op, kRows) || is_of_two) dims_.resize(2, 3);
  FitTransform();
  if (op.FindAttr("seq_dim") != nullptr && dims_.size() < 2) dims_.push_back(2);
  if (Has(op, kTriples)) dims_.back() = 3;
  axis_ = choices.Below(dims_.size());
  axis_in_vector_ = choices.Chance(kEvenly);
  has_two_axes_ = choices.Chance(kEvenly);
  if (Has(op, kMatrices)) {
    if (dims_.size() < 2) dims_.push_back(2);
    dims_.back() = dims_[dims_.size() - 2];
  }
  if (HasMeaning(op, false)) return;
  constexpr Odds kLayouts[] = {kEvenly, kSometimes, kSometimes};
  layout_ = static_cast<Layout>(choices.Weighted(kLayouts));
  if (HasMeaning(op, true) && layout_ == Layout::kBroadcast) layout_ = Layout::kAlongAxis;
}

int64_t Fitting::AxisOrNegative() { return choices_.Chance(kEvenly) ? axis_ - rank() : axis_; }

void Fitting::FitAttrs(Graph& graph, NodeId id) {
  for (const AttrDef& attr : op_.attrs) {
    if (attr.kind == AttrKind::kType) FitType(graph, id, attr);
    if (attr.name == "axis") graph.SetAttr(id, attr.name, AxisOrNegative());
    if (ImageRank(op_) > 0) FitImageAttr(graph, id, attr);
    FitTextAttr(graph, id, attr);
    FitRaggedAttr(graph, id, attr);
    if (attr.name == "seq_dim") {
      axis_ = std::max<int64_t>(axis_, 1);
      graph.SetAttr(id, attr.name, axis_);
    }
    // As many as there are words, one less or one more.
    if (attr.name == "maxsplit" && choices_.Chance(kEvenly)) {
      graph.SetAttr(id, attr.name, choices_.Between(kUpToThree));
    }
    if (attr.name == "bad_indices_policy") graph.SetAttr(id, attr.name, DrawPolicy());
    if (attr.name == "key") {
      const int64_t first = choices_.Between(kEitherSign), second = choices_.Between(kEitherSign);
      graph.SetAttr(id, attr.name, IntList({first, second}));
    }
    if (attr.name == "batch_dim") graph.SetAttr(id, attr.name, int64_t{0});
    if (attr.name == "batch_dims") {
      batch_dims_ = dims_.size() > 1 && choices_.Chance(kEvenly) ? 1 : 0;
      axis_ = std::max(axis_, batch_dims_);
      index_dims_ = Has(op_, kAxis) ? choices_.Between(kOneOrTwo) : 1;
      const bool from_end = Has(op_, kAxis) && choices_.Chance(kSometimes);
      graph.SetAttr(id, attr.name, from_end ? -index_dims_ : batch_dims_);
    }
    if (attr.name.ends_with("_mask")) graph.SetAttr(id, attr.name, Mask(attr.name));
    if (attr.name == "block_size") {
      graph.SetAttr(id, attr.name, int64_t{2});
      if (op_.FindAttr("data_format") != nullptr && choices_.Chance(kNearlyAlways)) {
        graph.SetAttr(id, "data_format", std::string("NHWC"));
      }
    }
    if (CountsOutputs(attr)) {
      const bool are_parts = attr.name == "num_partitions";
      count_ = are_parts ? choices_.Between(kFew) : std::max<int64_t>(DimAt(axis_), 1);
      graph.SetAttr(id, attr.name, count_);
    }
    if (attr.name == "squeeze_dims") {
      dims_[static_cast<size_t>(axis_)] = 1;
      graph.SetAttr(id, attr.name, IntList({AxisOrNegative()}));
    }
    if (attr.name == "equation") {
      const Result<int64_t> terms = IntAttr(graph.node(id), "N");
      const Equation equation =
          DrawEquation(terms.ok() ? std::min<int64_t>(*terms, 8) : 1, choices_);
      graph.SetAttr(id, attr.name, equation.text);
      term_dims_ = equation.dims;
    }
  }
  FitTogether(graph, id);
  const Node& node = graph.node(id);
  swaps_first_ = Flag(node, "transpose_a", "adj_x");
  swaps_second_ = Flag(node, "transpose_b", "adj_y");
  NoteRoles(node);
}

void Fitting::FitTogether(Graph& graph, NodeId id) {
  FitImages();
  if (IsRecurrent(op_)) term_dims_ = DrawRecurrentDims(op_, choices_);
  if (!IsConvolution(op_)) return;
  const ConvolutionCall call = DrawConvolution(op_, graph, id, choices_);
  term_dims_ = call.data;
  dims_ = call.spelled;
}

void Fitting::FitImages() {
  if (!IsOnImages(op_)) return;
  const ImageCall call = DrawImages(op_, choices_);
  term_dims_ = call.data;
  dims_ = call.spelled;
}

// Where strides are 1 and the padding SAME, all that there is of a pooling is of one shape.
void Fitting::FitImageAttr(Graph& graph, NodeId id, const AttrDef& attr) {
  const size_t rank = ImageRank(op_);
  if (attr.name == "data_format" && attr.default_value && choices_.Chance(kNearlyAlways)) {
    graph.SetAttr(id, attr.name, *attr.default_value);
  }
  if (attr.name.starts_with("ksize") || attr.name == "rates")
    graph.SetAttr(id, attr.name, WindowSizes(rank, choices_));
  if (attr.name == "strides") {
    const bool are_ones = choices_.Chance(kEvenly);
    const AttrList strides = WindowSizes(rank, choices_);
    AttrList ones;
    ones.ints.assign(rank, 1);
    graph.SetAttr(id, attr.name, are_ones ? ones : strides);
  }
  if (attr.name == "padding" && choices_.Chance(kEvenly)) {
    graph.SetAttr(id, attr.name, std::string("SAME"));
  }
  if (attr.name == "explicit_paddings" && choices_.Chance(kMostly)) {
    graph.SetAttr(id, attr.name, AttrList());
  }
  if (attr.name == "depth_radius") graph.SetAttr(id, attr.name, int64_t{choices_.Between(kFew)});
}

// One that there are tensors of; often float, which the most code is for.
void Fitting::FitType(Graph& graph, NodeId id, const AttrDef& attr) {
  const bool may_be_float =
      std::ranges::find(attr.allowed_types, DType::kFloat) != attr.allowed_types.end();
  if (may_be_float && choices_.Chance(kSometimes)) graph.SetAttr(id, attr.name, DType::kFloat);
  for (int tries = 0; tries < 5 && !attr.allowed_types.empty(); ++tries) {
    const Result<DType> type = TypeAttr(graph.node(id), attr.name);
    if (!type.ok() || IsTensorDType(*type)) return;
    graph.SetAttr(id, attr.name, choices_.Of(attr.allowed_types));
  }
}

std::string Fitting::DrawPolicy() {
  static const auto& policies = *new std::vector<std::string>{"", "DEFAULT", "ERROR", "IGNORE"};
  return choices_.Of(policies);
}

// A bit for each dimension that it is about; for one at most of an ellipsis.
int64_t Fitting::Mask(const std::string& attr) {
  if (choices_.Chance(kEvenly)) return 0;
  const auto dims = static_cast<uint32_t>(dims_.size());
  if (attr == "ellipsis_mask") return int64_t{1} << choices_.Below(dims);
  return choices_.Below(size_t{1} << dims);
}

void Fitting::NoteRoles(const Node& node) {
  for (const ArgDef& arg : op_.inputs) {
    const Result<int64_t> number = IntAttr(node, arg.number_attr);
    const int64_t repeats = number.ok() && !arg.number_attr.empty() ? *number : 1;
    for (int64_t i = 0; i < std::clamp<int64_t>(repeats, 0, 16); ++i) roles_.push_back(arg.role);
  }
}

// Now and then one thing is off, and all else fits: what nearly fits is where checks are.
Tensor Fitting::Input(size_t index, DType dtype) {
  Tensor input = WellFitting(index, dtype);
  const bool has_meaning = !IsData(RoleAt(index));
  if (has_meaning && input.num_elements() > 0 && choices_.Chance(kSeldom)) SpoilNumber(input);
  if (!has_meaning && choices_.Chance(Has(op_, kStrides) ? kSeldom : kRarely)) {
    return WithOnesInFront(input);
  }
  return choices_.Chance(kRarely) ? OfAnotherShape(input) : input;
}

Tensor Fitting::WellFitting(size_t index, DType dtype) {
  const ArgRole role = RoleAt(index);
  if (role == kRate && choices_.Chance(kEvenly)) return DrawFraction(dtype, choices_);
  if (IsSplits(index)) return Splits(dtype);
  if (role == kScalar || role == kRate) return DrawTensor(dtype, {}, choices_);
  if (role == kUpdates) return DrawTensor(dtype, update_dims_, choices_);
  if (role == kSeparator && dtype == DType::kString) {
    static const auto& separators =
        *new std::vector<std::string>{",", "", " ", ",,", "(.)|,", "\\1"};
    return Tensor::Scalar<std::string>(choices_.Of(separators));
  }
  if (role == kBase64 && choices_.Chance(kEvenly)) return Base64();
  if (role == kKey) return DrawTensor(dtype, {1}, choices_);
  if (role == kCounter) return DrawTensor(dtype, {2}, choices_);
  if (role == kRange) return Range(dtype);
  if (role == kDiagonals) return DrawTensor(dtype, {dims_.begin(), dims_.end() - 1}, choices_);
  if (role == kBias) return DrawTensor(dtype, {dims_.back()}, choices_);
  if (role == kFlags) return DrawTensor(dtype, {rank()}, choices_);
  return IsWholeNumber(dtype) ? WholeNumbers(role, dtype) : Data(dtype);
}

Tensor Fitting::WholeNumbers(ArgRole role, DType dtype) {
  switch (role) {
    case kAxis:
    case kAxes:
    case kAxisOrAxes:
    case kPerAxis:
      return AxisLike(role, dtype);
    case kCount:
      return Make(dtype, {}, {choices_.Between(kUpToFour)});
    case kColumnCount:
      return Make(dtype, {}, {choices_.Between(0, static_cast<int>(dims_.back()))});
    case kGroupCount:
      return Make(dtype, {}, {kFew.most + choices_.Between(kUpToTwo)});
    case kCountOrAny:
      return CountOrAny(dtype);
    case kAlgorithm:
      return Make(dtype, {}, {choices_.Chance(kMostly) ? 1 : choices_.Between(kUpToFour)});
    case kElementShape:
      return Make(dtype, {}, {-1});
    case kBand:
      return Band(dtype);
    case kBegins:
    case kEnds:
    case kStrides:
    case kSliceSizes:
    case kMultiples:
      return PerDim(role, dtype);
    case kPermutation:
      return Permutation(dtype);
    case kShape:
      return VectorOf(dtype, dims_);
    case kNewShape:
      return NewShape(dtype);
    case kPieceSizes:
      return Sizes(dtype);
    case kBlocks:
      return Blocks(dtype);
    case kPaddings:
    case kCrops:
      return Paddings(role, dtype);
    case kIndices:
    case kCoordinates:
      return Indices(role, dtype);
    case kSeed:
      return VectorOf(dtype, {choices_.Between(kMany), choices_.Between(kMany)});
    case kRowNumbers:
    case kGroups:
    case kPartitions:
      return RowNumbers(role, dtype);
    default:
      return Data(dtype);
  }
}

// With all the padding there should be, some, or none.
Tensor Fitting::Base64() {
  static const auto& texts = *new std::vector<std::string>{"YQ==", "YWI=", "YWJj",     "YQ", "YWI",
                                                           "YQ=",  "-_-_", "YWJjZA==", "="};
  return Tensor::Scalar<std::string>(choices_.Of(texts));
}

Tensor Fitting::Data(DType dtype) {
  const size_t index = data_++;
  const bool is_first = index == 0;
  if (index < term_dims_.size()) return DrawTensor(dtype, term_dims_[index], choices_);
  // Types have ends.
  if (IsConversion(op_) && !choices_.Chance(kSeldom)) {
    static const auto& values = *new std::vector{DrawSpecials, DrawEndless, DrawFine};
    return choices_.Of(values)(dtype, dims_, choices_);
  }
  if (is_product_) return DrawTensor(dtype, is_first ? dims_ : FactorDims(), choices_);
  if (layout_ == Layout::kBroadcast && !choices_.Chance(kEvenly)) {
    return DrawTensor(dtype, WithOnes(), choices_);
  }
  Dims dims = dims_;
  if (layout_ == Layout::kAlongAxis && !is_first) {
    dims[static_cast<size_t>(axis_)] = choices_.Between(kUpToFour);
  }
  return DrawTensor(dtype, dims, choices_);
}

// What the first factor, of the call's shape, can be multiplied by.
Dims Fitting::FactorDims() {
  Dims dims = dims_;
  int64_t& rows = dims[dims.size() - 2];
  int64_t& columns = dims.back();
  if (!swaps_first_) rows = columns;
  columns = is_of_vectors_ ? 1 : choices_.Between(is_large_ ? kMany : kFew);
  if (swaps_second_) std::swap(rows, columns);
  if (!choices_.Chance(kSometimes)) return dims;
  // One for many of the first, and the other way round.
  if (choices_.Chance(kEvenly)) return {rows, columns};
  for (size_t i = 0; i + 2 < dims.size(); ++i) dims[i] = choices_.Chance(kEvenly) ? 1 : dims[i];
  return dims;
}

Dims Fitting::WithOnes() {
  Dims dims(dims_.begin() + choices_.Below(dims_.size()), dims_.end());
  for (int64_t& dim : dims) {
    if (choices_.Chance(kSometimes)) dim = 1;
  }
  return dims;
}

Tensor Fitting::Make(DType dtype, const Dims& dims, const Numbers& values) {
  Tensor tensor = *Tensor::Allocate(dtype, dims);
  const auto fill = [&]<typename T>(T) { std::ranges::copy(values, tensor.mutable_data<T>()); };
  if (dtype == DType::kInt8) fill(int8_t{});
  if (dtype == DType::kInt16) fill(int16_t{});
  if (dtype == DType::kInt32) fill(int32_t{});
  if (dtype == DType::kInt64) fill(int64_t{});
  return tensor;
}

Tensor Fitting::VectorOf(DType dtype, const Numbers& values) {
  return Make(dtype, {static_cast<int64_t>(values.size())}, values);
}

// Where an op takes several, sometimes a vector of one.
Tensor Fitting::AxisLike(ArgRole role, DType dtype) {
  const bool may = role == kAxisOrAxes || role == kPerAxis;
  const bool in_vector = role == kAxes || (may && axis_in_vector_);
  if (!in_vector || !has_two_axes_) {
    return Make(dtype, in_vector ? Dims{1} : Dims{}, {AxisOrNegative()});
  }
  const int64_t beside = choices_.Chance(kEvenly) ? 1 : rank() - 1;
  // Twice the same, perhaps by another name, few may have: those with a number for each.
  const bool is_same = choices_.Chance(Has(op_, kPerAxis) ? kEvenly : kSeldom);
  const int64_t next = is_same ? AxisOrNegative() : (axis_ + beside) % rank();
  return VectorOf(dtype, {AxisOrNegative(), next});
}

// Room for the longest diagonal, or less.
Tensor Fitting::CountOrAny(DType dtype) {
  if (choices_.Chance(kEvenly)) return Make(dtype, {}, {-1});
  if (choices_.Chance(kEvenly)) return Make(dtype, {}, {dims_.back() + choices_.Between(kUpToTwo)});
  return Make(dtype, {}, {choices_.Between(kUpToFour)});
}

// One diagonal, the main one of matrices whose diagonals are set; or from the one to the other.
Tensor Fitting::Band(DType dtype) {
  if (Has(op_, kDiagonals) && choices_.Chance(kEvenly)) return Make(dtype, {}, {0});
  if (choices_.Chance(kEvenly)) return Make(dtype, {}, {choices_.Between(kEitherSign)});
  if (choices_.Chance(kEvenly)) {
    return VectorOf(dtype, {-choices_.Between(kUpToTwo), choices_.Between(kUpToTwo)});
  }
  return Make(dtype, {}, {choices_.Between(0, static_cast<int>(dims_.back()))});
}

// From a number to a larger one.
Tensor Fitting::Range(DType dtype) {
  const int least = choices_.Between(kEitherSign), most = least + choices_.Between(kSeveral);
  if (IsWholeNumber(dtype)) return VectorOf(dtype, {least, most});
  Tensor range = *Tensor::Allocate(dtype, Dims{2});
  const auto fill = [&]<typename T>(T) {
    range.mutable_flat<T>()[0] = static_cast<T>(least);
    range.mutable_flat<T>()[1] = static_cast<T>(most);
  };
  if (dtype == DType::kFloat) fill(float{});
  if (dtype == DType::kDouble) fill(double{});
  return range;
}

Tensor Fitting::PerDim(ArgRole role, DType dtype) {
  const bool strided = Has(op_, kStrides);
  Numbers numbers;
  for (size_t i = 0; i < dims_.size(); ++i) {
    const int dim = static_cast<int>(dims_[i]);
    int64_t number = choices_.Between(0, dim);
    if (role == kMultiples) number = choices_.Between(kUpToThree);
    if (role == kSliceSizes) {
      const int begin = begin_.empty() ? 0 : static_cast<int>(begin_[i]);  // drawn otherwise
      number = choices_.Between(-1, dim - begin);
    } else if (role == kStrides) {
      number = choices_.Between(kFew) * (choices_.Chance(kEvenly) ? -1 : 1);
    } else if (strided) {
      number = choices_.Between(-dim - 1, dim + 1);
    }
    numbers.push_back(number);
  }
  if (role == kBegins) begin_ = numbers;
  return VectorOf(dtype, numbers);
}

Tensor Fitting::Permutation(DType dtype) {
  Numbers numbers(dims_.size());
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  for (size_t i = numbers.size(); i > 1; --i) {
    std::swap(numbers[i - 1], numbers[choices_.Below(i)]);
  }
  return VectorOf(dtype, numbers);
}

Tensor Fitting::NewShape(DType dtype) {
  Numbers numbers = dims_;
  if (choices_.Chance(kEvenly)) std::ranges::reverse(numbers);
  if (choices_.Chance(kEvenly)) numbers[static_cast<size_t>(axis_)] = -1;
  return VectorOf(dtype, choices_.Chance(kSometimes) ? Numbers{-1} : numbers);
}

// As many as there are parts, which add up; one may be left to be found.
Tensor Fitting::Sizes(DType dtype) {
  Numbers sizes(static_cast<size_t>(count_), 0);
  for (int64_t left = DimAt(axis_); left > 0; --left) {
    ++sizes[choices_.Below(static_cast<size_t>(count_))];
  }
  if (choices_.Chance(kSometimes)) sizes[choices_.Below(static_cast<size_t>(count_))] = -1;
  return VectorOf(dtype, sizes);
}

Tensor Fitting::Blocks(DType dtype) {
  const bool divides = Has(op_, kCrops);
  int64_t left = DimAt(0);
  for (size_t i = 1; i < dims_.size() && i < 3; ++i) {
    const int64_t block = choices_.Between(kFew);
    const bool fits = !divides || left % block == 0;
    blocks_.push_back(fits ? block : 1);
    if (fits) left /= block;
  }
  return VectorOf(dtype, blocks_);
}

// Two numbers for every dimension, or for every one that has a block.
Tensor Fitting::Paddings(ArgRole role, DType dtype) {
  const bool pads = role == kPaddings;
  const bool has_block_size = op_.FindAttr("block_size") != nullptr;
  const Numbers blocks = has_block_size ? Numbers{2, 2} : blocks_;
  Numbers numbers;
  if (!has_block_size && !Has(op_, kBlocks)) {
    for (const int64_t dim : dims_) {
      const int most = static_cast<int>(std::clamp<int64_t>(dim - 1, 0, 2));
      numbers.insert(numbers.end(), {choices_.Between(0, most), choices_.Between(0, most)});
    }
    return Make(dtype, {rank(), 2}, numbers);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const int64_t over = dims_[i + 1] % blocks[i];
    const int64_t before = choices_.Between(kNoneOrOne);
    const int64_t missing = (2 * blocks[i] - over - before) % blocks[i];
    numbers.insert(numbers.end(), {before, pads ? missing : 0});
  }
  return Make(dtype, {static_cast<int64_t>(blocks.size()), 2}, numbers);
}

// Within every dimension; or rows of coordinates, each within its own.
Tensor Fitting::Indices(ArgRole role, DType dtype) {
  const int64_t least = std::max<int64_t>(*std::ranges::min_element(dims_), 1);
  Dims dims(dims_.begin(), dims_.begin() + batch_dims_);
  for (int64_t more = index_dims_; more > 0; --more) dims.push_back(choices_.Between(kFew));
  // About as many as kernels look up at once.
  if (dims.size() == 1 && choices_.Chance(kRarely)) {
    dims[0] = choices_.AroundLimit(optimized::kGatherBlock);
  }
  update_dims_ = dims;
  size_t depth = 1;
  if (role == kCoordinates) {
    depth = 1 + choices_.Below(dims_.size());
    dims.push_back(static_cast<int64_t>(depth));
  } else if (Has(op_, kRowNumbers)) {
    dims = {DimAt(0)};
  }
  update_dims_.insert(update_dims_.end(), dims_.begin() + static_cast<int>(depth), dims_.end());
  const auto number = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  Numbers numbers;
  const bool is_one_place = choices_.Chance(kSeldom);
  for (int64_t i = 0; i < number; ++i) {
    const bool is_again = is_one_place && i >= static_cast<int64_t>(depth);
    const int64_t below = depth > 1 ? DimAt(i % static_cast<int64_t>(depth)) : least;
    numbers.push_back(is_again ? numbers[static_cast<size_t>(i) - depth]
                               : choices_.Below(static_cast<size_t>(std::max<int64_t>(below, 1))));
  }
  return Make(dtype, dims, numbers);
}

// One for every row, or for every row of every matrix, none above what counts them.
Tensor Fitting::RowNumbers(ArgRole role, DType dtype) {
  const bool parts = role == kPartitions;
  const bool is_deep = role != kRowNumbers && rank() > 1 && choices_.Chance(kSometimes);
  const Dims dims = is_deep ? Dims{DimAt(0), DimAt(1)} : Dims{DimAt(0)};
  Numbers numbers(static_cast<size_t>(dims[0] * (is_deep ? dims[1] : 1)));
  for (int64_t& number : numbers)
    number = choices_.Below(static_cast<size_t>(parts ? count_ : kFew.most));
  if (!parts) std::ranges::sort(numbers);
  return Make(dtype, dims, numbers);
}

}  // namespace tagflow::fuzz
