/*
 * Signal handlers around MPI_Init. Go's runtime needs SA_ONSTACK on every handler: a handler
 * without it runs on the stack of a goroutine, which is too small for it, and the runtime ends
 * the program. MPI libraries install such handlers: MPI_Init of MPICH replaces the handler of
 * SIGUSR1, and its own handler calls the replaced one without the siginfo_t that Go's needs.
 */
#ifndef MB_SIGNALS_H
#define MB_SIGNALS_H

/*
 * mb_signals_save saves the action of every signal. It is called before MPI_Init. Until
 * mb_signals_repair a SIGUSR1 that has a handler is held, because the library's handler would
 * call Go's.
 */
void mb_signals_save(void);

/*
 * mb_signals_repair is called after MPI_Init. A signal that had a handler when mb_signals_save
 * was called gets that handler back. Every other handler without SA_ONSTACK gets SA_ONSTACK.
 * A SIGUSR1 that was held is sent again.
 */
void mb_signals_repair(void);

#endif
