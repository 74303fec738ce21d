/* Cleans up when a signal ends the program. Removes unfinished files, and prints one line if an
 * input became shorter while the program read it. */
#ifndef TOOLS_COMMON_SIGNALS_H
#define TOOLS_COMMON_SIGNALS_H

/* Installs the handlers. `program` is the prefix of messages. `bad_input` is the exit status if an
 * input became shorter. */
void signals_watch(const char *program, int bad_input);

/* Makes the next ^C call the function in the signal handler instead of ending the program. A second
 * ^C ends the program. NULL removes the function. */
void signals_catch(void (*call)(void));

/* Sets the file to remove when a signal ends the program; NULL: no file. The caller owns the
 * text. */
void signals_remove(const char *path);

#endif
