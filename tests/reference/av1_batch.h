// SPDX-License-Identifier: BSD-2-Clause
//
// The recon phase of an AV1 batch on the scalar reference: its records, turned back into what the C interface gets.
#pragma once
#include "av1/batch.h"

#include <array>
#include <cstdint>

namespace dd::reference {

// References by bound slot (Av1References), all laid out as the picture.
void run_av1_recon(const Av1Batch &batch, const std::array<const std::uint8_t *, kAv1Refs> &references,
                   std::uint8_t *dst);

} // namespace dd::reference
