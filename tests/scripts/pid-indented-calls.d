#!/usr/sbin/dtrace -s
/*
 * pid-indented-calls.d: calls as a tree, indented by how deep they are, with
 * the argument and the result of each.
 *
 * @@load: prog calls counts once 5
 * @@truth: output
 * @@check: [l.rstrip() for l in lines if l] == [l for a in range(5) for l in
 *     [" " * 2 * d + f"-> fn_recurse({a - d})" for d in range(a + 1)] + [" " *
 *     2 * d + f"<- fn_recurse = {a - d + 1}" for d in range(a, -1, -1)]]
 */

#pragma D option quiet

self int depth;

pid$target:a.out:fn_recurse:entry
{
	printf("%*s-> %s(%d)\n", 2 * self->depth, "", probefunc, arg0);
	self->depth++;
}

pid$target:a.out:fn_recurse:return
{
	self->depth--;
	printf("%*s<- %s = %d\n", 2 * self->depth, "", probefunc, arg1);
}
