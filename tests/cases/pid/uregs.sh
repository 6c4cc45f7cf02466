at=$(nm "$PROGS/calls" | sed -n 's/^0*\([0-9a-f]*\) T fn_endbr$/\1/p')
cat >uregs-script.d <<END
pid\$target:a.out:fn_endbr:0 { this->sp = uregs[R_SP]; self->sp = uregs[R_SP]; }
pid\$target:a.out:fn_endbr:5 { self->below = self->sp - uregs[R_SP]; }
pid\$target:a.out:fn_endbr:entry
{
	printf("%s\n", uregs[R_RIP] == 0x$at ? "at the entry" : "elsewhere");
	this->i = R_RSP;
	self->up = uregs[this->i];
	self->ret = *(uint64_t *)copyin(self->up, 8);
	printf("%d\n", uregs[R_RDI] == arg0);
}
pid\$target:a.out:fn_endbr:9
{
	printf("%s, pushed %d\n", self->up == self->sp &&
	    uregs[R_RSP] == self->up ? "as at the return" : "moved", self->below);
	printf("%d %d\n", uregs[R_RAX], uregs[R_TRAPNO]);
}
END
"$DTRACE" -q -s uregs-script.d -c "$PROGS/calls counts once 1"
