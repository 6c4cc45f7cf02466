/*
 * Places that cannot be probed are remembered up to a number.
 * @@needs: prog:refused
 * @@run: $PROGS/refused
 */
pid$target:a.out:many: { }
