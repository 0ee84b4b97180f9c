#ifndef TAGFLOW_OPTIMIZED_RENDEZVOUS_RENDEZVOUS_H_
#define TAGFLOW_OPTIMIZED_RENDEZVOUS_RENDEZVOUS_H_

// Where Sends and Recvs of a step meet that the step does not bring together by itself: those of
// another process, or of a test that lets messages come late, in another order, or not at all
// (RunOptions::rendezvous).                                                  Spec: [rendezvous.*]
//
// It is pulled: a Recv asks for its key, and is told when the token is there. Nobody waits in a
// call.
//
// Thread safety: any thread.

#include <functional>

#include "graph/status.h"
#include "graph/tag.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

class Rendezvous {
 public:
  // What crosses; a dead token has no value.
  struct Token {
    Tensor value;
    bool is_dead = false;
  };
  using Received = std::function<void(Result<Token> token)>;

  virtual ~Rendezvous() = default;
  // Puts a token there for whoever asks for the key.
  //   Errors: INVALID_ARGUMENT for a second one of this key ([rendezvous.3]); what it was aborted
  //   with; those of getting there
  virtual Status Send(const RendezvousKey& key, Token token) = 0;
  // Calls `received` once with the token of the key, at once or later, on any thread; or with an
  // error, as Send's.
  virtual void Recv(const RendezvousKey& key, Received received) = 0;
  // Everybody who waits, and everybody who comes, is told this error.
  virtual void Abort(const Status& error) = 0;
  // For a step that has nothing else to do than to wait for its Recvs: brings them what is on its
  // way, or waits until somebody does. False when nothing is and nothing will be: then they starve
  // ([step.2]).
  virtual bool Await() = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_RENDEZVOUS_RENDEZVOUS_H_
