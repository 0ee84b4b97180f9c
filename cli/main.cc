#include "cli/command.h"

int main(int argc, char** argv) { return tagflow::cli::Main(argc, argv); }
