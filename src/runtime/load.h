// Loading, as far as several front doors need it. For runtime/ only.
#pragma once

#include "blob/pte.h"
#include "highwater/session.h"

namespace highwater {

// The named data of a file, which must outlive it.
ConstantSource constants_of(const Pte& pte);

}  // namespace highwater
