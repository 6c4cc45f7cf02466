# SPDX-License-Identifier: BSD-2-Clause
set(all "")
foreach(i RANGE 200)
  math(EXPR n "${i} * ${i} % 13")
  list(APPEND all ${n})
endforeach()
list(REMOVE_DUPLICATES all)
string(SHA256 sum "${all}")
message("${sum}")
