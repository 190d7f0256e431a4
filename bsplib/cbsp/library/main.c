/* Where a program begins that is linked with -static-rank: what comes first on its command line
 * are flags of migbsp. The linker calls the program's own main __real_main. */
int __real_main(int argc, char **argv, char **environment);
int migbsp_main(int argc, char **argv, char **environment, int (*program)(int, char **, char **));

int __wrap_main(int argc, char **argv, char **environment) { return migbsp_main(argc, argv, environment, __real_main); }
