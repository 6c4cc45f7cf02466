/*
 * A provider that does not exist.
 * @@needs: root bpf
 */
nosuchprovider:::x { trace(1); }
