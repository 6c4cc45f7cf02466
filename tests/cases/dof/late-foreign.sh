"$PROGS/mkdof" late lsb lp64 2 >late.dof
"$PROGS/mkdof" late msb ilp32 1 >other.dof
"$DTRACE" -S -s late.dof >late.txt
"$DTRACE" -S -s other.dof >other.txt
diff late.txt other.txt
grep -e dofxl_argv -e ' xl' late.txt
mkdir lib
cat >lib/out.d <<'END'
struct out { int o_sum; string o_name; };
translator struct out < int n > {
	o_sum = n * 2;
	o_name = n == 4 ? "four" : strjoin("n", lltostr(n));
};
END
"$DTRACE" -q -L lib -x late=dynamic -s late.dof -c "sh -c 'exit 77'"
echo "run: $?"
"$DTRACE" -q -L lib -s late.dof
echo "late=static: $?"
echo 'struct out { int o_sum; string o_name; };' >lib/out.d
echo 'translator struct out < long n > { o_sum = n; };' >>lib/out.d
"$DTRACE" -q -L lib -x late=dynamic -s late.dof
echo "other translator: $?"
