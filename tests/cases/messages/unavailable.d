/*
 * A member of a stable type that Linux cannot give is refused by name, with the
 * reason, and without a guess at another member.
 * @@needs: bpf speed
 */
BEGIN { trace(curpsinfo->pr_poolid); }
