// The content of constants, on its way from a file to the device. For runtime/ only.
#pragma once

#include <memory>
#include <span>

#include "blob/pte.h"
#include "runtime/session_access.h"

namespace highwater {

// The named data of a file.
ConstantSource constants_of(std::shared_ptr<const Pte> pte);
ConstantArrivals arrivals_of(std::shared_ptr<const Pte> pte);

// Whether a constant is on the device as it is in its file, so that its bytes can go there as they
// are.
bool is_as_in_file(const Program& program, const ValueInfo& value);

// Whether all that a constant is made of is there. All of it is asked for.
bool is_constant_here(const Program& program, const ConstantArrivals& arrivals,
                      const ConstantDecl& constant);

// Writes a constant as the device wants it: what of it begins at byte `at`, where whole elements
// do.
Status fill_constant(const Program& program, const ConstantSource& source, const ValueInfo& value,
                     uint64_t at, std::span<std::byte> memory);

}  // namespace highwater
