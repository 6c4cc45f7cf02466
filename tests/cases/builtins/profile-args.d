/*
 * At a profile probe exactly one of arg0 and arg1 is set.
 * @@args: -q
 * @@needs: prog:spin
 * @@run: $PROGS/spin 0 1
 */
profile-499
{
	@[(arg0 == 0) ^^ (arg1 == 0)] = count();
}

END { printa("%d\n", @); }
