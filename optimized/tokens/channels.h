#ifndef TAGFLOW_OPTIMIZED_TOKENS_CHANNELS_H_
#define TAGFLOW_OPTIMIZED_TOKENS_CHANNELS_H_

// What a Send and its Recv agree on before anything runs: devices, tensor and the names of the
// frames around, which together are a channel. The rest of a key are iterations (meetings.h).
//                                                                         Spec: [rendezvous.1]
// Tested by channels_test.cc.

#include "optimized/devices/devices.h"
#include "optimized/tokens/plan.h"

namespace tagflow::optimized::tokens {

// Gives the transfers of a plan their channels, and says which of them several Sends, or several
// Recvs, have. REQUIRES: nodes, infos, frames and transfers are there
void NumberChannels(TokenPlan& plan);

// Says of the Recvs whether what they are sent crosses from one memory to another: it is where its
// Send is, whatever the key says of devices.
// REQUIRES: NumberChannels; each transfer is from and to the device of its own node
void FindCrossings(const Devices& devices, TokenPlan& plan);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_CHANNELS_H_
