which protoc >/dev/null || { echo "protoc (protobuf-compiler) is not installed" >&2; exit 77; }
check="${CASE%/*}/../../timeline_check.py"
for form in chrome perfetto; do
	"$DTRACE" -q -x oformat=$form -o $form -s "$CASE" -c "$PROGS/known seq:3" >out
	python3 "$check" $form $form >$form.txt || echo "$form is not good"
	echo "$form: $(wc -l <$form.txt) lines, the command wrote $(wc -c <out) bytes"
	"$DTRACE" -q -x oformat=$form -x substrate=process -o $form.p -s "$CASE" \
	    -c "$PROGS/known seq:3" >/dev/null 2>&1
	python3 "$check" $form $form.p | cmp - $form.txt
done
cat chrome.txt
cmp chrome.txt perfetto.txt
# a call that a longjmp() leaves, a system call without a return, several
# threads, a program that another takes the place of, a return without its entry
pair() { # PROVIDER:MODULE:FUNCTION COMMAND
	"$DTRACE" -q -x oformat=chrome -o pair -c "$2" \
	    -n "$(echo "$1" | sed 's/[^,]*/&:entry,&:return/g') /pid == \$target/ { }"
	python3 "$check" chrome pair
}
pair 'pid$target:calls:main,pid$target:calls:fn_jumps' "$PROGS/calls counts raise"
pair 'syscall::rt_sigreturn,syscall::exit_group' \
    'sh -c "trap : USR1; kill -USR1 \$\$; exit 0"'
pair 'syscall::execve' 'sh -c "exec /bin/cat /dev/null"'
"$DTRACE" -q -x oformat=perfetto -o threads -c "$PROGS/calls counts threads 3" \
    -n 'pid$target:calls:fn_sub:entry,pid$target:calls:fn_sub:return,
	pid$target:calls:fn_lea:entry,pid$target:calls:fn_lea:return { }'
python3 "$check" perfetto threads | cut -d'{' -f1 | sort | uniq -c | sed 's/^ *//'
# an entry that only prints begins a slice, and a return that only does ends it
"$DTRACE" -q -x oformat=chrome -o printing -c "$PROGS/known seq:1" \
    -n 'BEGIN { @ = count(); printa(@); } syscall::getpriority:entry,syscall::getpriority:return
	/pid == $target/ { printa(@); }'
python3 "$check" chrome printing
# Perfetto's is not for a terminal
python3 -c '
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
' "$DTRACE" -x oformat=perfetto -n BEGIN </dev/null | tr -d "\r"
# neither is complete if dtrace is killed; Perfetto reads packets that are whole
"$DTRACE" -q -x switchrate=10ms -x oformat=perfetto -n 'BEGIN { trace("begun"); } tick-1h' >part &
until grep -qs begun part; do sleep 0.05; done
{ kill -9 $!; wait $!; } 2>/dev/null
python3 "$check" perfetto part
