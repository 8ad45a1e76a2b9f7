// SPDX-License-Identifier: BSD-2-Clause
//
// One-dimensional inverse transforms: AV1 specification, clause 7.13.2. A DCT of size 2n is the DCT of size n of the
// even inputs and a network of rotations of the odd ones, mirrored. Residuals are in range (av1/range.h): nothing is
// clamped in between, and the sums of products fit in 32 bits wherever their result counts.

// (a * ca + b * cb) / 2^12, rounded.
int rotate(int a, int ca, int b, int cb) { return (a * ca + b * cb + 2048) >> 12; }
int scale(int a, int c) { return (a * c + 2048) >> 12; }
// a * cos(pi / 4), rounded.
int half_turn(int a) { return (a * 181 + 128) >> 8; }

int[4] dct4(int x0, int x1, int x2, int x3) {
    const int t0 = half_turn(x0 + x2), t1 = half_turn(x0 - x2);
    const int t2 = rotate(x1, 1567, x3, -3784), t3 = rotate(x1, 3784, x3, 1567);
    return int[4](t0 + t3, t1 + t2, t1 - t2, t0 - t3);
}

int[4] adst4(int x[4]) {
    return int[4]((1321 * x[0] + 3803 * x[2] + 2482 * x[3] + 3344 * x[1] + 2048) >> 12,
                  (2482 * x[0] - 1321 * x[2] - 3803 * x[3] + 3344 * x[1] + 2048) >> 12,
                  (209 * (x[0] - x[2] + x[3]) + 128) >> 8,
                  (3803 * x[0] + 2482 * x[2] - 1321 * x[3] - 3344 * x[1] + 2048) >> 12);
}

// Lossless Walsh-Hadamard transform, clause 7.13.2.10.
int[4] wht4(int x[4]) {
    const int a = x[0] + x[1], d = x[2] - x[3], e = (a - d) >> 1, c = e - x[3], b = e - x[1];
    return int[4](a - c, c, b, d + b);
}

int identity(int v, uint n_log2) {
    if (n_log2 == 2u)
        return v + ((v * 1697 + 2048) >> 12);
    if (n_log2 == 4u)
        return 2 * v + ((v * 1697 + 1024) >> 11);
    return v << (n_log2 == 3u ? 1u : 2u);
}

int[4] odd_of_8(int x[4]) {
    const int v0 = rotate(x[0], 799, x[3], -4017), v1 = rotate(x[0], 4017, x[3], 799);
    const int v2 = rotate(x[2], 3406, x[1], -2276), v3 = rotate(x[2], 2276, x[1], 3406), v4 = v0 + v2, v5 = v0 - v2;
    const int v6 = v3 + v1, v7 = v1 - v3, v8 = half_turn(v7 - v5), v9 = half_turn(v7 + v5);
    return int[4](v4, v8, v9, v6);
}

int[8] dct8(int x[8]) {
    const int even[4] = dct4(x[0], x[2], x[4], x[6]);
    const int odd[4] = odd_of_8(int[4](x[1], x[3], x[5], x[7]));
    int y[8];
    [[unroll]] for (int i = 0; i < 4; i++) {
        y[i] = even[i] + odd[3 - i];
        y[7 - i] = even[i] - odd[3 - i];
    }
    return y;
}

int[8] odd_of_16(int x[8]) {
    const int v0 = rotate(x[0], 401, x[7], -4076), v1 = rotate(x[0], 4076, x[7], 401);
    const int v2 = rotate(x[4], 3166, x[3], -2598), v3 = rotate(x[4], 2598, x[3], 3166);
    const int v4 = rotate(x[2], 1931, x[5], -3612), v5 = rotate(x[2], 3612, x[5], 1931);
    const int v6 = rotate(x[6], 3920, x[1], -1189), v7 = rotate(x[6], 1189, x[1], 3920), v8 = v0 + v2, v9 = v0 - v2;
    const int v10 = v4 + v6, v11 = v6 - v4, v12 = v7 + v5, v13 = v7 - v5, v14 = v3 + v1, v15 = v1 - v3;
    const int v16 = rotate(v15, 1567, v9, -3784), v17 = rotate(v15, 3784, v9, 1567);
    const int v18 = rotate(v13, -3784, v11, -1567), v19 = rotate(v13, 1567, v11, -3784), v20 = v8 + v10;
    const int v21 = v8 - v10, v22 = v16 + v18, v23 = v16 - v18, v24 = v12 + v14, v25 = v14 - v12, v26 = v19 + v17;
    const int v27 = v17 - v19, v28 = half_turn(v27 - v23), v29 = half_turn(v27 + v23), v30 = half_turn(v25 - v21);
    const int v31 = half_turn(v25 + v21);
    return int[8](v20, v22, v28, v30, v31, v29, v26, v24);
}

int[16] dct16(int x[16]) {
    int even[8], odd[8], y[16];
    [[unroll]] for (int i = 0; i < 8; i++) {
        even[i] = x[2 * i];
        odd[i] = x[2 * i + 1];
    }
    even = dct8(even);
    odd = odd_of_16(odd);
    [[unroll]] for (int i = 0; i < 8; i++) {
        y[i] = even[i] + odd[7 - i];
        y[15 - i] = even[i] - odd[7 - i];
    }
    return y;
}

int[8] adst8(int x[8]) {
    const int v0 = rotate(x[7], 4076, x[0], 401), v1 = rotate(x[7], 401, x[0], -4076);
    const int v2 = rotate(x[5], 3612, x[2], 1931), v3 = rotate(x[5], 1931, x[2], -3612);
    const int v4 = rotate(x[3], 2598, x[4], 3166), v5 = rotate(x[3], 3166, x[4], -2598);
    const int v6 = rotate(x[1], 1189, x[6], 3920), v7 = rotate(x[1], 3920, x[6], -1189), v8 = v0 + v4, v9 = v0 - v4;
    const int v10 = v1 + v5, v11 = v1 - v5, v12 = v2 + v6, v13 = v2 - v6, v14 = v3 + v7, v15 = v3 - v7;
    const int v16 = rotate(v9, 3784, v11, 1567), v17 = rotate(v9, 1567, v11, -3784);
    const int v18 = rotate(v13, -1567, v15, 3784), v19 = rotate(v13, 3784, v15, 1567), v20 = v8 + v12, v21 = v8 - v12;
    const int v22 = v10 + v14, v23 = v10 - v14, v24 = v16 + v18, v25 = v16 - v18, v26 = v17 + v19, v27 = v17 - v19;
    const int v28 = half_turn(v21 + v23), v29 = half_turn(v21 - v23), v30 = half_turn(v25 + v27);
    const int v31 = half_turn(v25 - v27);
    return int[8](v20, -v24, v30, -v28, v29, -v31, v26, -v22);
}

int[16] adst16(int x[16]) {
    const int v0 = rotate(x[15], 4091, x[0], 201), v1 = rotate(x[15], 201, x[0], -4091);
    const int v2 = rotate(x[13], 3973, x[2], 995), v3 = rotate(x[13], 995, x[2], -3973);
    const int v4 = rotate(x[11], 3703, x[4], 1751), v5 = rotate(x[11], 1751, x[4], -3703);
    const int v6 = rotate(x[9], 3290, x[6], 2440), v7 = rotate(x[9], 2440, x[6], -3290);
    const int v8 = rotate(x[7], 2751, x[8], 3035), v9 = rotate(x[7], 3035, x[8], -2751);
    const int v10 = rotate(x[5], 2106, x[10], 3513), v11 = rotate(x[5], 3513, x[10], -2106);
    const int v12 = rotate(x[3], 1380, x[12], 3857), v13 = rotate(x[3], 3857, x[12], -1380);
    const int v14 = rotate(x[1], 601, x[14], 4052), v15 = rotate(x[1], 4052, x[14], -601), v16 = v0 + v8;
    const int v17 = v0 - v8, v18 = v1 + v9, v19 = v1 - v9, v20 = v2 + v10, v21 = v2 - v10, v22 = v3 + v11;
    const int v23 = v3 - v11, v24 = v4 + v12, v25 = v4 - v12, v26 = v5 + v13, v27 = v5 - v13, v28 = v6 + v14;
    const int v29 = v6 - v14, v30 = v7 + v15, v31 = v7 - v15, v32 = rotate(v17, 4017, v19, 799);
    const int v33 = rotate(v17, 799, v19, -4017), v34 = rotate(v21, 2276, v23, 3406);
    const int v35 = rotate(v21, 3406, v23, -2276), v36 = rotate(v25, -799, v27, 4017);
    const int v37 = rotate(v25, 4017, v27, 799), v38 = rotate(v29, -3406, v31, 2276);
    const int v39 = rotate(v29, 2276, v31, 3406), v40 = v16 + v24, v41 = v16 - v24, v42 = v18 + v26, v43 = v18 - v26;
    const int v44 = v20 + v28, v45 = v20 - v28, v46 = v22 + v30, v47 = v22 - v30, v48 = v32 + v36, v49 = v32 - v36;
    const int v50 = v33 + v37, v51 = v33 - v37, v52 = v34 + v38, v53 = v34 - v38, v54 = v35 + v39, v55 = v35 - v39;
    const int v56 = rotate(v41, 3784, v43, 1567), v57 = rotate(v41, 1567, v43, -3784);
    const int v58 = rotate(v45, -1567, v47, 3784), v59 = rotate(v45, 3784, v47, 1567);
    const int v60 = rotate(v49, 3784, v51, 1567), v61 = rotate(v49, 1567, v51, -3784);
    const int v62 = rotate(v53, -1567, v55, 3784), v63 = rotate(v53, 3784, v55, 1567), v64 = v40 + v44;
    const int v65 = v40 - v44, v66 = v42 + v46, v67 = v42 - v46, v68 = v56 + v58, v69 = v56 - v58, v70 = v57 + v59;
    const int v71 = v57 - v59, v72 = v48 + v52, v73 = v48 - v52, v74 = v50 + v54, v75 = v50 - v54, v76 = v60 + v62;
    const int v77 = v60 - v62, v78 = v61 + v63, v79 = v61 - v63, v80 = half_turn(v65 + v67);
    const int v81 = half_turn(v65 - v67), v82 = half_turn(v69 + v71), v83 = half_turn(v69 - v71);
    const int v84 = half_turn(v73 + v75), v85 = half_turn(v73 - v75), v86 = half_turn(v77 + v79);
    const int v87 = half_turn(v77 - v79);
    return int[16](v64, -v72, v76, -v68, v82, -v86, v84, -v80, v81, -v85, v87, -v83, v70, -v78, v74, -v66);
}

int[16] odd_of_32(int x[16]) {
    const int v0 = rotate(x[0], 201, x[15], -4091), v1 = rotate(x[0], 4091, x[15], 201);
    const int v2 = rotate(x[8], 3035, x[7], -2751), v3 = rotate(x[8], 2751, x[7], 3035);
    const int v4 = rotate(x[4], 1751, x[11], -3703), v5 = rotate(x[4], 3703, x[11], 1751);
    const int v6 = rotate(x[12], 3857, x[3], -1380), v7 = rotate(x[12], 1380, x[3], 3857);
    const int v8 = rotate(x[2], 995, x[13], -3973), v9 = rotate(x[2], 3973, x[13], 995);
    const int v10 = rotate(x[10], 3513, x[5], -2106), v11 = rotate(x[10], 2106, x[5], 3513);
    const int v12 = rotate(x[6], 2440, x[9], -3290), v13 = rotate(x[6], 3290, x[9], 2440);
    const int v14 = rotate(x[14], 4052, x[1], -601), v15 = rotate(x[14], 601, x[1], 4052), v16 = v0 + v2;
    const int v17 = v0 - v2, v18 = v4 + v6, v19 = v6 - v4, v20 = v8 + v10, v21 = v8 - v10, v22 = v12 + v14;
    const int v23 = v14 - v12, v24 = v15 + v13, v25 = v15 - v13, v26 = v11 + v9, v27 = v9 - v11, v28 = v7 + v5;
    const int v29 = v7 - v5, v30 = v3 + v1, v31 = v1 - v3, v32 = rotate(v31, 799, v17, -4017);
    const int v33 = rotate(v31, 4017, v17, 799), v34 = rotate(v29, -4017, v19, -799);
    const int v35 = rotate(v29, 799, v19, -4017), v36 = rotate(v27, 3406, v21, -2276);
    const int v37 = rotate(v27, 2276, v21, 3406), v38 = rotate(v25, -2276, v23, -3406);
    const int v39 = rotate(v25, 3406, v23, -2276), v40 = v16 + v18, v41 = v16 - v18, v42 = v32 + v34, v43 = v32 - v34;
    const int v44 = v20 + v22, v45 = v22 - v20, v46 = v36 + v38, v47 = v38 - v36, v48 = v24 + v26, v49 = v24 - v26;
    const int v50 = v39 + v37, v51 = v39 - v37, v52 = v28 + v30, v53 = v30 - v28, v54 = v35 + v33, v55 = v33 - v35;
    const int v56 = rotate(v55, 1567, v43, -3784), v57 = rotate(v55, 3784, v43, 1567);
    const int v58 = rotate(v53, 1567, v41, -3784), v59 = rotate(v53, 3784, v41, 1567);
    const int v60 = rotate(v49, -3784, v45, -1567), v61 = rotate(v49, 1567, v45, -3784);
    const int v62 = rotate(v51, -3784, v47, -1567), v63 = rotate(v51, 1567, v47, -3784), v64 = v40 + v44;
    const int v65 = v40 - v44, v66 = v42 + v46, v67 = v42 - v46, v68 = v56 + v62, v69 = v56 - v62, v70 = v58 + v60;
    const int v71 = v58 - v60, v72 = v48 + v52, v73 = v52 - v48, v74 = v50 + v54, v75 = v54 - v50, v76 = v63 + v57;
    const int v77 = v57 - v63, v78 = v61 + v59, v79 = v59 - v61, v80 = half_turn(v79 - v71);
    const int v81 = half_turn(v79 + v71), v82 = half_turn(v77 - v69), v83 = half_turn(v77 + v69);
    const int v84 = half_turn(v75 - v67), v85 = half_turn(v75 + v67), v86 = half_turn(v73 - v65);
    const int v87 = half_turn(v73 + v65);
    return int[16](v64, v66, v68, v70, v80, v82, v84, v86, v87, v85, v83, v81, v78, v76, v74, v72);
}

// The odd inputs of 64, of which those from the 33rd on are zero, in two networks: of inputs 1, 7, 9, 15, ... and 3,
// 5, 11, 13, ... Results 0 to 7 of one are added to and subtracted from those of the other, and so are results 8 to
// 15 (odd_of_64).
int[16] outer_odd_of_64(int x[8]) {
    const int v0 = scale(x[0], 101), v1 = scale(x[0], 4095), v2 = scale(x[7], -2824), v3 = scale(x[7], 2967);
    const int v4 = scale(x[4], 1660), v5 = scale(x[4], 3745), v6 = scale(x[3], -1474), v7 = scale(x[3], 3822);
    const int v8 = scale(x[2], 897), v9 = scale(x[2], 3996), v10 = scale(x[5], -2191), v11 = scale(x[5], 3461);
    const int v12 = scale(x[6], 2359), v13 = scale(x[6], 3349), v14 = scale(x[1], -700), v15 = scale(x[1], 4036);
    const int v16 = v0 + v2, v17 = v0 - v2, v18 = v4 + v6, v19 = v6 - v4, v20 = v8 + v10, v21 = v8 - v10;
    const int v22 = v12 + v14, v23 = v14 - v12, v24 = v15 + v13, v25 = v15 - v13, v26 = v11 + v9, v27 = v9 - v11;
    const int v28 = v7 + v5, v29 = v7 - v5, v30 = v3 + v1, v31 = v1 - v3, v32 = rotate(v31, 401, v17, -4076);
    const int v33 = rotate(v31, 4076, v17, 401), v34 = rotate(v29, -4076, v19, -401);
    const int v35 = rotate(v29, 401, v19, -4076), v36 = rotate(v27, 3166, v21, -2598);
    const int v37 = rotate(v27, 2598, v21, 3166), v38 = rotate(v25, -2598, v23, -3166);
    const int v39 = rotate(v25, 3166, v23, -2598), v40 = v16 + v18, v41 = v16 - v18, v42 = v32 + v34, v43 = v32 - v34;
    const int v44 = v20 + v22, v45 = v22 - v20, v46 = v36 + v38, v47 = v38 - v36, v48 = v24 + v26, v49 = v24 - v26;
    const int v50 = v39 + v37, v51 = v39 - v37, v52 = v28 + v30, v53 = v30 - v28, v54 = v35 + v33, v55 = v33 - v35;
    const int v56 = rotate(v55, 799, v43, -4017), v57 = rotate(v55, 4017, v43, 799);
    const int v58 = rotate(v53, 799, v41, -4017), v59 = rotate(v53, 4017, v41, 799);
    const int v60 = rotate(v49, -4017, v45, -799), v61 = rotate(v49, 799, v45, -4017);
    const int v62 = rotate(v51, -4017, v47, -799), v63 = rotate(v51, 799, v47, -4017), v64 = v40 + v44;
    const int v65 = v40 - v44, v66 = v42 + v46, v67 = v42 - v46, v68 = v56 + v62, v69 = v56 - v62, v70 = v58 + v60;
    const int v71 = v58 - v60, v72 = v48 + v52, v73 = v52 - v48, v74 = v50 + v54, v75 = v54 - v50, v76 = v63 + v57;
    const int v77 = v57 - v63, v78 = v61 + v59, v79 = v59 - v61, v80 = rotate(v79, 1567, v71, -3784);
    const int v81 = rotate(v79, 3784, v71, 1567), v82 = rotate(v77, 1567, v69, -3784);
    const int v83 = rotate(v77, 3784, v69, 1567), v84 = rotate(v75, 1567, v67, -3784);
    const int v85 = rotate(v75, 3784, v67, 1567), v86 = rotate(v73, 1567, v65, -3784);
    const int v87 = rotate(v73, 3784, v65, 1567);
    return int[16](v64, v66, v68, v70, v80, v82, v84, v86, v87, v85, v83, v81, v78, v76, v74, v72);
}

int[16] inner_odd_of_64(int x[8]) {
    const int v0 = scale(x[1], 501), v1 = scale(x[1], 4065), v2 = scale(x[6], -2520), v3 = scale(x[6], 3229);
    const int v4 = scale(x[5], 2019), v5 = scale(x[5], 3564), v6 = scale(x[2], -1092), v7 = scale(x[2], 3948);
    const int v8 = scale(x[3], 1285), v9 = scale(x[3], 3889), v10 = scale(x[4], -1842), v11 = scale(x[4], 3659);
    const int v12 = scale(x[7], 2675), v13 = scale(x[7], 3102), v14 = scale(x[0], -301), v15 = scale(x[0], 4085);
    const int v16 = v0 + v2, v17 = v0 - v2, v18 = v4 + v6, v19 = v6 - v4, v20 = v8 + v10, v21 = v8 - v10;
    const int v22 = v12 + v14, v23 = v14 - v12, v24 = v15 + v13, v25 = v15 - v13, v26 = v11 + v9, v27 = v9 - v11;
    const int v28 = v7 + v5, v29 = v7 - v5, v30 = v3 + v1, v31 = v1 - v3, v32 = rotate(v31, 1931, v17, -3612);
    const int v33 = rotate(v31, 3612, v17, 1931), v34 = rotate(v29, -3612, v19, -1931);
    const int v35 = rotate(v29, 1931, v19, -3612), v36 = rotate(v27, 3920, v21, -1189);
    const int v37 = rotate(v27, 1189, v21, 3920), v38 = rotate(v25, -1189, v23, -3920);
    const int v39 = rotate(v25, 3920, v23, -1189), v40 = v16 + v18, v41 = v16 - v18, v42 = v32 + v34, v43 = v32 - v34;
    const int v44 = v20 + v22, v45 = v22 - v20, v46 = v36 + v38, v47 = v38 - v36, v48 = v24 + v26, v49 = v24 - v26;
    const int v50 = v39 + v37, v51 = v39 - v37, v52 = v28 + v30, v53 = v30 - v28, v54 = v35 + v33, v55 = v33 - v35;
    const int v56 = rotate(v55, 3406, v43, -2276), v57 = rotate(v55, 2276, v43, 3406);
    const int v58 = rotate(v53, 3406, v41, -2276), v59 = rotate(v53, 2276, v41, 3406);
    const int v60 = rotate(v49, -2276, v45, -3406), v61 = rotate(v49, 3406, v45, -2276);
    const int v62 = rotate(v51, -2276, v47, -3406), v63 = rotate(v51, 3406, v47, -2276), v64 = v40 + v44;
    const int v65 = v44 - v40, v66 = v42 + v46, v67 = v46 - v42, v68 = v56 + v62, v69 = v62 - v56, v70 = v58 + v60;
    const int v71 = v60 - v58, v72 = v48 + v52, v73 = v48 - v52, v74 = v50 + v54, v75 = v50 - v54, v76 = v63 + v57;
    const int v77 = v63 - v57, v78 = v61 + v59, v79 = v61 - v59, v80 = rotate(v73, -3784, v65, -1567);
    const int v81 = rotate(v73, 1567, v65, -3784), v82 = rotate(v75, -3784, v67, -1567);
    const int v83 = rotate(v75, 1567, v67, -3784), v84 = rotate(v77, -3784, v69, -1567);
    const int v85 = rotate(v77, 1567, v69, -3784), v86 = rotate(v79, -3784, v71, -1567);
    const int v87 = rotate(v79, 1567, v71, -3784);
    return int[16](v64, v66, v68, v70, v86, v84, v82, v80, v81, v83, v85, v87, v78, v76, v74, v72);
}

// Results k, 15 - k, 16 + k and 31 - k of the odd inputs of 64, out of results k and 15 - k of both networks.
int[4] odd_of_64(int outer_k, int outer_15_k, int inner_k, int inner_15_k) {
    const int low = outer_k - inner_k, high = outer_15_k - inner_15_k;
    return int[4](outer_k + inner_k, half_turn(high - low), half_turn(high + low), outer_15_k + inner_15_k);
}
