# The kernel's stopper threads have the highest priority of all.
. "$CASES/../tries.bash"
until_expected "$DTRACE" -q -s "$CASE" -c "$PROGS/kernel preempted 10"
