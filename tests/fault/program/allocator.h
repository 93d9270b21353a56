/* allocator.h - what the allocator of a program under test and the test share: a page of memory, mapped from
 * a file that the environment names. */
#ifndef FAULT_ALLOCATOR_H
#define FAULT_ALLOCATOR_H

#define FAULT_VARIABLE "KEEL_FAULT_PAGE"

typedef struct fault_page {
    long fail_at;   /* the number of the call that fails, counted from 1; 0: none */
    long fail_last; /* calls up to this one fail as well                          */
    long calls;     /* so far                                                     */
} fault_page;

#endif
