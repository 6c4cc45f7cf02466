#!/usr/sbin/dtrace -s
/*
 * prof-stacks.d: who had called what the samples found: the function below is
 * main().
 *
 * @@load: prog spin 0 0.5
 * @@truth: load
 * @@check: re.search(r"spin`burn\n\s+spin`burn(\+\w+)?\n\s+spin`main\+", out)
 */

#pragma D option quiet

profile-499
/pid == $target && arg1/
{
	@[ufunc(arg1), ustack(2)] = count();
}

END
{
	printa("%A%k%@d\n", @);
}
