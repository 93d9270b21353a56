/* hdf5_parts.h - small parts of HDF5 files that writer and reader share. */
#ifndef KI_HDF5_PARTS_H
#define KI_HDF5_PARTS_H

#include <hdf5.h>

#include "results/record.h"

/* HDF5 prints its errors unless told not to; the setting before is put back. */
typedef struct ki_hdf5_silence {
    H5E_auto2_t function;
    void *data;
} ki_hdf5_silence;
ki_hdf5_silence ki_hdf5_be_silent(void);

/* Whether an allocation of HDF5 in this thread failed since then. */
bool ki_hdf5_out_of_memory(void);
void ki_hdf5_be_as_before(ki_hdf5_silence before);

/* Attributes and texts; false on failure. */
bool ki_hdf5_put_text(hid_t object, const char *name, const char *text);
bool ki_hdf5_put_texts(hid_t object, const char *name, const char *const *texts, int count);
bool ki_hdf5_put_numbers(hid_t object, const char *name, const double *values, int count);

/* A text of any length as a dataset of the file. */
bool ki_hdf5_put_long_text(hid_t file, const char *name, const char *text);

/* A text that is set later, once, maybe in a file that is read meanwhile: a list of bytes, empty until then.
 */
hid_t ki_hdf5_new_text(hid_t file, const char *name);
bool ki_hdf5_set_text(hid_t set, const char *text);

/* A dataset whose numbers stand in this file, in the parts that it says; 0: there is none. Negative: it is
 * reached through a link that could lead elsewhere, or keeps its numbers in other files, or claims more of
 * them than are stored. Those are refused: a result must not bring bytes of other files onto a page. */
hid_t ki_hdf5_open_set(hid_t file, const char *name);

/* Texts in the arena; NULL or -1: there is none, or it is no text, or one that has not been set. */
const char *ki_hdf5_get_text(hid_t object, const char *name, ki_arena *arena);
int ki_hdf5_get_texts(hid_t object, const char *name, ki_arena *arena, const char ***texts);
const char *ki_hdf5_get_long_text(hid_t file, const char *name, ki_arena *arena);

/* The word that makes a file one of ours. */
#define KI_HDF5_FORMAT  "keel-result"
#define KI_HDF5_VERSION 2

#endif
