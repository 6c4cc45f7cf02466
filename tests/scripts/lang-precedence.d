#!/usr/sbin/dtrace -s
/*
 * lang-precedence.d: operators bind as the shell's do, without a parenthesis.
 *
 * @@load: sh :
 * @@how: self
 * @@needs: cmd:bash
 * @@truth: output
 * @@check: out.split() == os.popen("bash -c 'a=6 b=3 c=2; echo $((a+b*c))
 *     $((a-b-c)) $((a*b%4)) $((a<<1+1)) $((a&b==3)) $((a|b^c&1)) $((a>b==b>c))
 *     $((-a+b)) $((!a+1)) $((~a&15)) $((a?b:c?1:2)) $((a||b&&0)) $((a-=b+c))
 *     $((a+=b*=c)) $((b|=8)) $((c<<=3)) $((a%=4)) $((b^=5))
 *     $((c>>=1))'").read().split()
 */

#pragma D option quiet

BEGIN
{
	a = 6;
	b = 3;
	c = 2;
	printf("%d %d %d %d %d %d\n", a+b*c, a-b-c, a*b%4, a<<1+1, a&b==3,
	    a|b^c&1);
	printf("%d %d %d %d %d %d\n", a>b==b>c, -a+b, !a+1, ~a&15, a?b:c?1:2,
	    a||b&&0);
	printf("%d ", a-=b+c);
	printf("%d ", a+=b*=c);
	printf("%d ", b|=8);
	printf("%d ", c<<=3);
	printf("%d ", a%=4);
	printf("%d ", b^=5);
	printf("%d\n", c>>=1);
	exit(0);
}
