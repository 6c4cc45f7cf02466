. "$CASES/../memory.bash"
make_group
for limit in memory.limit_in_bytes memory.max; do
	[ ! -e "$group/$limit" ] || echo 32M >"$group/$limit"
done
for swap in memory.memsw.limit_in_bytes memory.swap.max; do
	[ ! -e "$group/$swap" ] || echo 32M >"$group/$swap"
done
cat >greedy <<'END'
echo $$ >pid
echo $$ >"$1/cgroup.procs"
exec python3 -I -S -c 'bytearray(1 << 28)'
END
"$DTRACE" run ooms -c "bash greedy $group" >out 2>err
grep -c "^[0-9].* python3 *$(cat pid) python3\$" out
grep -c SIGKILL err
remove_group
