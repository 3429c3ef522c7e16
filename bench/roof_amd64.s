#include "textflag.h"

// What the machine can do, with nothing else in the way: no results but to keep the
// loads alive. AVX2 and FMA.

// func readSum(x *float64, n int) float64: n is a multiple of 32.
TEXT ·readSum(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
read:
	VADDPD (SI), Y0, Y0
	VADDPD 32(SI), Y1, Y1
	VADDPD 64(SI), Y2, Y2
	VADDPD 96(SI), Y3, Y3
	VADDPD 128(SI), Y4, Y4
	VADDPD 160(SI), Y5, Y5
	VADDPD 192(SI), Y6, Y6
	VADDPD 224(SI), Y7, Y7
	ADDQ $256, SI
	SUBQ $32, CX
	JG   read
	VADDPD Y1, Y0, Y0
	VADDPD Y3, Y2, Y2
	VADDPD Y5, Y4, Y4
	VADDPD Y7, Y6, Y6
	VADDPD Y2, Y0, Y0
	VADDPD Y6, Y4, Y4
	VADDPD Y4, Y0, Y0
	VMOVSD X0, ret+16(FP)
	VZEROUPPER
	RET

// func scale(x *float64, n int, c float64): n is a multiple of 16.
TEXT ·scale(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VBROADCASTSD c+16(FP), Y15
turn:
	VMULPD (SI), Y15, Y0
	VMULPD 32(SI), Y15, Y1
	VMULPD 64(SI), Y15, Y2
	VMULPD 96(SI), Y15, Y3
	VMOVUPD Y0, (SI)
	VMOVUPD Y1, 32(SI)
	VMOVUPD Y2, 64(SI)
	VMOVUPD Y3, 96(SI)
	ADDQ $128, SI
	SUBQ $16, CX
	JG   turn
	VZEROUPPER
	RET

// func fmas(n int): n turns of 10 vectors, that is 80n operations.
TEXT ·fmas(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
fma:
	VFMADD231PD Y10, Y11, Y0
	VFMADD231PD Y10, Y11, Y1
	VFMADD231PD Y10, Y11, Y2
	VFMADD231PD Y10, Y11, Y3
	VFMADD231PD Y10, Y11, Y4
	VFMADD231PD Y10, Y11, Y5
	VFMADD231PD Y10, Y11, Y6
	VFMADD231PD Y10, Y11, Y7
	VFMADD231PD Y10, Y11, Y8
	VFMADD231PD Y10, Y11, Y9
	DECQ CX
	JG   fma
	VZEROUPPER
	RET

// func rowSum(w *float64, h int, idx *int32, n int): reads the rows idx[:n], of h numbers,
// where h is a multiple of 4, and asks for the row 24 places ahead: idx reaches as far.
TEXT ·rowSum(SB), NOSPLIT, $0-32
	MOVQ w+0(FP), SI
	MOVQ h+8(FP), R8
	MOVQ idx+16(FP), DI
	MOVQ n+24(FP), CX
	SHLQ $3, R8
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
row:
	MOVLQSX (DI), AX
	MOVLQSX 96(DI), R9
	IMULQ R8, AX
	IMULQ R8, R9
	ADDQ SI, AX
	ADDQ SI, R9
	MOVQ R8, DX
	PREFETCHT0 (R9)
	PREFETCHT0 -1(R9)(R8*1)
	CMPQ DX, $128
	JLE  part
	PREFETCHT0 64(R9)
	SUBQ $64, R9
ahead:
	ADDQ $128, R9
	PREFETCHT0 -64(R9)
	PREFETCHT0 (R9)
	SUBQ $128, DX
	CMPQ DX, $192
	JG   ahead
	MOVQ R8, DX
part:
	CMPQ DX, $64
	JL   half
	VADDPD (AX), Y0, Y0
	VADDPD 32(AX), Y1, Y1
	ADDQ $64, AX
	SUBQ $64, DX
	JMP  part
half:
	TESTQ DX, DX
	JE   next
	VADDPD (AX), Y0, Y0
next:
	ADDQ $4, DI
	DECQ CX
	JG   row
	VZEROUPPER
	RET
