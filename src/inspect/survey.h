// What the planner decides all over the range of the live symbols.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/grid.h"
#include "inspect/probe.h"

namespace highwater {

// What one node does at some point.
struct NodeState {
  struct Run {
    uint32_t step;
    Grid grid;
  };
  std::vector<Run> runs;
  std::vector<Dims> dims;        // of the tensors that it writes, in order
  std::vector<int64_t> scalars;  // likewise
  // The live bytes of what its kernels bind: they may read less of it.
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
};

struct Axis {
  std::vector<int64_t> positions;
  // Where other kernels begin to run: some node does at a border what it does not do just below it.
  std::vector<int64_t> borders;
};

struct Survey {
  struct Node {
    std::vector<ValueId> tensors;  // that it writes, without scratch
    std::vector<ValueId> scalars;
    std::vector<NodeState> states;  // all different
    std::vector<uint32_t> at;       // which of them, for each point; kRefused if there is none
  };
  static constexpr uint32_t kRefused = ~uint32_t{0};

  std::vector<Axis> axes;     // of each symbol
  std::vector<Point> points;  // all positions of all axes, the last one running fastest; then those
                              // that were asked for
  size_t grid_points = 0;     // how many of the points are on the grid
  std::vector<uint32_t> why;  // for each point, where it was refused: index into `refusals`
  std::vector<std::string> refusals;
  std::vector<Node> nodes;

  bool refused(size_t point) const { return why[point] != kRefused; }
};

Survey make_survey(Probe& probe, std::span<const Symbol> symbols, std::span<const Point> asked);

}  // namespace highwater
