check="${CASE%/*}/../../json_check.py"
echo text >run.txt
# by the pragma, in the stop of each evaltime, and by -x
for option in evaltime=preinit evaltime=exec evaltime=main oformat=json; do
	rm -f err # appended to: cat copies, and takes no notice of others
	"$DTRACE" -x "$option" -s "$CASE" -c 'sh -c "echo by -c; exec cat run.txt"' \
	    2>>err >out
	echo "$option: status $?, $(grep -c "^by" err) lines on standard error"
	python3 "$check" --run <out | sed 's/"[^"]*cases/"cases/' >shown
	grep -e '^-' -e not shown | tr '\n' ' '; echo
done
"$DTRACE" -s "$CASE" -c "cat run.txt" 2>/dev/null |
    python3 "$check" --run | sed -e 's/"[^"]*cases/"cases/' \
	-e 's/\(version\|host\|kernel\) ".\+"$/\1/' -e 's/"address.*//'
# the trace has a file: standard output is the command's
"$DTRACE" -o trace -s "$CASE" -c "cat run.txt" 2>/dev/null | sort
grep -c -v '^{' trace
# standard input is as it was
"$DTRACE" -s "$CASE" -c cat 2>&1 >out <run.txt | sort
# killed: no end
"$DTRACE" -x switchrate=10ms -n 'BEGIN { trace("begun"); } tick-1h' -x oformat=json >part 2>/dev/null &
until grep -qs begun part; do sleep 0.05; done
{ kill -9 $!; wait $!; } 2>/dev/null
grep -c '"event":"end"' part
# a 32-bit program
cat >w.S <<'S'
	.globl	_start
_start:	movl	$4, %eax
	movl	$1, %ebx
	movl	$text, %ecx
	movl	$6, %edx
	int	$0x80
	movl	$1, %eax
	xorl	%ebx, %ebx
	int	$0x80
text:	.ascii	"by 32\n"
S
as --32 -o w.o w.S && ld -m elf_i386 -o w w.o
"$DTRACE" -s "$CASE" -c ./w 2>&1 >out | sort
