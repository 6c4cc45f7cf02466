/*
 * What helpers are made of: every kind of instruction, variables of both kinds
 * and what keeps them, subroutines, several clauses, the last of which that
 * runs names the frame.
 * @@needs: prog:helped
 */
pid$target:a.out:leaf:entry
{
	jstack(1, 1024);
}
