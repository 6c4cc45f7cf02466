/*
 * A thread of the kernel has no arguments: execargs is empty, not a fault.
 * @@args: -q
 */
BEGIN { wrong = 0; }
profile-997 /curthread->mm == NULL/ { wrong += execargs != ""; }
tick-1s { printf("%d\n", wrong); exit(0); }
