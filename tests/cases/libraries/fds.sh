path=$(readlink -f "$CASE")
cat >want <<END
name fds.d
dir $(dirname "$path")
path $path
offset 3
fs $(findmnt -n -o FSTYPE -T "$path")
flags 0
<none> <none> 0

END
cat >run <<'END'
read line
exec "$PROGS/known" good
END
"$DTRACE" -q -x strsize=4096 -s "$CASE" -c "bash run" <"$CASE" | diff want -
