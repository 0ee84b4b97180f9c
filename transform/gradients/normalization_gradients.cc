// Gradients of batch normalization, of its gradient, and of LRN and its gradient.
//
// Mean and variance are outputs of batch normalization, and inputs of its gradient: each op is
// differentiated by all its inputs as it is, and the whole follows. TensorFlow instead takes the
// gradient's mean and variance for functions of x, and gives none by them.

#include <string>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"
#include "transform/gradients/shape_vectors.h"

namespace tagflow {
namespace {

// The images that are input `slot` of a node, and what there is for each of their channels.
class Channels {
 public:
  Channels(NodeGradient& node, size_t slot) : node_(node), scope_(node.scope()), slot_(slot) {
    const Result<ImageLayout> layout = ParseImageLayout(StringAttrOf(node, "data_format"));
    if (layout.ok()) layout_ = *layout;
  }

  // A vector of the channels, so that it broadcasts to images.
  Output Along(const Output& vector) const {
    if (!layout_.channels_second) return vector;
    std::vector<int32_t> dims(static_cast<size_t>(layout_.rank), 1);
    dims[1] = -1;
    return Reshape(scope_, vector, Const(scope_, dims));
  }
  // The sums of each channel of images.
  Output SumOf(const Output& images) const {
    std::vector<int32_t> axes;
    for (int i = 0; i < layout_.rank; ++i) {
      if (i != layout_.channel()) axes.push_back(i);
    }
    return Sum(scope_, images, Const(scope_, axes));
  }
  // The number of elements of a channel, a float; of no elements, whose sums are zero, 1.
  Output Count() const {
    const int channel = layout_.channel();
    const Extent before = ExtentOfInput(node_, slot_, 0, channel);
    const Extent behind = ExtentOfInput(node_, slot_, channel + 1, layout_.rank - channel - 1);
    const Output count = AsOutput(scope_, Times(scope_, before, behind));
    return Cast(scope_, Maximum(scope_, count, 1), DType::kFloat);
  }
  Output Wide(const Output& images) const { return AsDType(scope_, images, DType::kFloat); }
  Output AsImages(const Output& wide) const {
    return AsDType(scope_, wide, node_.input_dtype(slot_));
  }

 private:
  NodeGradient& node_;
  const Scope& scope_;
  const size_t slot_;
  ImageLayout layout_;
};

// The op of the gradient that goes with that version of batch normalization, or of its gradient.
std::string GradOpOf(const std::string& op) {
  const std::string name = "FusedBatchNorm", grad = "Grad";
  const std::string rest = op.substr(name.size());
  return rest.starts_with(grad) ? op : name + grad + rest;
}

// What normalizes: x, and vectors.
struct Normalizer {
  Output x, scale, mean, variance;
  Output reserve;  // of version 3
};

Operation BatchNormGrad(NodeGradient& node, const Output& g, const Normalizer& by) {
  std::vector<Input> inputs = {g, by.x, by.scale, by.mean, by.variance};
  if (by.reserve.valid()) inputs.emplace_back(by.reserve);
  return Op(node.scope(), GradOpOf(node.node().op), inputs,
            {{"epsilon", FloatAttrOf(node, "epsilon")},
             {"data_format", StringAttrOf(node, "data_format")},
             {"is_training", BoolAttrOf(node, "is_training")}});
}

Output RootOf(NodeGradient& node, const Output& variance) {
  const Scope& scope = node.scope();
  return Op(scope, "Rsqrt", {Add(scope, variance, FloatAttrOf(node, "epsilon"))});
}

// ---- Batch normalization ----

// Of training, by x: outputs 1 to 4 are its mean and variance.
void GiveByStatistics(NodeGradient& node, const Normalizer& by) {
  const Scope& scope = node.scope();
  if (!node.has_grad(1) && !node.has_grad(2) && !node.has_grad(3) && !node.has_grad(4)) return;
  const Channels channels(node, 0);
  const float factor = FloatAttrOf(node, "exponential_avg_factor");
  const Output count = channels.Count();
  const Output of_sample = RealDiv(scope, count, Maximum(scope, Sub(scope, count, 1), 1));
  const Output by_mean = Add(scope, Mul(scope, node.grad(1), factor), node.grad(3));
  const Output by_variance =
      Add(scope, Mul(scope, node.grad(2), Mul(scope, of_sample, factor)), node.grad(4));
  const Output distance = Sub(scope, channels.Wide(by.x), channels.Along(by.mean));
  const Output both = Add(scope, channels.Along(by_mean),
                          Mul(scope, Mul(scope, distance, 2), channels.Along(by_variance)));
  node.Give(0, channels.AsImages(RealDiv(scope, both, count)));
}

// Outputs 1 and 2 of training are averages with inputs 3 and 4.
void GiveByAverages(NodeGradient& node) {
  const float factor = FloatAttrOf(node, "exponential_avg_factor");
  if (factor == 1) return;
  for (const size_t i : {1, 2}) {
    if (node.has_grad(i) && node.wants(i + 2)) {
      node.Give(i + 2, Mul(node.scope(), node.grad(i), 1 - factor));
    }
  }
}

// Of inference, by mean and variance, which come out as they are. backprop: of BatchNormGrad
void GiveByGivenStatistics(NodeGradient& node, const Normalizer& by, const Operation& backprop) {
  const Scope& scope = node.scope();
  for (const size_t port : {1, 2, 3, 4}) {
    const size_t slot = port % 2 == 1 ? 3 : 4;
    if (node.has_grad(port) && node.wants(slot)) node.Give(slot, node.grad(port));
  }
  if (!backprop.valid()) return;
  if (node.wants(3)) {
    const Output slope = Mul(scope, by.scale, RootOf(node, by.variance));
    node.Give(3, Neg(scope, Mul(scope, slope, backprop[2])));
  }
  if (node.wants(4)) {
    const Output half = Mul(scope, Mul(scope, by.scale, backprop[1]), -0.5F);
    node.Give(4, Mul(scope, half, Square(scope, RootOf(node, by.variance))));
  }
}

Status BatchNormGradient(NodeGradient& node) {
  const bool is_training = BoolAttrOf(node, "is_training");
  Normalizer by = {node.input(0), node.input(1), is_training ? node.output(3) : node.input(3),
                   is_training ? node.output(4) : node.input(4), Output()};
  if (node.node().op == "FusedBatchNormV3") by.reserve = node.output(5);
  Operation backprop;
  if (node.has_grad(0)) {
    backprop = BatchNormGrad(node, node.grad(0), by);
    for (const size_t slot : {0, 1, 2}) {
      if (backprop.valid() && node.wants(slot)) node.Give(slot, backprop[static_cast<int>(slot)]);
    }
  }
  if (!is_training) {
    GiveByGivenStatistics(node, by, backprop);
    return Status();
  }
  if (node.wants(0)) GiveByStatistics(node, by);
  GiveByAverages(node);
  return Status();
}

// ---- The gradient of batch normalization ----
//
// With d = x - mean, r = 1 / sqrt(variance + epsilon), n elements of a channel, sums over it, and
// the gradients h of x_backprop, p of scale_backprop and q of offset_backprop, what is
// differentiated is the sum of
//
//   p r sum(g d) + q sum(g)
//   scale r sum(g h)
//   in training also  - scale r (sum(g) sum(h) + r^2 sum(g d) sum(h d)) / n

struct GradSums {
  Output g, h, gd, hd, gh;  // sum(g), …
};

struct GradTerms {
  NodeGradient& node;
  const Scope& scope;
  Channels channels;
  Normalizer by;
  Output r, g, h, d, p, q;
  GradSums sums;

  Output Times(const Output& a, const Output& b) const { return Mul(scope, a, b); }
  Output Plus(const Output& a, const Output& b) const { return Add(scope, a, b); }
  Output Along(const Output& vector) const { return channels.Along(vector); }
};

GradTerms TermsOf(NodeGradient& node) {
  const Scope& scope = node.scope();
  GradTerms of{node, scope, Channels(node, 1), {}, {}, {}, {}, {}, {}, {}, {}};
  of.by = {node.input(1), node.input(2), node.input(3), node.input(4), Output()};
  if (node.num_inputs() > 5) of.by.reserve = node.input(5);
  of.r = RootOf(node, of.by.variance);
  of.g = of.channels.Wide(node.input(0));
  of.h = of.channels.Wide(node.grad(0));
  of.d = Sub(scope, of.channels.Wide(of.by.x), of.Along(of.by.mean));
  of.p = node.grad(1);
  of.q = node.grad(2);
  const auto sum = [&](const Output& images) { return of.channels.SumOf(images); };
  of.sums = {sum(of.g), sum(of.h), sum(of.Times(of.g, of.d)), sum(of.Times(of.h, of.d)),
             sum(of.Times(of.g, of.h))};
  return of;
}

// x_backprop is symmetric in y_backprop: its gradient is itself, of h.
void GiveByBackprop(const GradTerms& of) {
  const Output through = BatchNormGrad(of.node, of.node.grad(0), of.by)[0];
  const Output by_sums = of.Plus(of.Times(of.d, of.Along(of.Times(of.p, of.r))), of.Along(of.q));
  of.node.Give(0, of.Plus(through, of.channels.AsImages(by_sums)));
}

// The gradient by d, which is that by x, and less its sum that by the mean.
Output ByDistance(const GradTerms& of, bool is_training) {
  const Output by_p = of.Times(of.g, of.Along(of.Times(of.p, of.r)));
  if (!is_training) return by_p;
  const Scope& scope = of.scope;
  const Output cube = of.Times(of.r, Square(scope, of.r));
  const Output slope = RealDiv(scope, of.Times(of.by.scale, cube), of.channels.Count());
  const Output crossed =
      of.Plus(of.Times(of.h, of.Along(of.sums.gd)), of.Times(of.g, of.Along(of.sums.hd)));
  return Sub(scope, by_p, of.Times(crossed, of.Along(slope)));
}

// The gradients by scale and, by way of r, by the variance.
void GiveByFactors(const GradTerms& of, bool is_training) {
  const Scope& scope = of.scope;
  Output by_scale = of.sums.gh;  // over r,
  Output by_root = of.sums.gh;   // over scale, without that of p
  if (is_training) {
    const Output count = of.channels.Count();
    const Output means = RealDiv(scope, of.Times(of.sums.g, of.sums.h), count);
    const Output bends =
        RealDiv(scope, of.Times(of.Times(of.sums.gd, of.sums.hd), Square(scope, of.r)), count);
    by_scale = Sub(scope, Sub(scope, by_scale, means), bends);
    by_root = Sub(scope, Sub(scope, by_root, means), Mul(scope, bends, 3));
  }
  of.node.Give(2, of.Times(by_scale, of.r));
  const Output all = of.Plus(of.Times(by_root, of.by.scale), of.Times(of.p, of.sums.gd));
  const Output root_by_variance = Mul(scope, of.Times(of.r, Square(scope, of.r)), -0.5F);
  of.node.Give(4, of.Times(all, root_by_variance));
}

Status BatchNormGradGradient(NodeGradient& node) {
  const bool is_training = BoolAttrOf(node, "is_training");
  const GradTerms of = TermsOf(node);
  if (node.wants(0)) GiveByBackprop(of);
  if (node.wants(1) || node.wants(3)) {
    const Output by_distance = ByDistance(of, is_training);
    node.Give(1, of.channels.AsImages(by_distance));
    node.Give(3, Neg(of.scope, of.channels.SumOf(by_distance)));
  }
  if (node.wants(2) || node.wants(4)) GiveByFactors(of, is_training);
  return Status();
}

// ---- LRN ----

Operation LocalResponseGrad(NodeGradient& node, const Output& g, const Output& x, const Output& y) {
  AttrMap attrs = {{"depth_radius", 0}};
  for (const char* name : {"alpha", "beta", "bias"}) {
    attrs.emplace_back(name, FloatAttrOf(node, name));
  }
  const Result<int64_t> radius = IntAttr(node.node(), "depth_radius");
  if (radius.ok()) attrs[0].second = *radius;
  return Op(node.scope(), "LRNGrad", {g, x, y}, attrs);
}

Status LocalResponseGradient(NodeGradient& node) {
  node.Give(0, LocalResponseGrad(node, node.grad(0), node.input(0), node.output(0)));
  return Status();
}

// LRNGrad of g, x and y is  g norm^-beta - 2 alpha beta x near(g y / norm), where near(t) is the
// sum of t over the channels near by, itself a product with a band of ones, which is symmetric, and
// norm = bias + alpha near(x^2). With the gradient h of that and u = near(h x)
//
//   by g:  h norm^-beta - 2 alpha beta u y / norm
//   by y:  -2 alpha beta u g / norm
//   by x:  -2 alpha beta h near(g y / norm) + 2 alpha x near(n), where n is that by norm,
//          n = -beta h g norm^(-beta - 1) + 2 alpha beta u g y / norm^2
class NearBy {
 public:
  explicit NearBy(NodeGradient& node) : scope_(node.scope()), shape_(node.shape_of_input(1)) {
    const Extent places = ExtentOfInput(node, 1, 0, 3), channels = ExtentOfInput(node, 1, 3, 1);
    rows_ = AsDims(scope_, {places, channels});
    const Result<int64_t> radius = IntAttr(node.node(), "depth_radius");
    const Output reach = Minimum(scope_, AsOutput(scope_, channels), radius.ok() ? *radius : 0);
    const Output ones = Ones(scope_, AsDims(scope_, {channels, channels}), DType::kFloat);
    band_ = Op(scope_, "MatrixBandPart", {ones, reach, reach});
  }

  // Of float images.
  Output operator()(const Output& images) const {
    return Reshape(scope_, MatMul(scope_, Reshape(scope_, images, rows_), band_), shape_);
  }

 private:
  const Scope& scope_;
  Output shape_, rows_, band_;
};

Status LocalResponseGradGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const NearBy near(node);
  const float alpha = FloatAttrOf(node, "alpha"), beta = FloatAttrOf(node, "beta");
  const auto wide = [&](const Output& x) { return AsDType(scope, x, DType::kFloat); };
  const auto give = [&](size_t slot, const Output& gradient) {
    node.Give(slot, AsDType(scope, gradient, node.input_dtype(slot)));
  };
  const Output g = wide(node.input(0)), x = wide(node.input(1)), y = wide(node.input(2));
  const Output h = wide(node.grad(0));
  const Output norm =
      Add(scope, Mul(scope, near(Square(scope, x)), alpha), FloatAttrOf(node, "bias"));
  const Output power = Pow(scope, norm, -beta);
  const Output u = Mul(scope, near(Mul(scope, h, x)), 2 * alpha * beta);
  const Output share = RealDiv(scope, u, norm);
  if (node.wants(0)) give(0, Sub(scope, Mul(scope, h, power), Mul(scope, share, y)));
  if (node.wants(2)) give(2, Neg(scope, Mul(scope, share, g)));
  if (!node.wants(1)) return Status();
  const Output response = RealDiv(scope, Mul(scope, g, y), norm);
  const Output direct = Mul(scope, Mul(scope, h, near(response)), 2 * alpha * beta);
  const Output slope = RealDiv(scope, Mul(scope, Mul(scope, h, g), Mul(scope, power, beta)), norm);
  const Output by_norm = Sub(scope, Mul(scope, share, response), slope);
  const Output by_square = Mul(scope, Mul(scope, x, near(by_norm)), 2 * alpha);
  give(1, Sub(scope, by_square, direct));
  return Status();
}

const GradientEntry kEntries[] = {
    {"FusedBatchNorm", BatchNormGradient},
    {"FusedBatchNormV2", BatchNormGradient},
    {"FusedBatchNormV3", BatchNormGradient},
    {"FusedBatchNormGrad", BatchNormGradGradient},
    {"FusedBatchNormGradV2", BatchNormGradGradient},
    {"FusedBatchNormGradV3", BatchNormGradGradient},
    {"LRN", LocalResponseGradient},
    {"LRNGrad", LocalResponseGradGradient},
};

}  // namespace

Status RegisterNormalizationGradients(GradientRegistry& registry) {
  return RegisterAll(registry, kEntries);
}

}  // namespace tagflow
