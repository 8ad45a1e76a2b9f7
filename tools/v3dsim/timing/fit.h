// SPDX-License-Identifier: BSD-2-Clause
//
// Finds the parameters with which the model comes nearest to kernels measured on hardware.
#pragma once
#include "model.h"

#include <string>
#include <vector>

namespace v3dtiming {

struct Measured {
    std::string name;
    Job job;
    double blocks_per_supergroup = 1;
    double ns = 0; // a block
};

struct Fit {
    Parameters parameters;
    double rms = 0; // of the logarithm of modelled over measured
};

double modelled_ns(const Measured &row, const Parameters &parameters);
double log_rms(const std::vector<const Measured *> &rows, const Parameters &parameters);

// Varies the fitted parameters alone, from several starts.
Fit fit(const std::vector<const Measured *> &rows, const Parameters &start);

} // namespace v3dtiming
