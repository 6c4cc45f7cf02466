/*
 * Facts of a thread that does not run: all those in its struct task_struct.
 * Each of these probes fires in the thread that comes when the kernel changes
 * threads, if its clause can, or else elsewhere in a running one.
 * @@args: -q -w -L lib --dump=bpf
 * @@needs: speed
 */
vars1:::args /id == 0/ { trace(args[0]); }
vars1:::uregs /id == 0/ { trace(uregs[R_RIP]); }
vars1:::curthread /id == 0/ { trace(curthread); }
vars1:::timestamp /id == 0/ { trace(timestamp); }
vars1:::vtimestamp /id == 0/ { trace(vtimestamp); }
vars1:::ipl /id == 0/ { trace(ipl); }
vars1:::epid /id == 0/ { trace(epid); }
vars1:::id /id == 0/ { trace(id); }
vars1:::arg0 /id == 0/ { trace(arg0); }
vars1:::arg1 /id == 0/ { trace(arg1); }
vars1:::arg2 /id == 0/ { trace(arg2); }
vars1:::arg3 /id == 0/ { trace(arg3); }
vars1:::arg4 /id == 0/ { trace(arg4); }
vars1:::arg5 /id == 0/ { trace(arg5); }
vars1:::arg6 /id == 0/ { trace(arg6); }
vars1:::arg7 /id == 0/ { trace(arg7); }
vars1:::arg8 /id == 0/ { trace(arg8); }
vars1:::arg9 /id == 0/ { trace(arg9); }
vars1:::stackdepth /id == 0/ { trace(stackdepth); }
vars1:::caller /id == 0/ { trace(caller); }
vars1:::probeprov /id == 0/ { trace(probeprov); }
vars1:::probemod /id == 0/ { trace(probemod); }
vars1:::probefunc /id == 0/ { trace(probefunc); }
vars1:::probename /id == 0/ { trace(probename); }
vars1:::pid /id == 0/ { trace(pid); }
vars1:::tid /id == 0/ { trace(tid); }
vars1:::execname /id == 0/ { trace(execname); }
vars1:::zonename /id == 0/ { trace(zonename); }
vars1:::walltimestamp /id == 0/ { trace(walltimestamp); }
vars1:::ustackdepth /id == 0/ { trace(ustackdepth); }
vars2:::ucaller /id == 0/ { trace(ucaller); }
vars2:::ppid /id == 0/ { trace(ppid); }
vars2:::uid /id == 0/ { trace(uid); }
vars2:::gid /id == 0/ { trace(gid); }
vars2:::errno /id == 0/ { trace(errno); }
vars2:::execargs /id == 0/ { trace(execargs); }
vars2:::cpu /id == 0/ { trace(cpu); }
vars2:::probe /id == 0/ { trace(probe); }
vars2:::cwd /id == 0/ { trace(cwd); }
vars2:::root /id == 0/ { trace(root); }
vars2:::threadname /id == 0/ { trace(threadname); }
vars2:::machtimestamp /id == 0/ { trace(machtimestamp); }
vars2:::cpucycles /id == 0/ { trace(cpucycles); }
vars2:::cpuinstrs /id == 0/ { trace(cpuinstrs); }
vars2:::vcycles /id == 0/ { trace(vcycles); }
vars2:::vinstrs /id == 0/ { trace(vinstrs); }
vars2:::curcpu /id == 0/ { trace(curcpu); }
vars2:::chip /id == 0/ { trace(chip); }
vars2:::lgrp /id == 0/ { trace(lgrp); }
subrs1:::rand /id == 0/ { trace(rand()); }
subrs1:::mutex_owned /id == 0/ { trace(mutex_owned((struct mutex *)arg0)); }
subrs1:::mutex_owner /id == 0/ { trace(mutex_owner((struct mutex *)arg0)); }
subrs1:::mutex_type_adaptive /id == 0/ { trace(mutex_type_adaptive((struct mutex *)arg0)); }
subrs1:::mutex_type_spin /id == 0/ { trace(mutex_type_spin((struct mutex *)arg0)); }
subrs1:::rw_read_held /id == 0/ { trace(rw_read_held((struct rw_semaphore *)arg0)); }
subrs1:::rw_write_held /id == 0/ { trace(rw_write_held((struct rw_semaphore *)arg0)); }
subrs1:::rw_iswriter /id == 0/ { trace(rw_iswriter((struct rw_semaphore *)arg0)); }
subrs1:::copyin /id == 0/ { copyin(0, 1); }
subrs1:::copyinstr /id == 0/ { trace(copyinstr(0)); }
subrs1:::speculation /id == 0/ { speculation(); }
subrs1:::progenyof /id == 0/ { trace(progenyof(1)); }
subrs1:::strlen /id == 0/ { trace(strlen(probename)); }
subrs1:::copyout /id == 0/ { copyout(alloca(8), 0, 8); }
subrs1:::copyoutstr /id == 0/ { copyoutstr("x", 0, 2); }
subrs1:::alloca /id == 0/ { alloca(8); }
subrs1:::bcopy /id == 0/ { bcopy((struct mutex *)arg0, alloca(8), 8); }
subrs1:::copyinto /id == 0/ { copyinto(0, 8, alloca(8)); }
subrs1:::getmajor /id == 0/ { trace(getmajor(259)); }
subrs1:::getminor /id == 0/ { trace(getminor(259)); }
subrs1:::strjoin /id == 0/ { trace(strjoin(probename, "x")); }
subrs1:::lltostr /id == 0/ { trace(lltostr(id)); }
subrs1:::basename /id == 0/ { trace(basename(probename)); }
subrs1:::dirname /id == 0/ { trace(dirname(probename)); }
subrs1:::cleanpath /id == 0/ { trace(cleanpath(probename)); }
subrs1:::strchr /id == 0/ { trace(strchr(probename, 'x')); }
subrs1:::strrchr /id == 0/ { trace(strrchr(probename, 'x')); }
subrs1:::strstr /id == 0/ { trace(strstr(probename, "x")); }
subrs1:::strtok /id == 0/ { trace(strtok(probename, "x")); }
subrs1:::substr /id == 0/ { trace(substr(probename, 1)); }
subrs2:::index /id == 0/ { trace(index(probename, "x")); }
subrs2:::rindex /id == 0/ { trace(rindex(probename, "x")); }
subrs2:::htons /id == 0/ { trace(htons(id)); }
subrs2:::htonl /id == 0/ { trace(htonl(id)); }
subrs2:::htonll /id == 0/ { trace(htonll(id)); }
subrs2:::ntohs /id == 0/ { trace(ntohs(id)); }
subrs2:::ntohl /id == 0/ { trace(ntohl(id)); }
subrs2:::ntohll /id == 0/ { trace(ntohll(id)); }
subrs2:::inet_ntop /id == 0/ { trace(inet_ntop(2, alloca(4))); }
subrs2:::inet_ntoa /id == 0/ { trace(inet_ntoa((ipaddr_t *)alloca(4))); }
subrs2:::inet_ntoa6 /id == 0/ { trace(inet_ntoa6(alloca(16))); }
subrs2:::toupper /id == 0/ { trace(toupper(probename)); }
subrs2:::tolower /id == 0/ { trace(tolower(probename)); }
subrs2:::memref /id == 0/ { memref(alloca(8), 8); }
subrs2:::memstr /id == 0/ { trace(memstr(alloca(8), 'x', 8)); }
subrs2:::getf /id == 0/ { trace(getf(0)); }
subrs2:::json /id == 0/ { trace(json(probename, "x")); }
subrs2:::strtoll /id == 0/ { trace(strtoll(probename)); }
subrs2:::random /id == 0/ { trace(random()); }
subrs2:::uuidstr /id == 0/ { trace(uuidstr(alloca(16))); }
subrs2:::d_path /id == 0/ { trace(d_path((struct path *)0)); }
subrs2:::link_ntop /id == 0/ { trace(link_ntop(1, alloca(6))); }
acts1:::trace /id == 0/ { trace(1); }
acts1:::exit /id == 0/ { exit(0); }
acts1:::printf /id == 0/ { printf("x"); }
acts1:::printa /id == 0/ { @ = count(); printa(@); }
acts1:::libact /id == 0/ { @ = count(); clear(@); }
acts1:::tracemem /id == 0/ { tracemem(alloca(8), 8); }
acts1:::printm /id == 0/ { printm(8, memref(alloca(8), 8)); }
acts1:::ustack /id == 0/ { ustack(); }
acts1:::jstack /id == 0/ { jstack(); }
acts1:::usym /id == 0/ { usym(0); }
acts1:::umod /id == 0/ { umod(0); }
acts1:::uaddr /id == 0/ { uaddr(0); }
acts1:::stop /id == 0/ { stop(); }
acts1:::raise /id == 0/ { raise(0); }
acts1:::system /id == 0/ { system("true"); }
acts1:::freopen /id == 0/ { freopen("/dev/null"); }
acts1:::stack /id == 0/ { stack(); }
acts1:::sym /id == 0/ { sym(0); }
acts1:::mod /id == 0/ { mod(0); }
acts1:::chill /id == 0/ { chill(1); }
acts1:::speculate /id == 0/ { speculate(1); trace(1); }
acts1:::commit /id == 0/ { commit(1); }
acts1:::discard /id == 0/ { discard(1); }
acts1:::count /id == 0/ { @count = count(); }
acts1:::min /id == 0/ { @min = min(1); }
acts1:::max /id == 0/ { @max = max(1); }
acts1:::avg /id == 0/ { @avg = avg(1); }
acts1:::sum /id == 0/ { @sum = sum(1); }
acts1:::stddev /id == 0/ { @stddev = stddev(1); }
acts1:::quantize /id == 0/ { @quantize = quantize(1); }
acts2:::lquantize /id == 0/ { @lquantize = lquantize(1, 0, 10); }
acts2:::llquantize /id == 0/ { @llquantize = llquantize(1, 10, 0, 3, 10); }
acts2:::pcap /id == 0/ { pcap(alloca(8), 8); }
BEGIN { exit(0); }
