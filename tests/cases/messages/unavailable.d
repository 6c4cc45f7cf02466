/*
 * What Linux does not have of the stable types is refused by name, with the
 * reason, and without a guess at another member.
 * @@needs: bpf speed
 */
BEGIN { trace(curpsinfo->pr_argc); }
