// SPDX-License-Identifier: BSD-2-Clause
//
// One-dimensional inverse transforms: AV1 specification, clause 7.13.2. A DCT of size 2n is the DCT of size n of the even inputs
// and a network of rotations of the odd ones, mirrored. Residuals are in range (batch/av1_range.h): nothing is clamped in
// between, and the sums of products fit in 32 bits wherever their result counts.

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

// Inputs from the 33rd on are zero.
int[32] odd_of_64(int x[16]) {
    const int v0 = scale(x[0], 101), v1 = scale(x[0], 4095), v2 = scale(x[15], -2824), v3 = scale(x[15], 2967);
    const int v4 = scale(x[8], 1660), v5 = scale(x[8], 3745), v6 = scale(x[7], -1474), v7 = scale(x[7], 3822);
    const int v8 = scale(x[4], 897), v9 = scale(x[4], 3996), v10 = scale(x[11], -2191), v11 = scale(x[11], 3461);
    const int v12 = scale(x[12], 2359), v13 = scale(x[12], 3349), v14 = scale(x[3], -700), v15 = scale(x[3], 4036);
    const int v16 = scale(x[2], 501), v17 = scale(x[2], 4065), v18 = scale(x[13], -2520), v19 = scale(x[13], 3229);
    const int v20 = scale(x[10], 2019), v21 = scale(x[10], 3564), v22 = scale(x[5], -1092), v23 = scale(x[5], 3948);
    const int v24 = scale(x[6], 1285), v25 = scale(x[6], 3889), v26 = scale(x[9], -1842), v27 = scale(x[9], 3659);
    const int v28 = scale(x[14], 2675), v29 = scale(x[14], 3102), v30 = scale(x[1], -301), v31 = scale(x[1], 4085);
    const int v32 = v0 + v2, v33 = v0 - v2, v34 = v4 + v6, v35 = v6 - v4, v36 = v8 + v10, v37 = v8 - v10;
    const int v38 = v12 + v14, v39 = v14 - v12, v40 = v16 + v18, v41 = v16 - v18, v42 = v20 + v22, v43 = v22 - v20;
    const int v44 = v24 + v26, v45 = v24 - v26, v46 = v28 + v30, v47 = v30 - v28, v48 = v31 + v29, v49 = v31 - v29;
    const int v50 = v27 + v25, v51 = v25 - v27, v52 = v23 + v21, v53 = v23 - v21, v54 = v19 + v17, v55 = v17 - v19;
    const int v56 = v15 + v13, v57 = v15 - v13, v58 = v11 + v9, v59 = v9 - v11, v60 = v7 + v5, v61 = v7 - v5;
    const int v62 = v3 + v1, v63 = v1 - v3, v64 = rotate(v63, 401, v33, -4076), v65 = rotate(v63, 4076, v33, 401);
    const int v66 = rotate(v61, -4076, v35, -401), v67 = rotate(v61, 401, v35, -4076);
    const int v68 = rotate(v59, 3166, v37, -2598), v69 = rotate(v59, 2598, v37, 3166);
    const int v70 = rotate(v57, -2598, v39, -3166), v71 = rotate(v57, 3166, v39, -2598);
    const int v72 = rotate(v55, 1931, v41, -3612), v73 = rotate(v55, 3612, v41, 1931);
    const int v74 = rotate(v53, -3612, v43, -1931), v75 = rotate(v53, 1931, v43, -3612);
    const int v76 = rotate(v51, 3920, v45, -1189), v77 = rotate(v51, 1189, v45, 3920);
    const int v78 = rotate(v49, -1189, v47, -3920), v79 = rotate(v49, 3920, v47, -1189), v80 = v32 + v34;
    const int v81 = v32 - v34, v82 = v64 + v66, v83 = v64 - v66, v84 = v36 + v38, v85 = v38 - v36, v86 = v68 + v70;
    const int v87 = v70 - v68, v88 = v40 + v42, v89 = v40 - v42, v90 = v72 + v74, v91 = v72 - v74, v92 = v44 + v46;
    const int v93 = v46 - v44, v94 = v76 + v78, v95 = v78 - v76, v96 = v48 + v50, v97 = v48 - v50, v98 = v79 + v77;
    const int v99 = v79 - v77, v100 = v52 + v54, v101 = v54 - v52, v102 = v75 + v73, v103 = v73 - v75;
    const int v104 = v56 + v58, v105 = v56 - v58, v106 = v71 + v69, v107 = v71 - v69, v108 = v60 + v62;
    const int v109 = v62 - v60, v110 = v67 + v65, v111 = v65 - v67, v112 = rotate(v111, 799, v83, -4017);
    const int v113 = rotate(v111, 4017, v83, 799), v114 = rotate(v109, 799, v81, -4017);
    const int v115 = rotate(v109, 4017, v81, 799), v116 = rotate(v105, -4017, v85, -799);
    const int v117 = rotate(v105, 799, v85, -4017), v118 = rotate(v107, -4017, v87, -799);
    const int v119 = rotate(v107, 799, v87, -4017), v120 = rotate(v103, 3406, v91, -2276);
    const int v121 = rotate(v103, 2276, v91, 3406), v122 = rotate(v101, 3406, v89, -2276);
    const int v123 = rotate(v101, 2276, v89, 3406), v124 = rotate(v97, -2276, v93, -3406);
    const int v125 = rotate(v97, 3406, v93, -2276), v126 = rotate(v99, -2276, v95, -3406);
    const int v127 = rotate(v99, 3406, v95, -2276), v128 = v80 + v84, v129 = v80 - v84, v130 = v82 + v86;
    const int v131 = v82 - v86, v132 = v112 + v118, v133 = v112 - v118, v134 = v114 + v116, v135 = v114 - v116;
    const int v136 = v88 + v92, v137 = v92 - v88, v138 = v90 + v94, v139 = v94 - v90, v140 = v120 + v126;
    const int v141 = v126 - v120, v142 = v122 + v124, v143 = v124 - v122, v144 = v96 + v100, v145 = v96 - v100;
    const int v146 = v98 + v102, v147 = v98 - v102, v148 = v127 + v121, v149 = v127 - v121, v150 = v125 + v123;
    const int v151 = v125 - v123, v152 = v104 + v108, v153 = v108 - v104, v154 = v106 + v110, v155 = v110 - v106;
    const int v156 = v119 + v113, v157 = v113 - v119, v158 = v117 + v115, v159 = v115 - v117;
    const int v160 = rotate(v159, 1567, v135, -3784), v161 = rotate(v159, 3784, v135, 1567);
    const int v162 = rotate(v157, 1567, v133, -3784), v163 = rotate(v157, 3784, v133, 1567);
    const int v164 = rotate(v155, 1567, v131, -3784), v165 = rotate(v155, 3784, v131, 1567);
    const int v166 = rotate(v153, 1567, v129, -3784), v167 = rotate(v153, 3784, v129, 1567);
    const int v168 = rotate(v145, -3784, v137, -1567), v169 = rotate(v145, 1567, v137, -3784);
    const int v170 = rotate(v147, -3784, v139, -1567), v171 = rotate(v147, 1567, v139, -3784);
    const int v172 = rotate(v149, -3784, v141, -1567), v173 = rotate(v149, 1567, v141, -3784);
    const int v174 = rotate(v151, -3784, v143, -1567), v175 = rotate(v151, 1567, v143, -3784), v176 = v128 + v136;
    const int v177 = v128 - v136, v178 = v130 + v138, v179 = v130 - v138, v180 = v132 + v140, v181 = v132 - v140;
    const int v182 = v134 + v142, v183 = v134 - v142, v184 = v160 + v174, v185 = v160 - v174, v186 = v162 + v172;
    const int v187 = v162 - v172, v188 = v164 + v170, v189 = v164 - v170, v190 = v166 + v168, v191 = v166 - v168;
    const int v192 = v144 + v152, v193 = v152 - v144, v194 = v146 + v154, v195 = v154 - v146, v196 = v148 + v156;
    const int v197 = v156 - v148, v198 = v150 + v158, v199 = v158 - v150, v200 = v175 + v161, v201 = v161 - v175;
    const int v202 = v173 + v163, v203 = v163 - v173, v204 = v171 + v165, v205 = v165 - v171, v206 = v169 + v167;
    const int v207 = v167 - v169, v208 = half_turn(v207 - v191), v209 = half_turn(v207 + v191);
    const int v210 = half_turn(v205 - v189), v211 = half_turn(v205 + v189), v212 = half_turn(v203 - v187);
    const int v213 = half_turn(v203 + v187), v214 = half_turn(v201 - v185), v215 = half_turn(v201 + v185);
    const int v216 = half_turn(v199 - v183), v217 = half_turn(v199 + v183), v218 = half_turn(v197 - v181);
    const int v219 = half_turn(v197 + v181), v220 = half_turn(v195 - v179), v221 = half_turn(v195 + v179);
    const int v222 = half_turn(v193 - v177), v223 = half_turn(v193 + v177);
    return int[32](v176, v178, v180, v182, v184, v186, v188, v190, v208, v210, v212, v214, v216, v218, v220, v222,
                   v223, v221, v219, v217, v215, v213, v211, v209, v206, v204, v202, v200, v198, v196, v194, v192);
}
