. "$CASES/../helper.bash"
try "reads the kernel" '*(int *)0xffffffff81000000; "name"'
try "a string of the kernel" 'strjoin((string)(char *)0xffffffff81000000, "x")'
try "copies from the kernel" 'this->p = alloca(8); bcopy((void *)0xffff888000000000, this->p, 8); "name"'
try "writes below its scratch" 'this->p = (uintptr_t)alloca(8); *(uint64_t *)(this->p - 64) = 1; "name"'
try "writes behind its scratch" 'this->p = (uintptr_t)alloca(8); *(uint64_t *)(this->p + 8) = 1; "name"'
try "copies over what is not its own" 'this->p = (uintptr_t)alloca(8); copyinto(arg1, 4096, (void *)(this->p - 1024)); "name"'
try "reads what is not there" 'copyinstr(16); "name"'
