/*
 * Subroutines that make a number of numbers need no memory: these clauses claim
 * no machine state, but for the last.
 * @@args: -q --dump=bpf
 */
syscall::getpgid:entry { @ = sum(rand()); }
syscall::getsid:entry { @ = sum(random()); }
syscall::setpgid:entry { @ = sum(getmajor(arg0)); }
syscall::setsid:entry { @ = sum(getminor(arg0)); }
syscall::setuid:entry { @ = sum(htons(arg0)); }
syscall::setgid:entry { @ = sum(htonl(arg0)); }
syscall::setreuid:entry { @ = sum(htonll(arg0)); }
syscall::setregid:entry { @ = sum(ntohs(arg0)); }
syscall::setresuid:entry { @ = sum(ntohl(arg0)); }
syscall::setresgid:entry { @ = sum(ntohll(arg0)); }
syscall::setfsuid:entry { @ = sum(strlen("x")); }
BEGIN { exit(0); }
