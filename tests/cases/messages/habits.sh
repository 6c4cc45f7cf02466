hint() {
	"$DTRACE" -e -n "$1" 2>&1 | sed -n 's/^ *hint: //p'
}
# each word is a statement of one clause
words() {
	text='BEGIN {'
	for word in "$@"; do
		text="$text x = $word;"
	done
	hint "$text }"
}
words bpftrace cgroup_path cgroupid comm cpid ctx current curtask elapsed \
    func jiffies kstack
words ncpus tgid
words nsecs numaid perf retval task usermode username ustack \
    'backtrace(1)' 'bswap(1)' 'buf(1)' 'cat(1)'
words 'cgroupid(1)' 'comm(1)' 'ctime(1)' 'delete(1)' 'elapsed(1)' \
    'errno_str(1)' 'get_cycles(1)' 'gettimeofday_ms(1)' \
    'gettimeofday_ns(1)' 'gettimeofday_s(1)' 'gettimeofday_us(1)' \
    'has_key(1)'
words 'hist(1)' 'join(1)' 'kaddr(1)' 'kernel_string(1)' 'kptr(1)' \
    'kstack(1)' 'ksym(1)' 'len(1)' 'lhist(1)' 'log(1)' 'log2(1)' \
    'macaddr(1)'
words 'nsecs(1)' 'ntop(1)' 'override(1)' 'path(1)' 'pp(1)' 'ppfunc(1)' \
    'print_backtrace(1)' 'print_maps(1)' 'print_ubacktrace(1)' \
    'println(1)' 'pton(1)' 'reg(1)'
words 'signal(1)' 'skboutput(1)' 'stats(1)' 'str(1)' 'strcmp(1)' \
    'strcontains(1)' 'strftime(1)' 'strncmp(1)' 'symname(1)' \
    'task_current(1)' 'tgid(1)' 'thread_indent(1)'
words 'tid2name(1)' 'time(1)' 'tseries(1)' 'ubacktrace(1)' 'uptr(1)' \
    'user_long(1)' 'user_string(1)' 'user_string_n(1)' 'usymname(1)' \
    'zero(1)'
# several in one run
hint 'BEGIN { x = arg10; x = argc; x = argv; x = cpu_id; x = cpuid; x = euid; }'
hint 'BEGIN { x = now; x = nsec; x = parent; x = ret; env(1); getenv(1); sleep(1); }'
words 'fopen(1)' 'fprintf(1)' 'free(1)' 'gethostbyname(1)' 'getline(1)' \
    'malloc(1)' 'popen(1)' 'pthread_mutex_lock(1)' 'setenv(1)' sid signal
words argstr bt next 'abs(1)' 'assert(1)' 'atoi(1)' 'bt()' 'kill(1)' \
    'memcmp(1)' 'pexecname()' 'puts(1)' 'rdtsc()'
words 'snprintf(1)' 'sprintf(1)'
# of aggregations
hint 'BEGIN { delete(@x[1]); delete(@x, 1); has_key(@x, 1); len(@x); len(x); }'
words exitcode fd lwpid psinfo walltime zoneid
# no suggestion does harm
hint 'BEGIN { stpo(); rasie(1); chil(1); comit(1); }'
# functions of D libraries and the script's own are among those that are meant
hint 'inline int twice[int x] = x * 2; BEGIN { trace(twcie(2)); }'
hint 'BEGIN { trace(strerr(2)); trace(strerro(2)); trace(errnam(2)); }'
hint 'BEGIN { trace(signam(2)); trace(strcr("a", 98)); trace(_strerro(2)); }'
# nor is one absurd: a third of a name may be wrong, and no more
hint 'BEGIN { trace(cmx); trace(targes); trace(usernames); ptom(1); len2(1); }'
hint 'BEGIN /a = b/ { }'
hint 'syscall::read:entry { trace(args.fd); }'
hint 'syscall::read:entry { trace(args->fd); }'
hint 'BEGIN /execname = "bash"/ { }'
hint 'BEGIN /execname == bash/ { }'
# each description is an item of one program; a path would be a predicate
descriptions() {
	hint "$(printf '%s { }\n' "$@")"
}
for desc in uprobe:/bin/sh:f u:/bin/sh:f u:./a.out:f uretprobe:/bin/sh:f \
    ur:/bin/sh:f usdt:/bin/sh:f U:/bin/sh:a:b; do
	hint "$desc"
done
descriptions kprobe:f kfunc:f fentry:f kretprobe:f kretfunc:f fexit:f \
    rawtracepoint:f rawtracepoint:sched:sched_switch \
    tracepoint:sched:sched_switch tracepoint:syscalls:sys_enter_read \
    tracepoint:syscalls:sys_exit_read interval:s:1 profile:hz:99
descriptions software:a:b hardware:a:b iter:a watchpoint:a:b \
    asyncwatchpoint:a:b self:a:b 'no_such_program*:::go'
descriptions syscall.read kernel.read process.read timer.read nd_syscall.read \
    scheduler.cpu_on vm.pagefault begin end error break
# bpftrace's short words, modules and periods
descriptions k:vfs_read kr:vfs_read k:vmlinux:vfs_read 'k:vfs_*' f:vfs_read \
    fr:vfs_read fentry:vmlinux:vfs_read t:sched:sched_switch \
    t:syscalls:sys_enter_read rt:sched_switch rt:sched:sched_switch \
    t:sched_switch
descriptions uprobe:libc:malloc i:s:1 i:1s i:x interval:1s p:hz:99 profile:99hz \
    w:0x123:8:w aw:1:8:w it:task k s
# events
descriptions s:page-faults:100 s:page-faults software:cs:1 h:cycles:1000 \
    h:cycles hardware:cache-misses:20000 cycles:u cycles:k software:cpu: \
    PAPI_l2_tcm-all-1000 page_faults-user-1 -user-1 page_faults-user-x
descriptions cycles instructions faults page-faults context-switches cpu-clock \
    task-clock cache-misses cache-references branch-misses
descriptions cpu-cycles branches major-faults minor-faults cs migrations \
    page_fault alignment-faults idle-cycles-frontend idle-cycles-backend
descriptions LLC-load-misses L1-dcache-load-misses L1-icache-loads dTLB-stores \
    iTLB-prefetches branch-loads node-store-misses node-prefetch-misses \
    llc-loads LLC-l
calls() {
	descriptions $(printf 'syscall::%s:entry ' "$@")
}
calls _exit execl execlp execv execvp fstatat gethostname isatty lockf mkstemp
calls opendir posix_fadvise pread pwrite raise recv sem_wait send sleep usleep wait
# cpc's own form, with the event that was meant
for name in cycles LLC-loads nosuch; do
	"$DTRACE" -e -n cpc:::$name 2>&1 | sed -n 's/.*: names are/names are/p'
done
# the rest of the description must be right
hint syscall::pread:
hint syscall::pread:enter
words 'catch(1)' curproc 'info()' 'throw(1)' 'try(1)'
for member in td_name td_proc td_tid td_ucred t_cpu t_cred t_did t_lwp t_name \
    t_pri t_procp t_state t_tid; do
	hint "BEGIN { trace(curthread->$member); }"
done
hint 'BEGIN { trace((proc_t *)0); trace((vnode_t *)0); trace((kthread_t *)0); }'
for word in and by like or; do
	hint "BEGIN /pid $word 1/ { }"
done
# in place of a program, and in place of an option
for word in attach gdb help list probe record report sched script stat strace \
    top trace --args --attach=1 -d --event -g -k --list --output --pid \
    --quiet --tt --unsafe --verbose -y; do
	"$DTRACE" $word 2>&1 | sed -n 's/^ *hint: //p'
done
# and D's words compile
"$DTRACE" -e -n 'BEGIN {
	x = execname; y = timestamp - 5; stack(); ustack(); z = arg1;
	c = cgroupname; t = curthread;
	f = probefunc; @q = quantize(1); @l = lquantize(1, 0, 10, 2);
	s = copyinstr(arg0); sym(arg0); a = inet_ntoa((ipaddr_t *)arg0);
	a = inet_ntoa6((struct in6_addr *)arg0); a = inet_ntop(2, (void *)arg0);
	m[1] = 0; clear(@q); tracemem(arg0, 16); b = copyin(arg0, 16);
	printf("%Y", walltimestamp); a = curpsinfo->pr_psargs;
	trace(uregs[R_PC] + uregs[R_SP] + errno + ENOENT + EACCES);
	d = cgroup + timestamp + arg1 + uid;
	e = d_path(&curthread->fs->pwd); g = ntohs(1) + ntohl(1) + ntohll(1);
	e = substr(execname, 0, 3); g = strstr(execname, "a") != NULL;
	@n[timestamp / 1000000000] = count(); printa(@n);
	i = walltimestamp / 1000000; e = copyinstr(arg0, 8);
	g = *(long *)copyin(arg0, 8) + tid; func(arg0); ufunc(arg0);
	usym(arg0); @v = avg(1); @s = sum(1);
	trunc(@n, 5); trunc(@n); self->x = 0; h = m[2] != 0; n = lgrp;
	o = inet_ntop(AF_INET, (void *)arg0) == "127.0.0.1"; stack(3); ustack(3);
	k = strjoin(errname(2), strerror(2));
	s = curthread->real_parent->comm; n2 = strtoll("1") + arg1;
	s = strjoin(lltostr(1), "a"); n2 = pid < 0 ? -pid : pid; q = alloca(8); r = curpsinfo->pr_sid; u = signame(2);
	@[pid, execname] = count(); trace(curthread->group_leader->pid);
	print(curthread->cred->uid); trace(curthread->comm); trace(curcpu->cpu_id);
	trace(curlwpsinfo->pr_pri + curlwpsinfo->pr_state); trace(fds[0].fi_pathname);
	j = curpsinfo->pr_euid + cpu + ppid + walltimestamp; }' &&
    "$DTRACE" -w -e \
	-n 'BEGIN { raise(9); chill(1); system("cat %s", "x"); freopen("x"); }' \
	-n 'tick-1s,profile-97hz,profile-99hz,sched:::on-cpu,proc:::signal-send' \
	-n 'vminfo:::as_fault,vminfo:::maj_fault,sched:::off-cpu,profile-97' \
	-n 'cpc:::page_faults-all-1' && echo compiles
