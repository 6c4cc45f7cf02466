cat >run <<'END'
taskset -c 0 "$PROGS/known" seq:2
taskset -c 1 "$PROGS/known" seq:3
END
"$DTRACE" -x oformat=json -x aggpercpu -c "bash run" -s "$CASE" 2>/dev/null >out
python3 "${CASE%/*}/../../json_check.py" <out >shown && grep -o '"cpu":[01]' out
grep values shown
