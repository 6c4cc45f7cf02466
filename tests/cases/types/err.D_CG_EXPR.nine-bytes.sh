python3 "$CASES/../mkbtf.py" > kernel.btf
exec $DTRACE -x kernelbtf=kernel.btf -s "$CASE"
