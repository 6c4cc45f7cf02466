#!/usr/sbin/dtrace -s
/*
 * usdt-words.d: how often each word comes by, as the program's probe gives it.
 *
 * @@load: prog sdtapp 20
 * @@truth: load
 * @@check: {r[1]: int(r[2]) for r in rows if r[0] == "word"} == {"zero": 7,
 *     "one": 7, "two": 6}
 * @@check: sum(column("word")) == int(find(r"^round (\d+)")[0])
 */

#pragma D option quiet

sdtapp$target:::round
{
	@[copyinstr(arg1)] = count();
}

END
{
	printa("word %s %@d\n", @);
}
