/* How IREE's tracing provider (kymo/iree.h) starts and ends under POSIX, where the program knows nothing of it. A
 * program that defines these two itself gets no thread of kymo's. */
#include "kymo/iree.h"
#include "posix_background.h"

void kymo_iree_start(void) { (void)kymo_posix_background_start(NULL); }

/* More may be recorded: by destructors. */
void kymo_iree_finish(void) { kymo_posix_background_flush(); }
