#include "optimized/straight/host_numbers.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string_view>
#include <utility>

#include "graph/shape_inference.h"
#include "optimized/devices/device_kernel.h"
#include "optimized/straight/values.h"

namespace tagflow::optimized {
namespace {

// More of them are data, which a device computes faster.
constexpr int64_t kElementsMax = 1024;

bool TellsOfShapes(std::string_view op) {
  static constexpr std::string_view kOps[] = {"Shape", "ShapeN", "Size", "Rank"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

bool HasMany(const PartialShape& shape) {
  if (!shape.fully_known()) return false;
  bool is_many = false;
  int64_t elements = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim == 0) return false;
    is_many = is_many || dim > kElementsMax / elements;
    if (!is_many) elements *= dim;
  }
  return is_many;
}

bool GivesIntegers(const Node& node, SignatureCache& signatures) {
  const Result<const Signature*> signature = signatures.Of(node);
  return signature.ok() && std::ranges::all_of((*signature)->outputs, [](const ArgType& output) {
           return IsIndexDType(output.dtype);
         });
}

}  // namespace

HostNumbers::HostNumbers(const Of& of, const std::vector<NodeId>& order)
    : numbers_(of.graph.id_limit()), is_read_(of.graph.id_limit()) {
  auto shapes = InferShapes(of.graph);
  if (!shapes.ok()) return;
  shapes_ = *std::move(shapes);
  for (const NodeId id : order) numbers_[Index(id)] = Find(of, of.graph.node(id));
  for (const NodeId id : std::views::reverse(order)) NoteReads(of, of.graph.node(id));
  shapes_.clear();
}

// What tells of shapes may be given what a device has, and looks at no element of it.
bool HostNumbers::AreComputedBy(const Node& node) const {
  return Contains(node.id) && !TellsOfShapes(node.op);
}

HostNumbers::Number HostNumbers::NumberOf(const Of& of, OutputRef input) const {
  if (!of.fed.Contains(input)) return numbers_[Index(input.node)];
  const Node& node = of.graph.node(input.node);
  const bool is_number = of.fed.IsFedPlaceholder(node) && GivesIntegers(node, of.signatures);
  if (!is_number) return Number::kNone;
  return IsScalarPlaceholder(node) ? Number::kYes : Number::kWhereRead;
}

HostNumbers::Number HostNumbers::Find(const Of& of, const Node& node) const {
  const NodeKind kind = KindOf(node);
  if (kind == NodeKind::kHandsOn && !node.inputs.empty()) return NumberOf(of, node.inputs[0]);
  if (kind != NodeKind::kKernel && kind != NodeKind::kConstant) return Number::kNone;
  if (TellsOfShapes(node.op)) return Number::kYes;
  if (!GivesIntegers(node, of.signatures)) return Number::kNone;
  const bool is_computed = kind == NodeKind::kKernel;
  if (is_computed && (node.inputs.empty() || HasEffects(*node.def))) return Number::kNone;
  Number least = BySize(node.id);
  for (const OutputRef input : node.inputs) least = std::min(least, NumberOf(of, input));
  return least;
}

// A vector is small unless it is known to be long; of a matrix, the host must need it.
HostNumbers::Number HostNumbers::BySize(NodeId node) const {
  Number least = Number::kYes;
  for (const PartialShape& shape : shapes_[Index(node)]) {
    if (HasMany(shape)) return Number::kNone;
    const bool is_small = shape.fully_known() || (shape.known_rank() && shape.rank() <= 1);
    if (!is_small) least = Number::kWhereRead;
  }
  return least;
}

void HostNumbers::NoteReads(const Of& of, const Node& node) {
  const Result<const Signature*> signature = of.signatures.Of(node);
  if (!signature.ok()) return;
  const auto [entry, is_own] = FindKernel(&of.devices, node, of.kernels);
  const bool is_kernel = KindOf(node) == NodeKind::kKernel;
  const bool is_of_device = is_own && entry != nullptr;
  const bool asks = is_read_[Index(node.id)] && (!is_kernel || GivesIntegers(node, of.signatures));
  std::vector<bool> on_host(node.inputs.size(), asks || (is_kernel && !is_of_device));
  if (is_kernel && is_of_device && !asks) on_host = ReadsOnHost(node, **signature, *entry);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (on_host[i]) is_read_[Index(node.inputs[i].node)] = true;
  }
}

}  // namespace tagflow::optimized
