python3 "$CASES/../mkbtf.py" > kernel.btf
exec $DTRACE -q -x kernelbtf=kernel.btf -s "$CASE"
