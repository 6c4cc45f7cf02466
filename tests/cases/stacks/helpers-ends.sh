. "$CASES/../helper.bash"
try "divides by zero" 'lltostr(1 / (arg1 - arg1))'
try "takes all scratch" 'alloca(1 << 30); "name"'
try "returns a kernel address" '(string)(char *)0xffffffff81000000'
try "knows other frames only" 'arg0 == 1 ? "@one" : "@other"'
