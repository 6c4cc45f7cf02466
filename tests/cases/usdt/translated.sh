# the definition is beside the program
cat >definition.d <<'END'
typedef struct request { int r_id; int r_len; char *r_path; } request_t;
typedef struct reqinfo { int ri_id; int ri_twice; string ri_path; } reqinfo_t;
translator reqinfo_t < request_t *R > {
	ri_id = *(int *)copyin((uintptr_t)&R->r_id, sizeof (int));
	ri_twice = 2 * R->r_len;
	ri_path = copyinstr((uintptr_t)R->r_path);
};
END
"$DTRACE" -q -s definition.d -s "$CASE" -c "$PROGS/usdtapp 2 0 quiet"
