// SPDX-License-Identifier: BSD-2-Clause
//
// One-dimensional inverse transforms: VP9 specification, clause 8.7.1. A transform of size 2n is the transform of
// size n of the even inputs and a network of rotations of the odd ones, mirrored. Inputs that are known to be zero
// fold away.

// (a * ca + b * cb) / 2^14, rounded. Residuals are in range (vp9/range.h): with 8 and 10 bits the sum fits in
// 32 bits. With 12 bits the low seven bits of the factors are multiplied apart.
int rotate(int a, int ca, int b, int cb) {
#if BITS <= 10
    return (a * ca + b * cb + 8192) >> 14;
#else
    const int high = (a >> 7) * ca + (b >> 7) * cb;
    const int low = (a & 127) * ca + (b & 127) * cb;
    return (high + ((low + 8192) >> 7)) >> 7;
#endif
}

int scale(int a, int c) {
#if BITS <= 10
    return (a * c + 8192) >> 14;
#else
    return ((a >> 7) * c + (((a & 127) * c + 8192) >> 7)) >> 7;
#endif
}

const int COS_32 = 11585; // cos(pi / 4) * 2^14, and so on

int[4] idct4(int x0, int x1, int x2, int x3) {
    const int t0 = scale(x0 + x2, COS_32), t1 = scale(x0 - x2, COS_32);
    const int t2 = rotate(x1, 6270, x3, -15137), t3 = rotate(x1, 15137, x3, 6270);
    return int[4](t0 + t3, t1 + t2, t1 - t2, t0 - t3);
}

#if SIZE >= 8
int[4] idct8_odd(int x1, int x3, int x5, int x7) {
    const int a4 = rotate(x1, 3196, x7, -16069), a5 = rotate(x5, 13623, x3, -9102);
    const int a6 = rotate(x5, 9102, x3, 13623), a7 = rotate(x1, 16069, x7, 3196);
    const int b5 = a4 - a5, b6 = a7 - a6;
    return int[4](a4 + a5, scale(b6 - b5, COS_32), scale(b6 + b5, COS_32), a7 + a6);
}

int[8] idct8(int x[8]) {
    const int even[4] = idct4(x[0], x[2], x[4], x[6]);
    const int odd[4] = idct8_odd(x[1], x[3], x[5], x[7]);
    int y[8];
    [[unroll]] for (int i = 0; i < 4; i++) {
        y[i] = even[i] + odd[3 - i];
        y[7 - i] = even[i] - odd[3 - i];
    }
    return y;
}
#endif

#if SIZE >= 16
int[8] idct16_odd(int x1, int x3, int x5, int x7, int x9, int x11, int x13, int x15) {
    const int a8 = rotate(x1, 1606, x15, -16305), a15 = rotate(x1, 16305, x15, 1606);
    const int a9 = rotate(x9, 12665, x7, -10394), a14 = rotate(x9, 10394, x7, 12665);
    const int a10 = rotate(x5, 7723, x11, -14449), a13 = rotate(x5, 14449, x11, 7723);
    const int a11 = rotate(x13, 15679, x3, -4756), a12 = rotate(x13, 4756, x3, 15679);

    const int b8 = a8 + a9, b9 = a8 - a9, b10 = a11 - a10, b11 = a11 + a10;
    const int b12 = a12 + a13, b13 = a12 - a13, b14 = a15 - a14, b15 = a15 + a14;

    const int c9 = rotate(b14, 6270, b9, -15137), c14 = rotate(b14, 15137, b9, 6270);
    const int c10 = rotate(b13, -15137, b10, -6270), c13 = rotate(b13, 6270, b10, -15137);

    const int d10 = c9 - c10, d11 = b8 - b11, d12 = b15 - b12, d13 = c14 - c13;
    return int[8](b8 + b11, c9 + c10, scale(d13 - d10, COS_32), scale(d12 - d11, COS_32), scale(d12 + d11, COS_32),
                  scale(d13 + d10, COS_32), c14 + c13, b15 + b12);
}

int[16] idct16(int x[16]) {
    const int even[8] = idct8(int[8](x[0], x[2], x[4], x[6], x[8], x[10], x[12], x[14]));
    const int odd[8] = idct16_odd(x[1], x[3], x[5], x[7], x[9], x[11], x[13], x[15]);
    int y[16];
    [[unroll]] for (int i = 0; i < 8; i++) {
        y[i] = even[i] + odd[7 - i];
        y[15 - i] = even[i] - odd[7 - i];
    }
    return y;
}
#endif

#if SIZE >= 32
// x: the odd inputs.
int[16] idct32_odd(int x[16]) {
    const int a16 = rotate(x[0], 804, x[15], -16364), a31 = rotate(x[0], 16364, x[15], 804);
    const int a17 = rotate(x[8], 12140, x[7], -11003), a30 = rotate(x[8], 11003, x[7], 12140);
    const int a18 = rotate(x[4], 7005, x[11], -14811), a29 = rotate(x[4], 14811, x[11], 7005);
    const int a19 = rotate(x[12], 15426, x[3], -5520), a28 = rotate(x[12], 5520, x[3], 15426);
    const int a20 = rotate(x[2], 3981, x[13], -15893), a27 = rotate(x[2], 15893, x[13], 3981);
    const int a21 = rotate(x[10], 14053, x[5], -8423), a26 = rotate(x[10], 8423, x[5], 14053);
    const int a22 = rotate(x[6], 9760, x[9], -13160), a25 = rotate(x[6], 13160, x[9], 9760);
    const int a23 = rotate(x[14], 16207, x[1], -2404), a24 = rotate(x[14], 2404, x[1], 16207);

    const int b16 = a16 + a17, b17 = a16 - a17, b18 = a19 - a18, b19 = a19 + a18;
    const int b20 = a20 + a21, b21 = a20 - a21, b22 = a23 - a22, b23 = a23 + a22;
    const int b24 = a24 + a25, b25 = a24 - a25, b26 = a27 - a26, b27 = a27 + a26;
    const int b28 = a28 + a29, b29 = a28 - a29, b30 = a31 - a30, b31 = a31 + a30;

    const int c17 = rotate(b30, 3196, b17, -16069), c30 = rotate(b30, 16069, b17, 3196);
    const int c18 = rotate(b29, -16069, b18, -3196), c29 = rotate(b29, 3196, b18, -16069);
    const int c21 = rotate(b26, 13623, b21, -9102), c26 = rotate(b26, 9102, b21, 13623);
    const int c22 = rotate(b25, -9102, b22, -13623), c25 = rotate(b25, 13623, b22, -9102);

    const int d16 = b16 + b19, d17 = c17 + c18, d18 = c17 - c18, d19 = b16 - b19;
    const int d20 = b23 - b20, d21 = c22 - c21, d22 = c22 + c21, d23 = b23 + b20;
    const int d24 = b24 + b27, d25 = c25 + c26, d26 = c25 - c26, d27 = b24 - b27;
    const int d28 = b31 - b28, d29 = c30 - c29, d30 = c30 + c29, d31 = b31 + b28;

    const int e18 = rotate(d29, 6270, d18, -15137), e29 = rotate(d29, 15137, d18, 6270);
    const int e19 = rotate(d28, 6270, d19, -15137), e28 = rotate(d28, 15137, d19, 6270);
    const int e20 = rotate(d27, -15137, d20, -6270), e27 = rotate(d27, 6270, d20, -15137);
    const int e21 = rotate(d26, -15137, d21, -6270), e26 = rotate(d26, 6270, d21, -15137);

    const int f20 = e19 - e20, f21 = e18 - e21, f22 = d17 - d22, f23 = d16 - d23;
    const int f24 = d31 - d24, f25 = d30 - d25, f26 = e29 - e26, f27 = e28 - e27;
    return int[16](d16 + d23, d17 + d22, e18 + e21, e19 + e20, scale(f27 - f20, COS_32), scale(f26 - f21, COS_32),
                   scale(f25 - f22, COS_32), scale(f24 - f23, COS_32), scale(f24 + f23, COS_32),
                   scale(f25 + f22, COS_32), scale(f26 + f21, COS_32), scale(f27 + f20, COS_32), e28 + e27, e29 + e26,
                   d30 + d25, d31 + d24);
}

int[32] idct32(int x[32]) {
    int even[16], odd[16];
    [[unroll]] for (int i = 0; i < 16; i++) {
        even[i] = x[2 * i];
        odd[i] = x[2 * i + 1];
    }
    even = idct16(even);
    odd = idct32_odd(odd);
    int y[32];
    [[unroll]] for (int i = 0; i < 16; i++) {
        y[i] = even[i] + odd[15 - i];
        y[31 - i] = even[i] - odd[15 - i];
    }
    return y;
}
#endif
