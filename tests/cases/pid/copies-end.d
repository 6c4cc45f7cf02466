/*
 * Bytes that were copied and are taken as a string end where the copy does,
 * whatever an earlier clause has left behind them.
 * @@args: -q
 * @@needs: prog:copies
 * @@run: $PROGS/copies
 */
pid$target:a.out:give:entry
/arg2 == 255/
{
	this->p = (char *)copyin(arg0, 240);
}

pid$target:a.out:give:entry
/arg2 == 255 && !shown++/
{
	printf("%s\n", stringof(copyin(arg0, 3)));
}

pid$target:a.out:give:entry
/arg2 == 255 && shown == 1/
{
	printf("%s\n", stringof(copyin(arg0, 8)));
}

pid$target:a.out:give:entry
/arg2 == 255 && shown == 1/
{
	printf("%s\n", stringof(copyin(arg0, 64)));
}

pid$target:a.out:give:entry
/arg2 == 255 && shown == 1/
{
	printf("%s\n", stringof(copyin(arg0, 72)));
}

pid$target:a.out:give:entry
/arg2 == 255 && shown == 1/
{
	this->n = arg2 - 239;
	printf("%s\n", stringof(copyin(arg0, this->n)));
}

pid$target:a.out:give:entry
/arg2 == 255 && shown == 1/
{
	this->a = (char *)alloca(16);
	copyinto(arg0, 16, this->a);
	printf("%s\n", stringof(this->a));
}
