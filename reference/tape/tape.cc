// Forwards over the recording: which values depend on an x. Backwards: their adjoints. See tape.h.

#include "reference/tape/tape.h"

#include <algorithm>
#include <cmath>

#include "reference/tape/recording.h"

namespace tagflow::reference {
namespace {

bool IsContinuous(const Tensor& value) {
  return value.has_value() && (IsFloating(value.dtype()) || IsComplex(value.dtype()));
}

class Differentiator {
 public:
  Differentiator(const Recording& recording, const AdjointTable& table)
      : recording_(recording),
        table_(table),
        depends_(recording.values().size(), false),
        cell_depends_(static_cast<size_t>(recording.num_cells()), false),
        adjoints_(recording.values().size()),
        cells_(static_cast<size_t>(recording.num_cells())) {}

  // Of what depends on this value, the derivatives are found.
  void Ask(int64_t value) { depends_[static_cast<size_t>(value)] = true; }
  // The derivative by this value is `gradient`, beside what comes through others.
  void Seed(int64_t value, const std::vector<double>& gradient) {
    Adjoint& adjoint = Reach(value);
    for (size_t i = 0; i < gradient.size(); ++i) {
      adjoint.Add(i, gradient[i], std::abs(gradient[i]));
    }
  }
  Status Run() {
    for (const TapeRow& row : recording_.rows()) GoForward(row);
    for (auto row = recording_.rows().rbegin(); row != recording_.rows().rend(); ++row) {
      if (Status status = GoBackward(*row); !status.ok()) {
        return status.WithNode(row->node->name).WithTag(row->tag);
      }
    }
    return Status();
  }
  const Adjoint& AdjointOf(int64_t value) const { return adjoints_[static_cast<size_t>(value)]; }

 private:
  const Tensor& ValueAt(int64_t value) const {
    return recording_.values()[static_cast<size_t>(value)];
  }
  Adjoint& Reach(int64_t value) {
    Adjoint& adjoint = adjoints_[static_cast<size_t>(value)];
    adjoint.Reach(ValueAt(value).num_elements());
    return adjoint;
  }
  bool Depends(int64_t value) const {
    return value != TapeRow::kNone && depends_[static_cast<size_t>(value)];
  }
  bool OutputsDepend(const TapeRow& row) const;
  void GoForward(const TapeRow& row);
  Status GoBackward(const TapeRow& row);
  void FromReads(const TapeRow& row);
  void FromWrites(const TapeRow& row);
  void FromSums(const TapeRow& row);
  Status Differentiate(const TapeRow& row);

  const Recording& recording_;
  const AdjointTable& table_;
  std::vector<bool> depends_;       // by value
  std::vector<bool> cell_depends_;  // by cell
  std::vector<Adjoint> adjoints_;   // by value
  std::vector<Adjoint> cells_;      // by cell
};

bool Differentiator::OutputsDepend(const TapeRow& row) const {
  for (const CellPart& part : row.reads) {
    if (cell_depends_[static_cast<size_t>(part.cell)]) return true;
  }
  const AdjointFunction* function = table_.Find(row.node->op);
  if (function != nullptr && *function == nullptr) return false;
  return std::any_of(row.inputs.begin(), row.inputs.end(),
                     [&](int64_t input) { return Depends(input); });
}

void Differentiator::GoForward(const TapeRow& row) {
  for (const CellPart& part : row.writes) {
    if (Depends(row.inputs[part.slot])) cell_depends_[static_cast<size_t>(part.cell)] = true;
  }
  for (const CellSum& sum : row.sums) {
    for (const int64_t cell : sum.from) {
      if (cell_depends_[static_cast<size_t>(cell)]) {
        cell_depends_[static_cast<size_t>(sum.to)] = true;
      }
    }
  }
  if (!OutputsDepend(row)) return;
  for (int64_t k = row.first_output; k < row.first_output + row.num_outputs; ++k) {
    if (IsContinuous(ValueAt(k))) depends_[static_cast<size_t>(k)] = true;
  }
}

Status Differentiator::GoBackward(const TapeRow& row) {
  if (!row.reads.empty()) FromReads(row);
  if (!row.writes.empty()) FromWrites(row);
  FromSums(row);
  const AdjointFunction* function = table_.Find(row.node->op);
  if (function != nullptr && *function == nullptr) return Status();
  const bool is_needed = std::any_of(row.inputs.begin(), row.inputs.end(),
                                     [&](int64_t input) { return Depends(input); });
  bool is_reached = false;
  for (int64_t k = 0; k < row.num_outputs; ++k) {
    is_reached = is_reached || AdjointOf(row.first_output + k).reached;
  }
  return is_needed && is_reached ? Differentiate(row) : Status();
}

// Where each part begins in its input or output.
std::vector<size_t> BeginsOf(const std::vector<CellPart>& parts) {
  std::vector<size_t> begins;
  size_t next = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (k > 0 && parts[k].slot != parts[k - 1].slot) next = 0;
    begins.push_back(next);
    next += static_cast<size_t>(parts[k].elements);
  }
  return begins;
}

// What was read is what was written: its adjoint waits in the cells for the writes.
void Differentiator::FromReads(const TapeRow& row) {
  const std::vector<size_t> begins = BeginsOf(row.reads);
  for (size_t k = 0; k < row.reads.size(); ++k) {
    const CellPart& part = row.reads[k];
    const Adjoint& from = AdjointOf(row.first_output + static_cast<int64_t>(part.slot));
    if (!from.reached) continue;
    Adjoint& cell = cells_[static_cast<size_t>(part.cell)];
    cell.Reach(part.elements);
    for (size_t i = 0; i < static_cast<size_t>(part.elements); ++i) {
      cell.Add(i, from.gradient[begins[k] + i], from.magnitude[begins[k] + i]);
    }
  }
}

void Differentiator::FromWrites(const TapeRow& row) {
  const std::vector<size_t> begins = BeginsOf(row.writes);
  for (size_t k = 0; k < row.writes.size(); ++k) {
    const CellPart& part = row.writes[k];
    const int64_t input = row.inputs[part.slot];
    const Adjoint& cell = cells_[static_cast<size_t>(part.cell)];
    if (!Depends(input) || !cell.reached) continue;
    Adjoint& to = Reach(input);
    for (size_t i = 0; i < static_cast<size_t>(part.elements); ++i) {
      to.Add(begins[k] + i, cell.gradient[i], cell.magnitude[i]);
    }
  }
}

void Differentiator::FromSums(const TapeRow& row) {
  for (const CellSum& sum : row.sums) {
    const Adjoint from = cells_[static_cast<size_t>(sum.to)];
    for (const int64_t cell : sum.from) {
      if (!from.reached) break;
      Adjoint& to = cells_[static_cast<size_t>(cell)];
      to.Reach(static_cast<int64_t>(from.gradient.size()));
      for (size_t i = 0; i < from.gradient.size(); ++i) {
        to.Add(i, from.gradient[i], from.magnitude[i]);
      }
    }
  }
}

Status Differentiator::Differentiate(const TapeRow& row) {
  const AdjointFunction* function = table_.Find(row.node->op);
  if (function == nullptr) {
    return Unimplemented("the tape does not know the derivative of op " + row.node->op);
  }
  std::vector<Tensor> inputs, outputs;
  std::vector<const Adjoint*> from;
  std::vector<Adjoint*> to;
  bool is_complex = false;
  for (int64_t k = row.first_output; k < row.first_output + row.num_outputs; ++k) {
    outputs.push_back(ValueAt(k));
    is_complex = is_complex || IsComplex(ValueAt(k).dtype());
    from.push_back(AdjointOf(k).reached ? &AdjointOf(k) : nullptr);
  }
  for (int64_t input : row.inputs) {
    inputs.push_back(input == TapeRow::kNone ? Tensor() : ValueAt(input));
    is_complex = is_complex || IsComplex(inputs.back().dtype());
    to.push_back(Depends(input) ? &Reach(input) : nullptr);
  }
  if (is_complex) {
    return Unimplemented("the tape differentiates real numbers only, and a complex op " +
                         row.node->op + " is on the way");
  }
  FiringPartials firing(*row.node, std::move(inputs), std::move(outputs), std::move(from),
                        std::move(to));
  return (*function)(firing);
}

// The value that a name stands for; kNone where it was dead or did not run.
Result<int64_t> ValueOf(const Recording& recording, OutputRef output, const std::string& name) {
  const int64_t value = recording.Find(output);
  if (value == TapeRow::kNone) {
    if (!recording.GaveInAFrame(output.node)) return value;
    return InvalidArgument("'" + name + "' is inside a frame, where it has many values");
  }
  if (IsFloating(recording.values()[static_cast<size_t>(value)].dtype())) return value;
  return InvalidArgument("'" + name + "' is not of a floating dtype");
}

Result<std::vector<double>> GradOf(const GradientCall& call, size_t k, const Tensor& y) {
  if (call.grad_ys.empty()) {
    return std::vector<double>(static_cast<size_t>(y.num_elements()), 1.0);
  }
  const Tensor& grad = call.grad_ys[k];
  if (IsFloating(grad.dtype()) && std::ranges::equal(grad.dims(), y.dims())) {
    return ToDoubles(grad);
  }
  return InvalidArgument("grad_ys of '" + call.ys[k] + "' is " + grad.DebugString(0) +
                         ", but must be floating and of shape " + DimsString(y.dims()));
}

TapeGradient GradientOf(const Tensor& x, const Adjoint& adjoint) {
  Adjoint zeros;
  zeros.Reach(x.num_elements());
  const Adjoint& found = adjoint.reached ? adjoint : zeros;
  return {Tensor::Of<double>(x.dims(), found.gradient),
          Tensor::Of<double>(x.dims(), found.magnitude), adjoint.reached};
}

// Runs the step into the recording.
Result<std::vector<Tensor>> RunRecorded(Session& session, const GradientCall& call,
                                        Recording& recording) {
  std::vector<std::string> targets = call.targets;
  for (const std::string& x : call.xs) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef output, FindOutput(session.graph(), x));
    if (recording.Find(output) != TapeRow::kNone) continue;  // fed
    targets.push_back(session.graph().node(output.node).name);
  }
  RunOptions options = call.options;
  options.trace = [&](const TraceEvent& event) {
    recording.Record(event);
    if (call.options.trace) call.options.trace(event);
  };
  return session.Run(call.feeds, call.ys, targets, options);
}

}  // namespace

Result<GradientRun> GradientsOfRun(Session& session, const GradientCall& call) {
  if (!call.grad_ys.empty() && call.grad_ys.size() != call.ys.size()) {
    return InvalidArgument("there must be one of grad_ys per y, or none");
  }
  const Graph& graph = session.graph();
  TAGFLOW_ASSIGN_OR_RETURN(Recording recording, Recording::Create(graph, call.feeds));
  GradientRun run;
  TAGFLOW_ASSIGN_OR_RETURN(run.ys, RunRecorded(session, call, recording));
  Differentiator differentiator(recording, *call.adjoints);
  std::vector<int64_t> xs;
  for (const std::string& name : call.xs) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef output, FindOutput(graph, name));
    TAGFLOW_ASSIGN_OR_RETURN(xs.emplace_back(), ValueOf(recording, output, name));
    if (xs.back() != TapeRow::kNone) differentiator.Ask(xs.back());
  }
  for (size_t k = 0; k < call.ys.size(); ++k) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef output, FindOutput(graph, call.ys[k]));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t y, ValueOf(recording, output, call.ys[k]));
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<double> grad, GradOf(call, k, run.ys[k]));
    if (y != TapeRow::kNone) differentiator.Seed(y, grad);
  }
  TAGFLOW_RETURN_IF_ERROR(differentiator.Run());
  for (int64_t x : xs) {
    if (x == TapeRow::kNone) {
      run.gradients.emplace_back();
    } else {
      run.gradients.push_back(
          GradientOf(recording.values()[static_cast<size_t>(x)], differentiator.AdjointOf(x)));
    }
  }
  return run;
}

}  // namespace tagflow::reference
