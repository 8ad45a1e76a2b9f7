// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "kernels/av1_scene.h"

namespace dd::test {

// The recon phase of a scene on the test's device: all bytes of the picture, also what is beyond the true size, and
// what nothing predicts.
Av1Scene::Pixels run_on_gpu(const Av1Scene &scene);

} // namespace dd::test
