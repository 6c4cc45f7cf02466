/*
 * Variables and actions that Linux does not have are refused with the reason.
 * @@args: -x errtags
 * @@needs: nothing
 * @@exit: 1
 */
BEGIN { trace(jid); }
BEGIN { trace(jailname); }
BEGIN { trace(dispatchaddr); }
BEGIN { trace(regs[0]); }
BEGIN { breakpoint(); }
BEGIN { panic(); }
