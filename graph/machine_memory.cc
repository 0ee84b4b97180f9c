#include "graph/machine_memory.h"

#include <unistd.h>

namespace tagflow {

size_t MachineMemoryBytes() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace tagflow
