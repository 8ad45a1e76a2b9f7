// SPDX-License-Identifier: BSD-2-Clause
//
// Which records a workgroup has. To be included behind push constants with first_group and first_record.

// The class of a workgroup: its number, the workgroup's index in it, and its records.
struct Class {
    uint number, group, first, end;
};

Class class_of(uint group) {
    Class c = Class(0u, group, push.first_record[0], push.first_record[1]);
    [[unroll]] for (uint i = 1u; i < 4u; i++)
        if (group >= push.first_group[i - 1u])
            c = Class(i, group - push.first_group[i - 1u], push.first_record[i], push.first_record[i + 1u]);
    return c;
}
