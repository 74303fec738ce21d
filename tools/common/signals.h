/* Cleans up when a signal ends the program: removes unfinished files, and prints one line if
 * an input became shorter while it was read. */
#ifndef TOOLS_COMMON_SIGNALS_H
#define TOOLS_COMMON_SIGNALS_H

/* Installs the handlers. `program` is the prefix of messages, `bad_input` the exit status when
 * an input changed while it was read. */
void signals_watch(const char *program, int bad_input);

/* Makes the next ^C call the function, in the signal handler, and continue the program; a
 * second ^C ends it. NULL: the next ^C ends the program. */
void signals_catch(void (*call)(void));

/* Sets the file to remove when a signal ends the program, or NULL. The text must stay valid. */
void signals_remove(const char *path);

#endif
