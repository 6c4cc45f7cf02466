# The first CPU counts two, the second three.
cat >run <<'END'
taskset -c 0 "$PROGS/known" seq:2
taskset -c 1 "$PROGS/known" seq:3
END
sed 's/pid == .target/progenyof($target)/' "$CASE" >any.d
"$DTRACE" -q -x aggpercpu -c "bash run" -s any.d 2>/dev/null
