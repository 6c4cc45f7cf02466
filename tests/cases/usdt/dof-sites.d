/*
 * Probes that only DOF describes, as other systems' dtrace -G leaves them:
 * where calls were there are nops, or ret at a function's end.  Arguments are
 * those of a call, also on the stack; args[] by the types and the map of the
 * DOF.  The functions are told by address, also one that the dynamic linker has
 * to move, and by distance.
 * @@needs: prog:dofsites prog:dofsites_pie prog:dofsites_rel
 */
other$target:::step-done
{
	printf("%s %s %d %s %d | %d %d %d\n", probefunc, probename, args[0],
	    copyinstr((uintptr_t)args[1]), args[2], (int)arg0, arg5, arg6);
}

other$target:::leave
{
	printf("%s %s %d\n", probefunc, probename, args[0]);
}
