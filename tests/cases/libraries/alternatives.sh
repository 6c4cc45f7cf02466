mkdir lib
cat > lib/kernels.d <<'END'
typedef struct seen { int there; int gone; } seen_t;
inline int one[struct task_struct *t] = t->no_such_pid;
inline int one[struct task_struct *t] = t->tgid;
inline int one[struct task_struct *t] = 3;
inline int gone[struct task_struct *t] = t->no_such_pid;
inline int gone[struct task_struct *t] = t->none_of_this_either;
inline int uses_gone[struct task_struct *t] = gone[t] + 1;
inline int number = NO_SUCH_ENUMERATOR;
inline int number = 7;
translator seen_t < struct task_struct *T > {
	there = one[T];
	gone = uses_gone[T];
};
END
D="$DTRACE -q -L lib"
$D -n 'BEGIN {
	printf("%d %d\n", one[curthread] == pid, number);
	printf("%d\n", xlate <seen_t *> (curthread)->there == pid);
	exit(0);
}'
for text in 'trace(gone[curthread])' 'trace(uses_gone[curthread])' \
    'trace(xlate <seen_t *> (curthread)->gone)' \
    'print(xlate <seen_t> (curthread))' ; do
	$D -n "BEGIN { $text; }" 2>&1 | grep error | sed 's/.*\[D/[D/'
done
# an inline of another type is no alternative, nor is that of another library
echo 'inline int twice = 1; inline string twice = "2";' > lib/twice.d
$D -n 'BEGIN { trace(twice); }' 2>&1 | grep error | sed 's/.*\[D/[D/'
echo 'inline int one[struct task_struct *t] = 4;' > lib/twice.d
$D -n "BEGIN { trace(one[curthread]); }" 2>&1 | grep -m1 error | sed 's/.*\[D/[D/'
rm lib/twice.d
$D -n 'inline int mine = 1; inline int mine = 2; BEGIN { trace(mine); }' 2>&1 |
    grep error | sed 's/.*\[D/[D/'
true
