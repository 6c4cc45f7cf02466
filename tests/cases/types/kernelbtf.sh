python3 "$CASES/../mkbtf.py" > kernel.btf
$DTRACE -q -x kernelbtf=kernel.btf -s "$CASE"
$DTRACE -q -x kernelbtf=kernel.btf -n 'BEGIN { trace(curthread->pid); }'
$DTRACE -q -x kernelbtf=/nonexistent -n 'BEGIN { trace(sizeof (odd_t)); }'
exit 0
