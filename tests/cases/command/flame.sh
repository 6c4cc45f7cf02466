frames() {
	grep -o 'aria-label="@[a-z]*: [a-z]*' "$1" | cut -d'"' -f2
	grep -o 'data-n="[^"]*"' "$1" >names
}
"$DTRACE" --flame=syscall::chdir:entry -o page.html -c "sh -c 'cd /usr; cd /; exit'"
frames page.html
grep -c 'data-n="sh"' names
# code without a name is an offset, the same in each process
"$DTRACE" --flame=syscall::chdir:entry -o page.html -c "sh -c 'sh -c \"cd /usr; exit\"; cd /; exit'"
grep -o 'data-n="dash`+0x[0-9a-f]*"' page.html | sort | uniq -c | awk '$1 >= 1 { n++ } END { print (n > 2) }'
grep -c 'data-n="dash`0x' page.html
"$DTRACE" --flame=syscall::chdir:entry -o page.html -c "sh -c 'cd /usr; cd /; exit'"
frames page.html >/dev/null
grep -o "__x64_sys_chdir\|do_syscall_64" names | sort -u | head -1
"$DTRACE" --flame -o page.html -c 'sh -c "while [ $((i += 1)) -lt 100000 ]; do :; done"' 2>/dev/null
frames page.html
grep -c 'data-n="sh"' names
"$DTRACE" --flame=offcpu -o page.html -c 'sleep 0.1'
frames page.html
"$DTRACE" --flame=alloc -o page.html -c 'ls /' >/dev/null
frames page.html
# a later option has another form
"$DTRACE" --flame=syscall::chdir:entry -x oformat=csv -x stackframes=1 -x ustackframes=1 \
	-c "sh -c 'cd /usr; exit'" | head -1
"$DTRACE" --flame -t 100ms -s "$CASE" | head -c 15; echo
"$DTRACE" --flame=nope -t 1s -o page.html; echo $?
"$DTRACE" --flame --flame -o page.html 2>&1 | head -1
"$DTRACE" run --show flame | grep -c profile-997
