"""Which ops the language has; a case that needs others goes to the folder extra/."""

OPS = frozenset("""
Switch RefSwitch Merge RefMerge Enter RefEnter Exit RefExit NextIteration RefNextIteration LoopCond
ControlTrigger RefSelect RefIdentity
NoOp Identity IdentityN StopGradient Const Placeholder PlaceholderWithDefault Assert ToBool
Add AddV2 Sub Mul Div RealDiv FloorDiv FloorMod Pow Maximum Minimum Neg Abs Sign Square Sqrt Exp Log
Sin Cos Tanh Sigmoid TanhGrad SigmoidGrad BroadcastGradientArgs
Rsqrt Reciprocal Inv Expm1 Log1p Rint Round Floor Ceil IsNan IsInf IsFinite Tan Asin Acos Atan Sinh
Cosh Asinh Acosh Atanh Atan2 Xlogy Xlog1py Xdivy NextAfter Mod TruncateDiv TruncateMod DivNoNan
MulNoNan SquaredDifference ApproximateEqual SqrtGrad RsqrtGrad ReciprocalGrad InvGrad
Lgamma Digamma Erf Erfc Erfinv Ndtri Igamma Igammac IgammaGradA Zeta Polygamma Betainc
BitwiseAnd BitwiseOr BitwiseXor Invert LeftShift RightShift PopulationCount
ComplexAbs Real Imag Conj Angle Complex
Relu Relu6 LeakyRelu Elu Selu Softplus Softsign ReluGrad Relu6Grad LeakyReluGrad EluGrad SeluGrad
SoftplusGrad SoftsignGrad
Snapshot DeepCopy GuaranteeConst CheckNumerics CheckNumericsV2
Prod EuclideanNorm Cumsum Cumprod CumulativeLogsumexp ArgMax ArgMin Cross L2Loss AccumulateNV2
Bucketize ClipByValue
Equal NotEqual Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr LogicalNot
Select SelectV2 Cast Sum Mean Max Min All Any
Shape Size Rank Reshape ExpandDims Squeeze Pack Unpack ConcatV2 Slice StridedSlice GatherV2 Tile
Transpose Fill ZerosLike OnesLike Range BroadcastTo MatMul AddN
ShapeN Concat ConcatOffset Split SplitV OneHot InvertPermutation Where EnsureShape Gather GatherNd
ReverseV2 Reverse ReverseSequence Roll Pad PadV2 MirrorPad MirrorPadGrad ConjugateTranspose
SpaceToBatchND BatchToSpaceND SpaceToBatch BatchToSpace SpaceToDepth DepthToSpace
MatrixBandPart MatrixDiag MatrixDiagV2 MatrixDiagV3 MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3
MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 Diag DiagPart
StridedSliceGrad StridedSliceAssign ResourceStridedSliceAssign TensorStridedSliceUpdate
InplaceUpdate InplaceAdd InplaceSub
ListDiff UnravelIndex LowerBound UpperBound BroadcastArgs LinSpace Bitcast Empty
TensorArrayV3 TensorArrayGradV3 TensorArrayGradWithShape TensorArrayWriteV3 TensorArrayReadV3
TensorArrayGatherV3 TensorArrayScatterV3 TensorArrayConcatV3 TensorArraySplitV3 TensorArraySizeV3
TensorArrayCloseV3
EmptyTensorList TensorListReserve TensorListFromTensor TensorListSplit TensorListScatter
TensorListScatterV2 TensorListScatterIntoExistingList TensorListPushBack TensorListPushBackBatch
TensorListPopBack TensorListGetItem TensorListSetItem TensorListResize TensorListConcatLists
TensorListLength TensorListElementShape TensorListStack TensorListGather TensorListConcat
TensorListConcatV2 OptionalFromValue OptionalNone OptionalHasValue OptionalGetValue
StackV2 StackPushV2 StackPopV2 StackCloseV2
VarHandleOp ReadVariableOp AssignVariableOp AssignAddVariableOp AssignSubVariableOp
VarIsInitializedOp DestroyResourceOp VariableShape
ScatterNd ScatterNdNonAliasingAdd TensorScatterUpdate TensorScatterAdd TensorScatterSub
TensorScatterMin TensorScatterMax DynamicPartition DynamicStitch ParallelDynamicStitch
SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin
UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin
SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN
SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments
SparseSegmentSumGrad SparseSegmentMeanGrad SparseSegmentSqrtNGrad
SparseSegmentSumGradV2 SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2
DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation SetSize
SparseToDense SparseReshape SparseReorder SparseFillEmptyRows SparseFillEmptyRowsGrad SparseConcat
SparseSplit SparseSlice SparseSliceGrad SparseTensorDenseMatMul SparseTensorDenseAdd
SparseDenseCwiseMul SparseDenseCwiseDiv SparseDenseCwiseAdd SparseReduceSum SparseReduceMax
SparseSoftmax SparseBincount SparseAdd SparseAddGrad CTCLoss CTCGreedyDecoder CTCBeamSearchDecoder
LSTMBlockCell LSTMBlockCellGrad BlockLSTM BlockLSTMGrad BlockLSTMV2 BlockLSTMGradV2 GRUBlockCell
GRUBlockCellGrad
Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 TopK TopKV2 InTopK InTopKV2 Bincount
DenseBincount HistogramFixedWidth
RandomUniform RandomStandardNormal RandomUniformInt TruncatedNormal RandomShuffle Multinomial
UniformCandidateSampler LogUniformCandidateSampler AllCandidateSampler ComputeAccidentalHits
StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal StatelessRandomUniformInt
StatelessRandomUniformFullInt StatelessRandomUniformV2 StatelessRandomNormalV2
StatelessTruncatedNormalV2 StatelessRandomUniformIntV2 StatelessRandomUniformFullIntV2
StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg StatelessRandomGetAlg
StatelessMultinomial StatelessRandomGammaV2 StatelessRandomGammaV3 StatelessRandomPoisson
StatelessRandomBinomial
StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniformFullInt
StatefulUniformInt StatefulRandomBinomial RngSkip RngReadAndSkip NonDeterministicInts
FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars
FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannel
FakeQuantWithMinMaxVarsPerChannelGradient
BatchMatMul BatchMatMulV2 BatchMatMulV3 Einsum BiasAdd BiasAddV1 BiasAddGrad Softmax LogSoftmax
SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits MatrixInverse MatrixDeterminant
LogMatrixDeterminant Cholesky MatrixSolve MatrixTriangularSolve
FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 FusedBatchNormGrad FusedBatchNormGradV2
FusedBatchNormGradV3 LRN LRNGrad
MaxPool MaxPoolV2 MaxPoolWithArgmax MaxPool3D MaxPoolGrad MaxPoolGradV2 MaxPool3DGrad
MaxPoolGradWithArgmax MaxPoolGradGrad MaxPoolGradGradV2 MaxPool3DGradGrad
MaxPoolGradGradWithArgmax AvgPool AvgPoolGrad AvgPool3D AvgPool3DGrad
ResizeBilinear ResizeBilinearGrad ResizeNearestNeighbor ResizeNearestNeighborGrad ResizeBicubic
ResizeBicubicGrad CropAndResize CropAndResizeGradImage CropAndResizeGradBoxes NonMaxSuppression
NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 ExtractImagePatches
AsString StringJoin ReduceJoin StringToNumber StringLength Substr StringSplit StringSplitV2 Print
PrintV2 StringFormat StringLower StringUpper StringStrip UnsortedSegmentJoin StringToHashBucket
StringToHashBucketStrong DecodeBase64 EncodeBase64 StringNGrams
RegexReplace StaticRegexReplace RegexFullMatch StaticRegexFullMatch
UnicodeDecode UnicodeDecodeWithOffsets UnicodeEncode UnicodeTranscode UnicodeScript
ApplyGradientDescent ApplyMomentum ApplyAdam ApplyAdagrad ApplyAdagradV2 ApplyRMSProp
ResourceApplyGradientDescent ResourceApplyMomentum ResourceApplyKerasMomentum ResourceApplyAdam
ResourceApplyAdagrad ResourceApplyAdagradV2 ResourceApplyRMSProp
ScatterUpdate ScatterAdd ScatterSub ScatterMul ScatterDiv ScatterMin ScatterMax
ResourceScatterUpdate ResourceScatterAdd ResourceScatterSub ResourceScatterMul ResourceScatterDiv
ResourceScatterMin ResourceScatterMax ScatterNdUpdate ScatterNdAdd ScatterNdSub ScatterNdMin
ScatterNdMax ResourceScatterNdUpdate ResourceScatterNdAdd ResourceScatterNdSub
ResourceScatterNdMin ResourceScatterNdMax ResourceGather ResourceGatherNd ResourceCountUpTo
TemporaryVariable DestroyTemporaryVariable
VariableV2 Variable Assign AssignAdd AssignSub IsVariableInitialized
CountUpTo ScatterUpdate ScatterAdd ScatterSub PreventGradient PlaceholderV2
TensorArrayGradWithShape
""".split())


def beyond(case):
  """The ops outside the language that some step of the case needs, sorted."""
  nodes = {node.name: node for node in case.graph.node}
  needed = set()
  for step in case.steps:
    fed = {_node(feed.name) for feed in step.feeds}
    pending = [_node(name) for name in list(step.fetches) + list(step.targets)]
    seen = set()
    while pending:
      name = pending.pop()
      if name in seen or name not in nodes:
        continue
      seen.add(name)
      needed.add(nodes[name].op)
      for source in nodes[name].input:
        if _node(source) not in fed:
          pending.append(_node(source))
  return sorted(needed - OPS)


def _node(tensor):
  return tensor.lstrip("^").split(":")[0]
