#!/usr/sbin/dtrace -s
/*
 * lang-struct-layout.d: sizes and offsets of the script's own structures are
 * the compiler's.
 *
 * @@load: sh :
 * @@how: self
 * @@needs: cmd:cc
 * @@truth: output
 * @@check: out.split() == os.popen("printf '%s' 'struct pt { short x; long y;
 *     char z; }; union un { char c[5]; int i; double d; }; struct rec { char
 *     tag; struct pt at[2]; union un u; short last : 3; void *p; }; int
 *     main(void) { printf(\"%zu %zu %zu %zu %zu %zu %zu\", sizeof(struct pt),
 *     sizeof(union un), sizeof(struct rec), offsetof(struct pt, z),
 *     offsetof(struct rec, at), offsetof(struct rec, u), offsetof(struct rec,
 *     p)); }' | cc -include stdio.h -include stddef.h -xc -o t - &&
 *     ./t").read().split()
 */

#pragma D option quiet

struct pt {
	short x;
	long y;
	char z;
};

union un {
	char c[5];
	int i;
	double d;
};

struct rec {
	char tag;
	struct pt at[2];
	union un u;
	short last : 3;
	void *p;
};

BEGIN
{
	printf("%d %d %d\n", sizeof (struct pt), sizeof (union un),
	    sizeof (struct rec));
	printf("%d %d %d %d\n", offsetof(struct pt, z),
	    offsetof(struct rec, at), offsetof(struct rec, u),
	    offsetof(struct rec, p));
	exit(0);
}
