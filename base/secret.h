// Hides the passwords of URLs in what people get to see.
#ifndef KILN_BASE_SECRET_H
#define KILN_BASE_SECRET_H

#include "base/str.h"

// Appends text, a list of URLs as COMPILE_CACHE_REMOTE has it, or any other text, with "***" in place of what may be a
// user or a password in them: redis://***@host. Of a wrong URL rather too much is hidden than too little.
void kiln_strbuf_hidden(struct kiln_strbuf *out, const char *text);

#endif
