#!/usr/sbin/dtrace -s
/*
 * lang-operators.d: every binary operator on 64-bit numbers gives what the
 * shell's arithmetic gives.
 *
 * @@load: sh :
 * @@how: self
 * @@needs: cmd:bash
 * @@truth: output
 * @@check: out.split() == os.popen("bash -c 'a=1000003 b=-77; echo $((a+b))
 *     $((a-b)) $((a*b)) $((a/b)) $((a%b)) $((b/7)) $((b%7)) $((a&b)) $((a|b))
 *     $((a^b)) $((~a)) $((-b)) $((!a)) $((!!a)) $((a<<5)) $((a>>3)) $((b>>3))
 *     $((b<<2)) $((a<b)) $((a<=b)) $((a>b)) $((a>=b)) $((a==b)) $((a!=b))
 *     $((a&&b)) $((a||0)) $((0||0)) $((a&&0))'").read().split()
 */

#pragma D option quiet

BEGIN
{
	a = (int64_t)1000003;
	b = (int64_t)-77;
	printf("%d %d %d %d %d %d %d\n", a + b, a - b, a * b, a / b, a % b,
	    b / 7, b % 7);
	printf("%d %d %d %d %d %d %d\n", a & b, a | b, a ^ b, ~a, -b, !a, !!a);
	printf("%d %d %d %d\n", a << 5, a >> 3, b >> 3, b << 2);
	printf("%d %d %d %d %d %d\n", a < b, a <= b, a > b, a >= b, a == b,
	    a != b);
	printf("%d %d %d %d\n", a && b, a || 0, 0 || 0, a && 0);
	exit(0);
}
