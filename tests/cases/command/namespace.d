/*
 * In a PID namespace it is told that pid == $target selects nothing.
 * @@needs: cmd:unshare
 * @@kernel: the process substrate has numbers of its namespace
 */
syscall::exit_group:entry /pid == $target/ { @ = count(); }
