#ifndef TAGFLOW_GRAPH_MACHINE_MEMORY_H_
#define TAGFLOW_GRAPH_MACHINE_MEMORY_H_

#include <cstddef>

namespace tagflow {

// How much memory the machine has, in all.
size_t MachineMemoryBytes();

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_MACHINE_MEMORY_H_
