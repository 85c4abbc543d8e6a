// Vector instructions that Go's assembler for arm64 does not know, as words,
// with the operands in its order: sources first, destination last.

#define FADD4S(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))  // d = n + m, four float32
#define FSUB4S(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))  // d = n - m
#define FABD4S(m, n, d) WORD $(0x6EA0D400 | (m)<<16 | (n)<<5 | (d))  // d = |n - m|
#define FMUL4S(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))  // d = n * m
#define FCMGT4S(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d)) // d = n > m, all ones or zero
#define FADDP4S(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d)) // d = pair sums of n, then of m
#define FADDPS(n, d) WORD $(0x7E30D800 | (n)<<5 | (d))               // d = n[0] + n[1], one float32
#define FADD2D(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))  // d = n + m, two float64
#define FMUL2D(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))  // d = n * m
#define FADDPD(n, d) WORD $(0x7E70D800 | (n)<<5 | (d))               // d = n[0] + n[1], one float64
#define FCVTL2D(n, d) WORD $(0x0E617800 | (n)<<5 | (d))              // d = float64 of n[0], n[1]
#define FCVTL2D2(n, d) WORD $(0x4E617800 | (n)<<5 | (d))             // d = float64 of n[2], n[3]
