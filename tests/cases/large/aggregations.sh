# Writes the clause with as many more statements, and with keys of one kind or of
# all.
cat >make.py <<'END'
import sys

VALUE = "(int64_t)arg1 - 9"
KINDS = {
    "count": "count()",
    "sum": f"sum({VALUE})",
    "avg": f"avg({VALUE})",
    "min": f"min({VALUE})",
    "max": f"max({VALUE})",
    "stddev": f"stddev({VALUE})",
    "quantize": f"quantize({VALUE})",
    "weighed": f"quantize({VALUE}, arg1 + 1)",
    "lquantize": f"lquantize({VALUE}, -5, 5, 2)",
    "llquantize": "llquantize(arg1 * 7, 10, 0, 2, 20)",
}
KEYS = {
    "none": "",
    "byte": "[(char)(arg1 % 3)]",
    "int": "[(int)(arg1 % 3)]",
    "long": "[arg1 % 3]",
    "name": "[execname, (short)(arg1 % 2)]",
    "several": "[(char)1, (short)(arg1 % 2), (char)3, arg1 % 3, (int)5]",
    "large": "[arg1 % 2, 1, 2, 3, 4, 5, 6, 7, 8]",
    "string": '[arg1 % 2 ? "odd" : "even", arg1 % 3]',
}
more, names = int(sys.argv[1]), sys.argv[2:] or KEYS
print("int x;")
print("syscall::getpriority:entry /pid == $target && arg0 == 0x7001/ {")
for key in names:
    for kind, call in KINDS.items():
        print(f"@{kind}_{key}{KEYS[key]} = {call};")
for k in range(more):
    print(f"x += {k};")
print("}")
END
run()
{
	python3 make.py "$@" >script.d
	"$DTRACE" -q -s script.d --dump=bpf -c "$PROGS/known seq:20" 2>>dump |
	    grep .
}
# Fewer maps than make a group large.
for key in none byte int long name several large string; do
	run 0 $key
done >small
grep -q "call dt_agg" dump && echo "an aggregation is a function"
run 3000 >large
grep -q "call dt_agg" dump || echo "no aggregation is a function"
wc -l <small
cmp small large && echo "same"

# More keys than there is room for: each firing adds a key or counts a drop.
{
	echo "syscall::getpriority:entry"
	echo "/pid == \$target && arg0 == 0x7001/ { @[arg1] = count();"
	awk 'BEGIN { for (k = 0; k < 6000; k++) printf "x += %d;\n", k }'
	echo "}"
} >script.d
"$DTRACE" -q -x aggsize=64k -s script.d -c "$PROGS/known seq:20000" \
    >out 2>err
. "$CASES/../drops.bash"
count_rows_and_drops
