/* What a signal that ends the program leaves behind: no half-written file, and one clear line where
 * it came from an input that shrank while it was read. */
#ifndef TOOLS_COMMON_SIGNALS_H
#define TOOLS_COMMON_SIGNALS_H

/* Installs the handlers. `program` goes in front of messages, `bad_input` is the exit status for an
 * input that changed while it was read. */
void signals_watch(const char *program, int bad_input);

/* The next ^C calls the function, from the signal handler, and the program goes on; one more ends
 * it as ever. NULL: the next one ends it. */
void signals_catch(void (*call)(void));

/* The file to remove when the program is interrupted; NULL for none. The text must stay where it
 * is. */
void signals_remove(const char *path);

#endif
