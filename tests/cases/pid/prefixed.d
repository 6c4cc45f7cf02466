/*
 * A pattern of offsets passes over instructions that the kernel puts no probe
 * on: those with certain prefixes.  The others of the function are probed.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:prefixed:[0-9a-f]
{
	printf("%s\n", probename);
}
