C     The names of Fortran 77, with areas in common blocks. Prints: ok
      PROGRAM MAIN
      EXTERNAL SPMD
      CALL BSPINIT(SPMD)
      CALL SPMD
      END

      SUBROUTINE SPMD
      INTEGER BSPPID, BSPNPROCS, BSPSUMI
      REAL*8 BSPTIME, BSPMAXD_PREFIX
      INTEGER P, S, RIGHT, LEFT, I, N, BYTES, STATUS, TAG, V(3)
      COMMON /AREA/ X(10), K(5)
      REAL*8 X
      INTEGER K
      EXTERNAL PLUS

      CALL BSPBEGIN(BSPNPROCS())
      P = BSPNPROCS()
      S = BSPPID()
      RIGHT = MOD(S + 1, P)
      LEFT = MOD(S + P - 1, P)
      DO 10 I = 1, 5
        K(I) = 0
 10   CONTINUE
      CALL BSPPUSHREG(X, 10 * 8 + 5 * 4)
      CALL BSPSYNC
      I = S + 1
      CALL BSPPUT_COMMON(RIGHT, I, X, K(3), 4)
      CALL BSPPUT(RIGHT, DBLE(S), X, 8, 8)
      CALL BSPSYNC
      IF (K(3) .NE. LEFT + 1 .OR. K(2) .NE. 0) CALL BSPABORT('put')
      IF (X(2) .NE. DBLE(LEFT)) CALL BSPABORT('put with offset')
      CALL BSPGET_COMMON(LEFT, X, K(3), K(5), 4)
      CALL BSPSYNC
      IF (K(5) .NE. MOD(LEFT + P - 1, P) + 1) CALL BSPABORT('get')
      CALL BSPPOPREG(X)
      I = 4
      CALL BSPSETTAGSIZE(I)
      CALL BSPSYNC
      CALL BSPSEND(LEFT, S, K, 8)
      CALL BSPSYNC
      CALL BSPQSIZE(N, BYTES)
      CALL BSPGETTAG(STATUS, TAG)
      IF (N .NE. 1 .OR. STATUS .NE. 8 .OR. TAG .NE. RIGHT)
     &  CALL BSPABORT('message')
      CALL BSPMOVE(V, 8)
      V(1) = 1
      V(2) = S
      V(3) = -S
      CALL BSPFOLD(PLUS, V, V, 12)
      IF (V(1) .NE. P .OR. V(2) .NE. -V(3)) CALL BSPABORT('fold')
      IF (BSPSUMI(S) .NE. V(2)) CALL BSPABORT('sum')
      IF (BSPMAXD_PREFIX(DBLE(S)) .NE. DBLE(S)) CALL BSPABORT('prefix')
      IF (BSPTIME() .LT. 0) CALL BSPABORT('time')
      IF (S .EQ. 0) PRINT '(A)', 'ok'
      CALL BSPEND
      END

      SUBROUTINE PLUS(RES, LEFT, RIGHT, N)
      INTEGER N, RES(*), LEFT(*), RIGHT(*), I
      DO 10 I = 1, N / 4
        RES(I) = LEFT(I) + RIGHT(I)
 10   CONTINUE
      END
