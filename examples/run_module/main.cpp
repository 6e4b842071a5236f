// Loads a program once and runs it at several lengths.
//
//   run_module model.pte WIDTH LENGTH...
//
// The program takes one float tensor [1, length, WIDTH]. Its input is a plain function of the
// element's index, so that anyone can compute the same and compare.
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <highwater/delegate.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

using executorch::aten::SizesType;
using executorch::extension::from_blob;
using executorch::extension::Module;

namespace {

std::vector<float> make_input(size_t count) {
  std::vector<float> input(count);
  for (size_t i = 0; i < count; ++i) input[i] = static_cast<float>(i % 17) / 8.0f - 1.0f;
  return input;
}

bool run(Module& module, SizesType length, SizesType width) {
  std::vector<float> input = make_input(static_cast<size_t>(length) * static_cast<size_t>(width));
  const auto outputs = module.forward(from_blob(input.data(), {1, length, width}));
  if (!outputs.ok()) {
    std::fprintf(stderr, "length %d: %s\n", length, highwater::last_error().c_str());
    return false;
  }
  const auto& output = outputs->at(0).toTensor();
  const float* first = output.const_data_ptr<float>();
  const double sum = std::accumulate(first, first + output.numel(), 0.0);
  std::printf("length %d: output [", length);
  for (ssize_t d = 0; d < output.dim(); ++d) {
    std::printf("%s%d", d ? ", " : "", output.size(d));
  }
  std::printf("], sum %.4f\n", sum);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s model.pte WIDTH LENGTH...\n", argv[0]);
    return 2;
  }
  Module module(argv[1]);
  if (module.load_forward() != executorch::runtime::Error::Ok) {
    std::fprintf(stderr, "%s does not load: %s\n", argv[1], highwater::last_error().c_str());
    return 1;
  }
  for (int i = 3; i < argc; ++i) {
    if (!run(module, std::atoi(argv[i]), std::atoi(argv[2]))) return 1;
  }
}
