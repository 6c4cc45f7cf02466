# What stops a CPU is more urgent than all.
. "$CASES/../tries.bash"
until_expected "$DTRACE" -q -s "$CASE" -c "$PROGS/kernel preempted 10"
