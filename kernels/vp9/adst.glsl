// SPDX-License-Identifier: BSD-2-Clause
//
// One-dimensional inverse ADSTs: VP9 specification, clauses 8.7.1.6 to 8.7.1.9. Sums of up to four products are
// rounded once, as in transform.glsl.

int sum_of(int a, int ca, int b, int cb, int c, int cc, int d, int cd) {
#if BITS <= 10
    return (a * ca + b * cb + c * cc + d * cd + 8192) >> 14;
#else
    const int high = (a >> 7) * ca + (b >> 7) * cb + (c >> 7) * cc + (d >> 7) * cd;
    const int low = (a & 127) * ca + (b & 127) * cb + (c & 127) * cc + (d & 127) * cd;
    return (high + ((low + 8192) >> 7)) >> 7;
#endif
}

int[4] iadst4(int x[4]) {
    return int[4](sum_of(x[0], 5283, x[1], 13377, x[2], 15212, x[3], 9929),
                  sum_of(x[0], 9929, x[1], 13377, x[2], -5283, x[3], -15212), scale(x[0] - x[2] + x[3], 13377),
                  sum_of(x[0], 15212, x[1], -13377, x[2], 9929, x[3], -5283));
}

// Two pairs (low, high) that were rotated, by (c, s) and (d, t): their sums and their differences.
struct Quarter {
    int sum_low, sum_high, difference_low, difference_high;
};
Quarter join(int a, int b, int ca, int cb, int c, int d, int cc, int cd) {
    return Quarter(sum_of(a, ca, b, cb, c, cc, d, cd), sum_of(a, cb, b, -ca, c, cd, d, -cc),
                   sum_of(a, ca, b, cb, c, -cc, d, -cd), sum_of(a, cb, b, -ca, c, -cd, d, cc));
}

// The differences of both, turned by (c, s); those of the second one the other way round.
Quarter turn(Quarter p, Quarter q, int c, int s) {
    return join(p.difference_low, p.difference_high, c, s, q.difference_high, -q.difference_low, c, s);
}

int[8] iadst8(int x[8]) {
    const Quarter p = join(x[7], x[0], 16305, 1606, x[3], x[4], 10394, 12665);
    const Quarter q = join(x[5], x[2], 14449, 7723, x[1], x[6], 4756, 15679);
    const Quarter r = turn(p, q, 15137, 6270);
    const int low = p.sum_low - q.sum_low, high = p.sum_high - q.sum_high;
    return int[8](p.sum_low + q.sum_low, -r.sum_low, scale(r.difference_low + r.difference_high, COS_32),
                  -scale(low + high, COS_32), scale(low - high, COS_32),
                  -scale(r.difference_low - r.difference_high, COS_32), r.sum_high, -(p.sum_high + q.sum_high));
}

int[16] iadst16(int x[16]) {
    const Quarter p = join(x[15], x[0], 16364, 804, x[7], x[8], 11003, 12140);
    const Quarter q = join(x[13], x[2], 15893, 3981, x[5], x[10], 8423, 14053);
    const Quarter r = join(x[11], x[4], 14811, 7005, x[3], x[12], 5520, 15426);
    const Quarter s = join(x[9], x[6], 13160, 9760, x[1], x[14], 2404, 16207);

    const int low_pr = p.sum_low + r.sum_low, high_pr = p.sum_high + r.sum_high;
    const int low_qs = q.sum_low + s.sum_low, high_qs = q.sum_high + s.sum_high;
    const Quarter sums_pr = Quarter(low_pr, high_pr, p.sum_low - r.sum_low, p.sum_high - r.sum_high);
    const Quarter sums_qs = Quarter(low_qs, high_qs, q.sum_low - s.sum_low, q.sum_high - s.sum_high);
    const Quarter t = turn(sums_pr, sums_qs, 15137, 6270);
    const Quarter turned_pr = turn(p, r, 16069, 3196), turned_qs = turn(q, s, 9102, 13623);
    const Quarter u = turn(turned_pr, turned_qs, 15137, 6270);

    const int a = low_pr - low_qs, b = high_pr - high_qs;
    const int c = turned_pr.sum_low - turned_qs.sum_low, d = turned_pr.sum_high - turned_qs.sum_high;
    return int[16](
        low_pr + low_qs, -(turned_pr.sum_low + turned_qs.sum_low), u.sum_low, -t.sum_low,
        scale(t.difference_high + t.difference_low, COS_32), scale(-(u.difference_low + u.difference_high), COS_32),
        scale(d + c, COS_32), scale(-(a + b), COS_32), scale(a - b, COS_32), scale(d - c, COS_32),
        scale(u.difference_low - u.difference_high, COS_32), scale(t.difference_high - t.difference_low, COS_32),
        t.sum_high, -u.sum_high, turned_pr.sum_high + turned_qs.sum_high, -(high_pr + high_qs));
}
