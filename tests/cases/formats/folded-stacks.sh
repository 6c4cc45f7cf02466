"$DTRACE" -q -x oformat=folded -s "$CASE" -c "$PROGS/chain_fp 1" 2>/dev/null | python3 -c '
import sys
for line in sys.stdin:
    stack, value = line.rsplit(" ", 1)
    frames = stack.split(";")
    kernel = frames[7:]
    print(frames[:7], value.strip(), len(kernel) > 0,
          all("`" in f and "+" not in f for f in kernel))
'
