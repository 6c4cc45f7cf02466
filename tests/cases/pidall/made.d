/*
 * Without a file, pid* selects probes that other descriptions have made; with
 * one, those of all processes.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 3
 * @@kernel: pid* needs the kernel
 */
pid$target:a.out:fn_nop:entry { @one = count(); }
pid*:::entry { @made[probeprov == strjoin("pid", lltostr(pid))] = count(); }
pid*:a.out:: { @program = count(); }
END
{
	printa("%@d %@d\n", @one, @program);
	printa("%d %@d\n", @made);
}
