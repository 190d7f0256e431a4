/* send.c: times a plain MPI send of so many bytes from one rank to another and
 * back, to be set beside bench/move.
 *
 * usage: send [-n bytes] [-repeat r] [-fresh]
 *
 * With -fresh the receiver takes new memory for each message, as a process that
 * arrives does. Prints the median of r one-way times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    long bytes = 1 << 20, repeat = 40;
    int fresh = 0, rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-fresh"))
            fresh = 1;
        else if (!strcmp(argv[i], "-n") && i + 1 < argc)
            bytes = atol(argv[++i]);
        else if (!strcmp(argv[i], "-repeat") && i + 1 < argc)
            repeat = atol(argv[++i]);
        else if (rank == 0) {
            fprintf(stderr, "usage: send [-n bytes] [-repeat r] [-fresh]\n");
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    if (size < 2 || bytes < 0 || bytes > 1 << 30 || repeat < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);

    char *data = malloc(bytes + 1);
    double *times = malloc(repeat * sizeof *times);
    memset(data, 1, bytes + 1);
    for (long i = -3; i < repeat; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begun = MPI_Wtime();
        if (rank < 2) {
            for (int half = 0; half < 2; half++) {
                if (rank == half) {
                    MPI_Send(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
                } else {
                    if (fresh) {
                        free(data);
                        data = malloc(bytes + 1);
                    }
                    MPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                }
            }
        }
        if (i >= 0)
            times[i] = (MPI_Wtime() - begun) / 2;
    }
    if (rank == 0) {
        qsort(times, repeat, sizeof *times, by_value);
        double median = times[repeat / 2];
        printf("%ld bytes sent in %.3g us: %.2f GB/s\n", bytes, 1e6 * median, bytes / median / 1e9);
    }
    MPI_Finalize();
    return 0;
}
