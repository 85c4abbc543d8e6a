// Four rows against a vector, for the kernels of lists of rows and of rows that lie
// one behind the other. The rows share the lines of x; each has its own four sums,
// added up as dotAVX512 and l2SquaredAVX512 have theirs, so that the bits are the
// same.
//
// Who includes this defines FETCHLINE(off), which may ask for lines that come later.
// In use: R8 to R11 are the rows, K1 is the mask of the last line, K2 tells which of
// the rows there are, DI is where the sums go.

#define ZERO4(a, b, c, d) \
	VXORPS a, a, a \
	VXORPS b, b, b \
	VXORPS c, c, c \
	VXORPS d, d, d

// DIFF adds the squared differences of one line of x and of the four rows to a
// sum of each, PROD their products.
#define DIFF(off, a, b, c, d) \
	VMOVUPS     off(SI)(DX*1), Z16      \
	FETCHLINE(off)                      \
	VSUBPS      off(R8)(DX*1), Z16, Z17 \
	VSUBPS      off(R9)(DX*1), Z16, Z18 \
	VSUBPS      off(R10)(DX*1), Z16, Z19 \
	VSUBPS      off(R11)(DX*1), Z16, Z20 \
	VFMADD231PS Z17, Z17, a             \
	VFMADD231PS Z18, Z18, b             \
	VFMADD231PS Z19, Z19, c             \
	VFMADD231PS Z20, Z20, d

#define PROD(off, a, b, c, d) \
	VMOVUPS     off(SI)(DX*1), Z16     \
	FETCHLINE(off)                     \
	VFMADD231PS off(R8)(DX*1), Z16, a  \
	VFMADD231PS off(R9)(DX*1), Z16, b  \
	VFMADD231PS off(R10)(DX*1), Z16, c \
	VFMADD231PS off(R11)(DX*1), Z16, d

// DIFFREST and PRODREST do so for the last line, which is in Z16 and, of the rows, in
// Z17 to Z20.
#define DIFFREST \
	VSUBPS      Z17, Z16, Z17 \
	VSUBPS      Z18, Z16, Z18 \
	VSUBPS      Z19, Z16, Z19 \
	VSUBPS      Z20, Z16, Z20 \
	VFMADD231PS Z17, Z17, Z3  \
	VFMADD231PS Z18, Z18, Z7  \
	VFMADD231PS Z19, Z19, Z11 \
	VFMADD231PS Z20, Z20, Z15

#define PRODREST \
	VFMADD231PS Z17, Z16, Z3  \
	VFMADD231PS Z18, Z16, Z7  \
	VFMADD231PS Z19, Z16, Z11 \
	VFMADD231PS Z20, Z16, Z15

// SUMROW adds four sums and folds them to four lanes.
#define SUMROW(a, b, c, d, y, x) \
	VADDPS        b, a, a    \
	VADDPS        d, c, c    \
	VADDPS        c, a, a    \
	VEXTRACTF64X4 $1, a, Y16 \
	VADDPS        Y16, y, y  \
	VEXTRACTF32X4 $1, y, X16 \
	VADDPS        X16, x, x

// LASTLINE sets K1 for rows of CX elements.
#define LASTLINE \
	ANDQ  $15, CX \
	MOVL  $1, AX  \
	SHLL  CX, AX  \
	DECL  AX      \
	KMOVW AX, K1

// SUMS sums CX elements of x, at SI, and of the four rows by LINE, and by REST what
// is no whole line, and stores the sums of the rows that there are. It leaves DI
// behind them.
#define SUMS(LINE, REST) \
	XORQ DX, DX                \
	ZERO4(Z0, Z1, Z2, Z3)      \
	ZERO4(Z4, Z5, Z6, Z7)      \
	ZERO4(Z8, Z9, Z10, Z11)    \
	ZERO4(Z12, Z13, Z14, Z15)  \
	SUBQ $64, CX               \
	JLT  rest                  \
lines:                         \
	LINE(0, Z0, Z4, Z8, Z12)   \
	LINE(64, Z1, Z5, Z9, Z13)  \
	LINE(128, Z2, Z6, Z10, Z14) \
	LINE(192, Z3, Z7, Z11, Z15) \
	ADDQ $256, DX              \
	SUBQ $64, CX               \
	JGE  lines                 \
rest:                          \
	ADDQ $64, CX               \
	CMPQ CX, $32               \
	JLT  half                  \
	LINE(0, Z0, Z4, Z8, Z12)   \
	LINE(64, Z1, Z5, Z9, Z13)  \
	ADDQ $128, DX              \
	SUBQ $32, CX               \
half:                          \
	CMPQ CX, $16               \
	JLT  tail                  \
	LINE(0, Z2, Z6, Z10, Z14)  \
	ADDQ $64, DX               \
	SUBQ $16, CX               \
tail:                          \
	TESTQ     CX, CX           \
	JEQ       sum              \
	VMOVUPS.Z (SI)(DX*1), K1, Z16  \
	VMOVUPS.Z (R8)(DX*1), K1, Z17  \
	VMOVUPS.Z (R9)(DX*1), K1, Z18  \
	VMOVUPS.Z (R10)(DX*1), K1, Z19 \
	VMOVUPS.Z (R11)(DX*1), K1, Z20 \
	REST                       \
sum:                           \
	SUMROW(Z0, Z1, Z2, Z3, Y0, X0)       \
	SUMROW(Z4, Z5, Z6, Z7, Y4, X4)       \
	SUMROW(Z8, Z9, Z10, Z11, Y8, X8)     \
	SUMROW(Z12, Z13, Z14, Z15, Y12, X12) \
	VHADDPS X4, X0, X0   \
	VHADDPS X12, X8, X8  \
	VHADDPS X8, X0, X0   \
	VMOVUPS X0, K2, (DI) \
	ADDQ    $16, DI
