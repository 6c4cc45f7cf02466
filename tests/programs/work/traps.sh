# SPDX-License-Identifier: BSD-2-Clause
trap 'echo usr1' USR1
trap 'echo end' EXIT
for i in 1 2 3; do
	kill -USR1 $$
	(exit $i) &
	wait $!
	echo "child $?"
done
sleep 0.1 & wait
coproc cat
echo "through a coprocess" >&"${COPROC[1]}"
read -r line <&"${COPROC[0]}"
echo "$line"
seq 1000 | while read -r n; do echo $((n * n)); done | tail -n 1
timeout 0.1 sleep 5
echo "timeout $?"
f() { local n=$1; [ "$n" -eq 0 ] && return 7; f $((n - 1)); }
f 100
echo "f $?"
exit 3
