// Real programs, changed: most of what is made still has a meaning, and reaches passes and ops.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "blob/pte.h"
#include "fuzz/changes.h"
#include "fuzz/content.h"
#include "fuzz/promises.h"
#include "fuzz/targets.h"
#include "runtime/constants.h"
#include "runtime/sampler.h"

namespace highwater::fuzz {
namespace {

struct Base {
  BlobContent content;
  ConstantSource constants;
};

Base read_base(const std::filesystem::path& path) {
  auto pte = open_pte(path.string());
  const auto program = pte ? read_method(*pte, "forward") : Result<Program>(pte.error());
  if (!program) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), program.error().message().c_str());
    std::abort();
  }
  return {content_of(*program), constants_of(std::make_shared<const Pte>(*std::move(pte)))};
}

// In the order of their names, so that a script means the same everywhere.
const std::vector<Base>& bases() {
  static const auto& all = *new std::vector<Base>([] {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(HIGHWATER_FUZZ_PROGRAMS)) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Base> bases;
    for (const auto& path : paths) bases.push_back(read_base(path));
    return bases;
  }());
  return all;
}

}  // namespace

Status program(Bytes bytes) {
  Script script(bytes);
  const Base& base = script.pick(bases());
  BlobContent content = base.content;
  change(content, script);
  const Blob written = make_blob(content);
  auto read = read_program(written);
  if (!read) {
    return read.error().message().empty() ? fail("a blob was refused without a word") : Status();
  }
  if (script.one_in(8)) (void)add_sampler(*read).ok();
  return check_promises(*std::move(read), base.constants, script);
}

}  // namespace highwater::fuzz
