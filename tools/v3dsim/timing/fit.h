// SPDX-License-Identifier: BSD-2-Clause
//
// Finds the parameters with which the model comes nearest to kernels measured on hardware.
#pragma once
#include "model.h"

#include <array>
#include <map>
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

// Varies the fitted parameters alone, from several starts. Remembers what it has modelled: the rows must stay, and all
// calls must have the same values of the other parameters.
class Fitter {
  public:
    Fit fit(const std::vector<const Measured *> &rows, const Parameters &start);

  private:
    static constexpr std::size_t kFitted = 5;
    using Key = std::pair<const Measured *, std::array<double, kFitted>>;
    std::map<Key, double> known_;

    double ns(const Measured &row, const Parameters &parameters);
    double log_rms(const std::vector<const Measured *> &rows, const Parameters &parameters);
    Fit descend(const std::vector<const Measured *> &rows, const Parameters &start);
    Fit polish(const std::vector<const Measured *> &rows, Fit best);
};

} // namespace v3dtiming
