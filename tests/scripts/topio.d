#!/usr/sbin/dtrace -s
/*
 * topio.d: those who use disks most, by many keys.
 *
 * @@load: toil direct 6 8192
 * @@truth: procio
 * @@check: [r[-1] for r in rows if r[:2] == ["0", str(load["pid"])] and r[-2] == "R"] == [str(load["read_bytes"])]
 * @@check: len([r for r in rows if r[:1] == ["0"]]) <= 5
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Please wait.\n");
}

io:::start
{
	this->type = args[0]->b_flags & B_READ ? "R" : "W";
	this->name = execname == "toil" ? "0" : "1";
	@out[this->name, pid, ppid, execname, args[1]->dev_statname,
	    args[1]->dev_major, args[1]->dev_minor, this->type] =
	    sum(args[0]->b_bcount);
}

dtrace:::END
{
	printf("%5s %6s %6s %16s %6s %3s %3s %1s %8s\n", "O", "PID", "PPID",
	    "CMD", "DEVICE", "MAJ", "MIN", "D", "BYTES");
	printa("%5s %6d %6d %16s %6s %3d %3d %1s %@8d\n", @out);
}
