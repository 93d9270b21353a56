/* allocator.c - a library to be loaded before a program (LD_PRELOAD): its allocations fail when the test says
 * so, those of HDF5, libfyaml, SUNDIALS and the C library among them. Needs glibc. */
#include "allocator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* what glibc's own malloc is called otherwise */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static fault_page none, *page = &none;

__attribute__((constructor)) static void find_page(void) {
    const char *path = getenv(FAULT_VARIABLE);
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *memory =
        file >= 0 ? mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (memory != MAP_FAILED)
        page = memory;
    if (file >= 0)
        close(file);
    unsetenv(FAULT_VARIABLE); /* programs that this one starts are not under test */
}

static int allowed(void) {
    long call = __atomic_add_fetch(&page->calls, 1, __ATOMIC_RELAXED);
    if (page->fail_at == 0 || call < page->fail_at || call > page->fail_last)
        return 1;
    errno = ENOMEM;
    return 0;
}

void *malloc(size_t size) {
    return allowed() ? __libc_malloc(size) : NULL;
}

void *calloc(size_t count, size_t size) {
    return allowed() ? __libc_calloc(count, size) : NULL;
}

void *realloc(void *old, size_t size) {
    return allowed() ? __libc_realloc(old, size) : NULL;
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    void *found = allowed() ? __libc_memalign(alignment, size) : NULL;
    if (!found)
        return ENOMEM;
    *memory = found;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
    return allowed() ? __libc_memalign(alignment, size) : NULL;
}
