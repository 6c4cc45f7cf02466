# Writes the script for a probe, and what three firings of it print.
cat >make.py <<'EOF'
import sys

N, FIRINGS = 2000, 3
probe, name = sys.argv[1:]
# A predicate of the probe's is joined by that of a clause.
probe_and = probe[:-1] + " && " if probe.endswith("/") else probe + "/"
kinds = [
    "@sums[{k}] = sum(i + {k});",
    "array[{k}, execname] = i * {k};",
    "self->x += {k};",
    "this->t += {k};",
    'printf("{k} %d\\n", i);',
    "@quanta[{k}] = quantize(i);",
    "y += array[{k} - 5, execname];",
    "@named[execname, {k}] = count();",
    'this->i = this->t > {k} ? 1 : 0;',
    'this->s = strjoin("last {k} ", execname);',
]
body = "\n".join(kinds[k % 10].format(k=k) for k in range(N))
with open("script.d", "w") as f:
    f.write(f"""int i;
{probe}
{{
	this->t = 0;
{body}
	self->x += this->t;
	z = 1 / (i - 1);
}}
{probe}
{{
	printf("%d %d %d %s\\n", self->x, this->t, this->i, this->s);
	self->spec = speculation();
}}
{probe}
{{
	speculate(self->spec);
""" + "\n".join(f'	printf("guess {k} %d\\n", i);' for k in range(600)) + f"""
}}
{probe_and}i != 2/
{{
	commit(self->spec);
}}
{probe_and}i == 2/
{{
	discard(self->spec);
}}
{probe}
{{
	i++;
}}
END
{{
	printf("y %d\\n", y);
	printa("%d %@d\\n", @sums);
	printa("%s %d %@d\\n", @named);
}}
""")


def ks(kind):
    return [k for k in range(N) if k % 10 == kind]


# The record of a clause that faults is lost; what it stored before is not.
t, x, y = sum(ks(3)), 0, 0
out, sums = [], {k: 0 for k in ks(0)}
for i in range(FIRINGS):
    for k in sums:
        sums[k] += i + k
    x += sum(ks(2)) + t
    y += i * sum(ks(1))
    out += [f"{k} {i}" for k in ks(4) if i != 1]
    out.append(f"{x} {t} 1 last {N - 1} {name}")
    out += [f"guess {k} {i}" for k in range(600) if i != 2]
out.append(f"y {y}")
out += [f"{k} {sums[k]}" for k in sums]
out += [f"{name} {k} {FIRINGS}" for k in ks(7)]
out.append(f"bars {FIRINGS * len(ks(5))}")
with open("expected", "w") as f:
    f.write("\n".join(out) + "\n")
EOF
# Rows of quantize() are only counted.
rows()
{
	awk '/\|@+ +1 *$/ { bars++ }
	    NF > 1 && !/\|/ && !/^ +value /
	    END { print "bars", bars }' | sort
}
run()
{
	python3 make.py "$2" "$3"
	"$DTRACE" -q -x bufsize=4m -x aggsize=16m -x nspec=8 -x substrate=$1 \
	    -s script.d -c "$4" 2>err | rows >out
	sort expected | diff - out >diff && echo "$1: good" || head diff
	sed 's/.*): //' err
}
run kernel \
    'syscall::getpriority:entry/pid == $target && arg0 == 0x7001/' known \
    "$PROGS/known seq:3"
for substrate in kernel process; do
	run $substrate 'pid$target:a.out:fn_nop:entry' calls \
	    "$PROGS/calls counts once 3"
done
