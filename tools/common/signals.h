/* Cleans up when a signal ends the program, such as SIGBUS after an input became shorter. */
#ifndef TOOLS_COMMON_SIGNALS_H
#define TOOLS_COMMON_SIGNALS_H

/* Installs the handlers. `bad_input` is the exit status if an input became shorter. */
void signals_watch(const char *program, int bad_input);

/* Lets the next ^C call `call`, and only a second one end the program. NULL: the default. */
void signals_catch(void (*call)(void));

/* Sets the file to remove when a signal ends the program, or NULL. Keeps the pointer. */
void signals_remove(const char *path);

#endif
