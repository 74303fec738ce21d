/* Cleans up when a signal ends the program. Removes unfinished files. Prints a line if an input
 * became shorter while the program read it. */
#ifndef TOOLS_COMMON_SIGNALS_H
#define TOOLS_COMMON_SIGNALS_H

/* Installs the signal handlers. `program` is the prefix of messages. `bad_input` is the exit status
 * if an input became shorter. */
void signals_watch(const char *program, int bad_input);

/* Makes the next ^C call `call` in the signal handler instead of ending the program. A second ^C
 * ends the program. NULL restores the default. */
void signals_catch(void (*call)(void));

/* Sets the file to remove when a signal ends the program, or NULL. Keeps the pointer. */
void signals_remove(const char *path);

#endif
