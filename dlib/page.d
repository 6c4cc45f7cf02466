/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages and folios, for libraries that examine the data of a bio. */

/*
 * A page that is not the first of its folio sets bit 0 of a word.  The other
 * bits are the address of the first page, or, as of Linux 7.1, a mask that
 * turns the page's own address into it (CONFIG_HUGETLB_PAGE_OPTIMIZE_VMEMMAP).
 * Masks are in the uppermost 2 GB, where no struct page is.
 */
inline uintptr_t _page_compound[struct page *p] = p->compound_head;
inline uintptr_t _page_compound[struct page *p] = p->compound_info;

inline uintptr_t _page_head[uintptr_t p, uintptr_t word] =
    (word & 1) == 0 ? p :
    word >= 0xffffffff80000000 ? p & word : word - 1;

inline struct folio *_folio_of[struct page *p] =
    (struct folio *)_page_head[(uintptr_t)p, _page_compound[p]];
