python3 "$CASES/../mkbtf.py" > kernel.btf
$DTRACE -q -x kernelbtf=kernel.btf -s "$CASE"
$DTRACE -q -x kernelbtf=kernel.btf -n 'BEGIN { trace(curthread->pid); }'
$DTRACE -q -x kernelbtf=/nonexistent -n 'BEGIN { trace(sizeof (odd_t)); }'
printf '#pragma D option kernelbtf=kernel.btf\nEND { }\n' > late.d
$DTRACE -q -n 'BEGIN { exit(0); }' -s late.d
exit 0
