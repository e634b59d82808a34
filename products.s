	.text
	.file	"kiln"
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI0_0:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
	.section	.rodata.cst16,"aM",@progbits,16
.LCPI0_1:
	.byte	0
	.byte	1
	.byte	2
	.byte	3
	.byte	4
	.byte	5
	.byte	6
	.byte	7
	.byte	8
	.byte	9
	.byte	10
	.byte	11
	.byte	12
	.byte	13
	.byte	14
	.byte	15
	.text
	.protected	products.kernel
	.globl	products.kernel
	.p2align	4, 0x90
	.type	products.kernel,@function
products.kernel:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	96(%rdi), %rdx
	movq	24(%rcx), %r8
	movq	48(%rcx), %rax
	movq	(%rdx), %rcx
	movq	%rcx, -8(%rsp)
	movq	8(%rdx), %rcx
	movq	16(%rdx), %rdi
	movl	24(%rdx), %edx
	movq	%rax, %rsi
	andq	$-64, %rsi
	je	.LBB0_7
	leaq	(%rdi,%r8,2), %r10
	movq	-8(%rsp), %r9
	leaq	(%r9,%r8,4), %r11
	movq	%rdx, %rbx
	shlq	$5, %rbx
	xorl	%r14d, %r14d
	jmp	.LBB0_2
	.p2align	5, 0x90
.LBB0_3:
	vxorps	%xmm0, %xmm0, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm3, %xmm3, %xmm3
.LBB0_6:
	vmovups	%zmm0, (%r11,%r14,4)
	vmovups	%zmm1, 64(%r11,%r14,4)
	vmovups	%zmm2, 128(%r11,%r14,4)
	vmovups	%zmm3, 192(%r11,%r14,4)
	addq	$64, %r14
	cmpq	%rsi, %r14
	jae	.LBB0_7
.LBB0_2:
	testl	%edx, %edx
	jle	.LBB0_3
	leaq	(%r10,%r14,2), %r15
	vxorps	%xmm0, %xmm0, %xmm0
	movq	%rcx, %r12
	xorl	%r13d, %r13d
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm3, %xmm3, %xmm3
	.p2align	5, 0x90
.LBB0_5:
	movzwl	(%r12), %ebp
	shll	$16, %ebp
	movslq	%r13d, %r9
	vpmovzxwd	96(%r15,%r9,2), %zmm4
	vpmovzxwd	64(%r15,%r9,2), %zmm5
	vpmovzxwd	32(%r15,%r9,2), %zmm6
	vpmovzxwd	(%r15,%r9,2), %zmm7
	vpslld	$16, %zmm7, %zmm7
	vpslld	$16, %zmm6, %zmm6
	vpslld	$16, %zmm5, %zmm5
	vpslld	$16, %zmm4, %zmm4
	vpbroadcastd	%ebp, %zmm8
	vfmadd231ps	%zmm4, %zmm8, %zmm3
	vfmadd231ps	%zmm5, %zmm8, %zmm2
	vfmadd231ps	%zmm6, %zmm8, %zmm1
	vfmadd231ps	%zmm7, %zmm8, %zmm0
	addq	$32, %r13
	addq	$2, %r12
	cmpq	%r13, %rbx
	jne	.LBB0_5
	jmp	.LBB0_6
.LBB0_7:
	cmpq	%rsi, %rax
	jne	.LBB0_8
.LBB0_46:
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.LBB0_8:
	.cfi_def_cfa_offset 56
	leaq	(%rdi,%r8,2), %rdi
	movq	-8(%rsp), %r9
	leaq	(%r9,%r8,4), %r8
	movq	%rdx, %r9
	shlq	$5, %r9
	movl	$16, %r10d
	vpmovsxbd	.LCPI0_1(%rip), %zmm0
	jmp	.LBB0_9
	.p2align	5, 0x90
.LBB0_10:
	vpxor	%xmm1, %xmm1, %xmm1
.LBB0_45:
	vmovups	%zmm1, (%r8,%rsi,4) {%k1}
	addq	$16, %rsi
	cmpq	%rax, %rsi
	jae	.LBB0_46
.LBB0_9:
	movq	%rax, %r11
	subq	%rsi, %r11
	cmpq	$16, %r11
	cmovaeq	%r10, %r11
	vpbroadcastd	%r11d, %zmm1
	vpcmpnleud	%zmm0, %zmm1, %k1
	testl	%edx, %edx
	jle	.LBB0_10
	leaq	(%rdi,%rsi,2), %r11
	vpxor	%xmm1, %xmm1, %xmm1
	movq	%rcx, %rbx
	xorl	%r14d, %r14d
	jmp	.LBB0_12
	.p2align	5, 0x90
.LBB0_44:
	shll	$16, %r12d
	vpmovzxwd	%ymm2, %zmm2
	vpslld	$16, %zmm2, %zmm2
	vpbroadcastd	%r12d, %zmm3
	vfmadd231ps	%zmm3, %zmm2, %zmm1
	addq	$32, %r14
	addq	$2, %rbx
	cmpq	%r14, %r9
	je	.LBB0_45
.LBB0_12:
	movslq	%r14d, %r15
	leaq	(%r11,%r15,2), %r15
	kmovw	%k1, %ebp
	vxorps	%xmm2, %xmm2, %xmm2
	testb	$1, %bpl
	jne	.LBB0_13
	testb	$2, %bpl
	jne	.LBB0_15
.LBB0_16:
	testb	$4, %bpl
	jne	.LBB0_17
.LBB0_18:
	testb	$8, %bpl
	jne	.LBB0_19
.LBB0_20:
	testb	$16, %bpl
	jne	.LBB0_21
.LBB0_22:
	testb	$32, %bpl
	jne	.LBB0_23
.LBB0_24:
	testb	$64, %bpl
	jne	.LBB0_25
.LBB0_26:
	testb	%bpl, %bpl
	js	.LBB0_27
.LBB0_28:
	testl	$256, %ebp
	jne	.LBB0_29
.LBB0_30:
	testl	$512, %ebp
	je	.LBB0_32
.LBB0_31:
	vpbroadcastw	18(%r15), %ymm3
	vpblendw	$2, %ymm3, %ymm2, %ymm3
	vpblendd	$240, %ymm3, %ymm2, %ymm2
.LBB0_32:
	movzwl	(%rbx), %r12d
	testl	$1024, %ebp
	jne	.LBB0_33
	testl	$2048, %ebp
	jne	.LBB0_35
.LBB0_36:
	testl	$4096, %ebp
	jne	.LBB0_37
.LBB0_38:
	testl	$8192, %ebp
	jne	.LBB0_39
.LBB0_40:
	testl	$16384, %ebp
	jne	.LBB0_41
.LBB0_42:
	testl	$32768, %ebp
	je	.LBB0_44
	jmp	.LBB0_43
	.p2align	5, 0x90
.LBB0_13:
	movzwl	(%r15), %r12d
	vmovd	%r12d, %xmm2
	testb	$2, %bpl
	je	.LBB0_16
.LBB0_15:
	vpinsrw	$1, 2(%r15), %xmm2, %xmm3
	vpblendd	$15, %ymm3, %ymm2, %ymm2
	testb	$4, %bpl
	je	.LBB0_18
.LBB0_17:
	vpinsrw	$2, 4(%r15), %xmm2, %xmm3
	vpblendd	$15, %ymm3, %ymm2, %ymm2
	testb	$8, %bpl
	je	.LBB0_20
.LBB0_19:
	vpinsrw	$3, 6(%r15), %xmm2, %xmm3
	vpblendd	$15, %ymm3, %ymm2, %ymm2
	testb	$16, %bpl
	je	.LBB0_22
.LBB0_21:
	vpinsrw	$4, 8(%r15), %xmm2, %xmm3
	vpblendd	$15, %ymm3, %ymm2, %ymm2
	testb	$32, %bpl
	je	.LBB0_24
.LBB0_23:
	vpinsrw	$5, 10(%r15), %xmm2, %xmm3
	vpblendd	$15, %ymm3, %ymm2, %ymm2
	testb	$64, %bpl
	je	.LBB0_26
.LBB0_25:
	vpinsrw	$6, 12(%r15), %xmm2, %xmm3
	vpblendd	$15, %ymm3, %ymm2, %ymm2
	testb	%bpl, %bpl
	jns	.LBB0_28
.LBB0_27:
	vpinsrw	$7, 14(%r15), %xmm2, %xmm3
	vpblendd	$15, %ymm3, %ymm2, %ymm2
	testl	$256, %ebp
	je	.LBB0_30
.LBB0_29:
	vpbroadcastw	16(%r15), %ymm3
	vpblendw	$1, %ymm3, %ymm2, %ymm3
	vpblendd	$240, %ymm3, %ymm2, %ymm2
	testl	$512, %ebp
	jne	.LBB0_31
	jmp	.LBB0_32
	.p2align	5, 0x90
.LBB0_33:
	vpbroadcastw	20(%r15), %ymm3
	vpblendw	$4, %ymm3, %ymm2, %ymm3
	vpblendd	$240, %ymm3, %ymm2, %ymm2
	testl	$2048, %ebp
	je	.LBB0_36
.LBB0_35:
	vpbroadcastw	22(%r15), %ymm3
	vpblendw	$8, %ymm3, %ymm2, %ymm3
	vpblendd	$240, %ymm3, %ymm2, %ymm2
	testl	$4096, %ebp
	je	.LBB0_38
.LBB0_37:
	vpbroadcastw	24(%r15), %ymm3
	vpblendw	$16, %ymm3, %ymm2, %ymm3
	vpblendd	$240, %ymm3, %ymm2, %ymm2
	testl	$8192, %ebp
	je	.LBB0_40
.LBB0_39:
	vpbroadcastw	26(%r15), %ymm3
	vpblendw	$32, %ymm3, %ymm2, %ymm3
	vpblendd	$240, %ymm3, %ymm2, %ymm2
	testl	$16384, %ebp
	je	.LBB0_42
.LBB0_41:
	vpbroadcastw	28(%r15), %ymm3
	vpblendw	$64, %ymm3, %ymm2, %ymm3
	vpblendd	$240, %ymm3, %ymm2, %ymm2
	testl	$32768, %ebp
	je	.LBB0_44
.LBB0_43:
	vpbroadcastw	30(%r15), %ymm3
	vpblendw	$128, %ymm3, %ymm2, %ymm3
	vpblendd	$240, %ymm3, %ymm2, %ymm2
	jmp	.LBB0_44
.Lfunc_end0:
	.size	products.kernel, .Lfunc_end0-products.kernel
	.cfi_endproc

	.section	".note.GNU-stack","",@progbits
# kiln frame products.kernel 312 8
