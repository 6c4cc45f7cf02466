# Writes the script for a probe, and what it counts in a few firings.
cat >make.py <<'EOF'
import sys

N, LAST = 500, 1900
probe, test = sys.argv[1:]


def clause(k):
    """Its predicate, and its actions."""
    if k % 50 == 7:
        return "n % 2 == 0", f"@sum[{k}] = sum(1 / (n - n)); n++;"
    if k == 300:
        return f"n > {LAST}", "exit(0);"
    if k % 3 == 0:
        return "n % 3 != 1", "n++;"
    return "1", "n++;"


text, n, errors = ["int n, errors;"], 0, 0
counts = {k: 0 for k in range(N)}
for k in range(N):
    predicate, actions = clause(k)
    text += [probe, f"/{test}{predicate}/",
             f"{{ @count[{k}] = count(); {actions} }}"]
text += ["ERROR { @where[arg4] = count(); errors++; }",
         'END { printf("%d %d\\n", n, errors); printa("%d %@d\\n", @count);',
         'printa("fault %d %@d\\n", @where); }']
with open("script.d", "w") as f:
    f.write("\n".join(text) + "\n")
is_over = False
while not is_over:
    for k in range(N):
        if (k % 50 == 7 and n % 2 != 0) or (k == 300 and n <= LAST) or \
                (k % 50 != 7 and k % 3 == 0 and k != 300 and n % 3 == 1):
            continue
        counts[k] += 1
        if k == 300:
            is_over = True
            break
        errors += k % 50 == 7
        n += k % 50 != 7
with open("expected", "w") as f:
    print(n, errors, file=f)
    for k in range(N):
        if counts[k] != 0:
            print(k, counts[k], file=f)
    print("fault 4", errors, file=f)
EOF
run()
{
	python3 make.py "$2" "$3"
	"$DTRACE" -q -x substrate=$1 -s script.d -c "$4" 2>err |
	    grep . | sort >out
	sort expected | diff - out >diff && echo "$1: good" || head diff
	grep -q divide-by-zero err || echo "no fault was reported"
}
run kernel syscall::getpriority:entry \
    'pid == $target && arg0 == 0x7001 && ' \
    "$PROGS/known seq:20"
for substrate in kernel process; do
	run $substrate 'pid$target:a.out:fn_nop:entry' '' \
	    "$PROGS/calls counts once 20"
done
