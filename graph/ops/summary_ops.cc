// Summaries of trainings, for people who watch: made empty, and written nowhere.    Spec: [op.3]

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr char kReals[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

Status WriterAlone(ShapeContext& context) { return shapes::RequireRank(context, 0, 0); }

// What makes a summary.
OpDefBuilder Maker(std::string_view name) {
  return OpDefBuilder(name).Summary("An empty summary.").Shape(shapes::Scalar);
}

std::vector<OpDefBuilder> Makers() {
  return {
      Maker("ScalarSummary")
          .Input("tags: string")
          .Input("values: T")
          .Output("summary: string")
          .Attr(kReals),
      Maker("HistogramSummary")
          .Input("tag: string")
          .Input("values: T")
          .Output("summary: string")
          .Attr(std::string(kReals) + " = DT_FLOAT"),
      Maker("MergeSummary")
          .Input("inputs: N * string")
          .Output("summary: string")
          .Attr("N: int >= 1"),
      Maker("TensorSummary")
          .Input("tensor: T")
          .Output("summary: string")
          .Attr("T: type")
          .Attr("description: string = ''")
          .Attr("labels: list(string) = []")
          .Attr("display_name: string = ''"),
      Maker("TensorSummaryV2")
          .Input("tag: string")
          .Input("tensor: T")
          .Input("serialized_summary_metadata: string")
          .Output("summary: string")
          .Attr("T: type"),
  };
}

// What does something with a writer of summaries.
OpDefBuilder WriterUse(std::string_view name) {
  return OpDefBuilder(name)
      .Input("writer: resource", ArgRole::kScalar)
      .Stateful()
      .Summary("Nothing: summaries are not written.")
      .Shape(WriterAlone);
}

std::vector<OpDefBuilder> Writers() {
  return {
      OpDefBuilder("SummaryWriter")
          .Output("writer: resource")
          .Attr("shared_name: string = ''")
          .Attr("container: string = ''")
          .Stateful()
          .Summary("A handle to a writer of summaries, which writes nothing.")
          .Shape(shapes::Scalar),
      WriterUse("CreateSummaryFileWriter")
          .Input("logdir: string")
          .Input("max_queue: int32")
          .Input("flush_millis: int32")
          .Input("filename_suffix: string"),
      WriterUse("FlushSummaryWriter"),
      WriterUse("CloseSummaryWriter"),
      WriterUse("WriteSummary")
          .Input("step: int64")
          .Input("tensor: T")
          .Input("tag: string")
          .Input("summary_metadata: string")
          .Attr("T: type"),
      WriterUse("WriteScalarSummary")
          .Input("step: int64")
          .Input("tag: string")
          .Input("value: T")
          .Attr(kReals),
      WriterUse("WriteHistogramSummary")
          .Input("step: int64")
          .Input("tag: string")
          .Input("values: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
                "uint32, uint64, bool} = DT_FLOAT"),
      WriterUse("WriteGraphSummary").Input("step: int64").Input("tensor: string"),
      WriterUse("WriteRawProtoSummary").Input("step: int64").Input("tensor: string"),
      WriterUse("ImportEvent").Input("event: string"),
  };
}

}  // namespace

Status RegisterSummaryOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, Makers()));
  return RegisterAll(registry, Writers());
}

}  // namespace tagflow
