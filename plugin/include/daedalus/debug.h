/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file
 * Plans that measure and test (DdDeviceOptions.plan, DAEDALUS_PLAN). They aren't part of the stable interface.
 *
 * | plan | frames |
 * |---|---|
 * | "parse" | are parsed, and no more; their pixels are undefined |
 * | "lf=none" in a list | are parsed, and what the GPU's stages need is recorded; their pixels are undefined |
 * | "measure" | are decoded under plan "auto", which doesn't spare software renderers |
 * | "random" | are decoded; each stage of each frame runs on a side that chance chooses |
 */
#ifndef DAEDALUS_DEBUG_H
#define DAEDALUS_DEBUG_H

#include "daedalus.h"

/** A side of DdPlan, beside those of DdSide: nothing runs the stage. It is that of all stages under plan "parse", of
 *  DD_STAGE_LF under "lf=none". */
#define DD_SIDE_NONE 2

#endif /* DAEDALUS_DEBUG_H */
