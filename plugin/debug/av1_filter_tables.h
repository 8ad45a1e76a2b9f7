// SPDX-License-Identifier: BSD-2-Clause
//
// What the filters of a frame were set from, out of the form that kernels read: setting others from it makes the same.
#pragma once
#include "av1/batch.h"

#include <array>
#include <vector>

namespace dd {

class Av1TablesOf {
  public:
    explicit Av1TablesOf(const Av1Filters &filters);
    // Points into this object and into the filters.
    Av1FilterTables tables() const;

  private:
    const Av1Filters &filters_;
    std::array<std::vector<Av1RestorationUnit>, 3> units_;
};

} // namespace dd
