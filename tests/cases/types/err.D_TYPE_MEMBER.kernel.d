/*
 * The kernel's struct lacks the member.
 */
BEGIN { trace(curthread->no_such_member); }
