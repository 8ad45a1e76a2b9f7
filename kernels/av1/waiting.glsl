// SPDX-License-Identifier: BSD-2-Clause
//
// For kernels that predict from several sources in turn. V3D has no registers for the results of one beside the work of
// the next, and its compiler spills in every row what is kept meanwhile. So results wait in shared memory, and a lane
// finds its place once more for the next source.
// WAITING_ROWS: of a lane. RECORD_WORDS: of a record.

shared uint waiting[2u * WAITING_ROWS * LANES];
uvec2 get(uint row) {
    const uint at = 2u * LANES * row + gl_LocalInvocationIndex;
    return uvec2(waiting[at], waiting[at + LANES]);
}
void put(uint row, uvec2 values) {
    const uint at = 2u * LANES * row + gl_LocalInvocationIndex;
    waiting[at] = values.x;
    waiting[at + LANES] = values.y;
}

// As `words`, but the compiler takes every read for a new one.
layout(std430, set = 0, binding = DD_BIND_RECORDS) volatile buffer Again {
    DdAv1ReconParams unused;
    uint again[];
};
Work find_work_again() {
    const uint at = push.groups + gl_WorkGroupID.x * DD_AV1_GROUP_WORDS;
    return find_work(RECORD_WORDS, again[at], again[at + 1u], again[at + 2u], again[at + 3u]);
}
