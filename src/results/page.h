/* page.h - the self-contained page of a report: the template web/dist/report.html with its data filled in.
 *
 * The template has one place <script id="keel-data" type="application/json">null</script>; a page is the
 * template with JSON instead of `null`. Every `<` of the JSON is written as \u003c, so that no text inside it
 * can end the script (a `<` stands only inside strings).
 */
#ifndef KI_PAGE_H
#define KI_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "keel/status.h"

/* Writes the page with `length` bytes of JSON into a file that is open. */
keel_status ki_page_put(FILE *file, const char *json, size_t length);

/* Writes the page to `path` ("-": standard output). KEEL_ERROR_IO with errno; a file that could not be
 * written to its end is removed. */
keel_status ki_page_write(const char *path, const char *json, size_t length);

#endif
