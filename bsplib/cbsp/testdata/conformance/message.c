/* Messages in queues. */
#include "check.h"

/* tags sets the size of tags, and ends the superstep. */
static void tags(int size) {
  bsp_set_tagsize(&size);
  bsp_sync();
}

static int messages(void) {
  int n, bytes;
  bsp_qsize(&n, &bytes);
  return n;
}

static int waiting_bytes(void) {
  int n, bytes;
  bsp_qsize(&n, &bytes);
  return bytes;
}

CHECK(send_to_a_neighbour, "ok") {
  int v = SELF, x = -1;
  bsp_send(RIGHT, NULL, &v, sizeof v);
  bsp_sync();
  MUST(messages() == 1);
  bsp_move(&x, sizeof x);
  MUST(x == LEFT && messages() == 0);
}

CHECK(send_to_itself, "ok") {
  int v = SELF, x = -1;
  bsp_send(SELF, NULL, &v, sizeof v);
  bsp_sync();
  bsp_move(&x, sizeof x);
  MUST(x == SELF);
}

CHECK(no_messages_at_first, "ok") { MUST(messages() == 0 && waiting_bytes() == 0); }

CHECK(messages_come_at_sync, "ok") {
  int v = SELF;
  bsp_send(SELF, NULL, &v, sizeof v);
  MUST(messages() == 0);
  bsp_sync();
  MUST(messages() == 1);
}

CHECK(send_takes_its_data_at_the_call, "ok") {
  int v = SELF, x = -1;
  bsp_send(RIGHT, NULL, &v, sizeof v);
  v = 1000;
  bsp_sync();
  bsp_move(&x, sizeof x);
  MUST(x == LEFT);
}

CHECK(tag_is_empty_at_first, "ok") {
  int size = 4;
  bsp_set_tagsize(&size);
  MUST(size == 0);
}

CHECK(set_tagsize_returns_the_last_one, "ok") {
  int size = 4;
  bsp_set_tagsize(&size);
  size = 8;
  bsp_set_tagsize(&size);
  MUST(size == 4);
  bsp_sync();
  size = 2;
  bsp_set_tagsize(&size);
  MUST(size == 8);
}

CHECK(tags_with_messages, "ok") {
  int tag = SELF * 3, v = SELF, status, seen = -1;
  tags(sizeof tag);
  bsp_send(RIGHT, &tag, &v, sizeof v);
  bsp_sync();
  bsp_get_tag(&status, &seen);
  MUST(status == sizeof v && seen == LEFT * 3);
}

CHECK(get_tag_leaves_the_message, "ok") {
  int tag = SELF, v = SELF, status, seen = -1, x = -1;
  tags(sizeof tag);
  bsp_send(RIGHT, &tag, &v, sizeof v);
  bsp_sync();
  bsp_get_tag(&status, &seen);
  bsp_get_tag(&status, &seen);
  MUST(seen == LEFT && messages() == 1);
  bsp_move(&x, sizeof x);
  MUST(x == LEFT);
}

CHECK(tag_size_counts_from_the_next_superstep, "ok") {
  int size = 4, tag = 99, seen = 7, status;
  bsp_set_tagsize(&size);
  bsp_send(RIGHT, &tag, NULL, 0);
  bsp_sync();
  bsp_get_tag(&status, &seen);
  MUST(status == 0 && seen == 7);
  bsp_send(RIGHT, &tag, NULL, 0);
  bsp_sync();
  bsp_get_tag(&status, &seen);
  MUST(status == 0 && seen == 99);
}

CHECK(tag_size_set_while_messages_wait, "ok") {
  int size = 1, tag = 42, seen = 24, status;
  bsp_set_tagsize(&size);
  bsp_send(RIGHT, &tag, NULL, 0);
  bsp_sync();
  bsp_set_tagsize(&size);
  MUST(size == 1);
  bsp_get_tag(&status, &seen);
  MUST(seen == 24);
  bsp_send(RIGHT, &tag, NULL, 0);
  bsp_sync();
  bsp_get_tag(&status, &seen);
  MUST((seen & 255) == 42);
}

CHECK(three_tag_sizes_in_flight, "ok") {
  char tag[64], seen[64];
  int step, status, sizes[6] = {0, 4, 1, 17, 8, 3}, size;
  for (step = 0; step < 6; step++) {
    /* Messages of the superstep before are read with its size, and sent with this one's. */
    if (step > 0) {
      memset(seen, 0, sizeof seen);
      bsp_get_tag(&status, seen);
      MUST(status == step - 1);
      for (size = 0; size < 64; size++) MUST(seen[size] == (size < sizes[step - 1] ? (char)(LEFT * 8 + step - 1) : 0));
    }
    memset(tag, SELF * 8 + step, sizeof tag);
    bsp_send(RIGHT, tag, tag, step);
    if (step < 5) {
      size = sizes[step + 1];
      bsp_set_tagsize(&size);
      MUST(size == sizes[step]);
    }
    bsp_sync();
  }
}

CHECK(set_tagsize_twice_in_one_superstep, "ok") {
  int size = 100, tag[2] = {SELF, -SELF}, seen[2] = {0, 0}, status;
  bsp_set_tagsize(&size);
  size = 8;
  bsp_set_tagsize(&size);
  bsp_sync();
  bsp_send(RIGHT, tag, NULL, 0);
  bsp_sync();
  bsp_get_tag(&status, seen);
  MUST(seen[0] == LEFT && seen[1] == -LEFT);
}

CHECK(qsize_counts_messages_and_bytes, "ok") {
  int i, v[8] = {0};
  for (i = 0; i < 5; i++) bsp_send(RIGHT, NULL, v, i);
  bsp_sync();
  MUST(messages() == 5 && waiting_bytes() == 10);
}

CHECK(qsize_after_move, "ok") {
  int i, v[8] = {0};
  for (i = 0; i < 5; i++) bsp_send(RIGHT, NULL, v, 4);
  bsp_sync();
  for (i = 5; i > 0; i--) {
    MUST(messages() == i && waiting_bytes() == 4 * i);
    bsp_move(v, 4);
  }
  MUST(messages() == 0 && waiting_bytes() == 0);
}

CHECK(qsize_does_not_count_tags, "ok") {
  int tag = 1;
  tags(sizeof tag);
  bsp_send(RIGHT, &tag, &tag, 3);
  bsp_sync();
  MUST(messages() == 1 && waiting_bytes() == 3);
}

CHECK(get_tag_of_empty_queue, "ok") {
  int status = 5, tag = 7;
  tags(sizeof tag);
  bsp_get_tag(&status, &tag);
  MUST(status == -1 && tag == 7);
}

CHECK(move_takes_a_part, "ok") {
  char v[9] = "abcdefgh", x[9] = "........";
  bsp_send(RIGHT, NULL, v, 8);
  bsp_sync();
  bsp_move(x, 3);
  MUST(!strcmp(x, "abc.....") && messages() == 0);
}

CHECK(move_of_no_bytes_drops_the_message, "ok") {
  int v = SELF;
  bsp_send(RIGHT, NULL, &v, sizeof v);
  bsp_sync();
  bsp_move(NULL, 0);
  MUST(messages() == 0);
}

CHECK(move_changes_no_more_than_there_is, "ok") {
  char x[5] = "....";
  bsp_send(RIGHT, NULL, "a", 1);
  bsp_sync();
  bsp_move(x, 4);
  MUST(!strcmp(x, "a..."));
}

CHECK(hpmove_points_to_the_message, "ok") {
  int tag = SELF, v[3] = {SELF, SELF + 1, SELF + 2}, n;
  void *t = NULL, *p = NULL;
  tags(sizeof tag);
  bsp_send(RIGHT, &tag, v, sizeof v);
  bsp_sync();
  n = bsp_hpmove(&t, &p);
  MUST(n == sizeof v && *(int *)t == LEFT && ((int *)p)[2] == LEFT + 2);
  MUST(messages() == 0);
}

CHECK(hpmove_of_all, "ok") {
  enum { N = 50 };
  int i, sum = 0;
  void *t, *p[N];
  for (i = 0; i < N; i++) bsp_send(RIGHT, NULL, &i, sizeof i);
  bsp_sync();
  for (i = 0; i < N; i++) MUST(bsp_hpmove(&t, &p[i]) == sizeof i);
  for (i = 0; i < N; i++) sum += *(int *)p[i];
  MUST(sum == N * (N - 1) / 2 && bsp_hpmove(&t, p) == -1);
}

CHECK(hpmove_of_empty_queue, "ok") {
  void *t, *p;
  MUST(bsp_hpmove(&t, &p) == -1);
}

CHECK(ours_messages_are_lost_at_the_next_sync, "ok") {
  int v = SELF;
  bsp_send(RIGHT, NULL, &v, sizeof v);
  bsp_sync();
  MUST(messages() == 1);
  bsp_sync();
  MUST(messages() == 0);
}

CHECK(send_while_messages_wait, "ok") {
  int v = SELF, x = -1;
  bsp_send(RIGHT, NULL, &v, sizeof v);
  bsp_sync();
  v += 100;
  bsp_send(LEFT, NULL, &v, sizeof v);
  bsp_move(&x, sizeof x);
  MUST(x == LEFT && messages() == 0);
  bsp_sync();
  bsp_move(&x, sizeof x);
  MUST(x == RIGHT + 100);
}

CHECK(messages_of_all, "ok") {
  int i, v = SELF, x, seen[4] = {0};
  for (i = 0; i < PROCS; i++) bsp_send(i, NULL, &v, sizeof v);
  bsp_sync();
  MUST(messages() == PROCS);
  for (i = 0; i < PROCS; i++) {
    bsp_move(&x, sizeof x);
    seen[x]++;
  }
  for (i = 0; i < PROCS; i++) MUST(seen[i] == 1);
}

CHECK(ours_messages_by_sender, "ok") {
  int i, v, x;
  for (v = SELF * 10; v < SELF * 10 + 3; v++)
    for (i = 0; i < PROCS; i++) bsp_send(i, NULL, &v, sizeof v);
  bsp_sync();
  for (i = 0; i < PROCS; i++)
    for (v = i * 10; v < i * 10 + 3; v++) {
      bsp_move(&x, sizeof x);
      MUST(x == v);
    }
}

CHECK(empty_messages, "ok") {
  int i, status;
  for (i = 0; i < 3; i++) bsp_send(RIGHT, NULL, NULL, 0);
  bsp_sync();
  MUST(messages() == 3 && waiting_bytes() == 0);
  bsp_get_tag(&status, NULL);
  MUST(status == 0);
}

CHECK(message_of_a_mebibyte, "ok") {
  enum { N = 1 << 17 };
  double *v = (double *)malloc(N * sizeof *v);
  int i;
  for (i = 0; i < N; i++) v[i] = SELF * 1e6 + i;
  bsp_send(RIGHT, NULL, v, N * sizeof *v);
  bsp_sync();
  memset(v, 0, N * sizeof *v);
  bsp_move(v, N * sizeof *v);
  for (i = 0; i < N; i++) MUST(v[i] == LEFT * 1e6 + i);
}

CHECK(ten_thousand_messages, "ok") {
  enum { N = 10000 };
  int i, tag, seen, status;
  double v, x, sum = 0;
  tags(sizeof tag);
  for (i = 0; i < N; i++) {
    tag = i;
    v = i * 0.5;
    bsp_send(i % PROCS, &tag, &v, sizeof v);
  }
  bsp_sync();
  MUST(messages() == N);
  while (messages() > 0) {
    bsp_get_tag(&status, &seen);
    bsp_move(&x, sizeof x);
    MUST(seen % PROCS == SELF && x == seen * 0.5);
    sum += x;
  }
  MUST(sum == PROCS * (0.5 * (N / PROCS) * SELF + 0.5 * PROCS * (N / PROCS) * (N / PROCS - 1) / 2));
}

CHECK(messages_of_many_sizes, "ok") {
  enum { N = 200 };
  static unsigned char v[N];
  int i, k, status;
  for (i = 0; i < N; i++) {
    memset(v, i, sizeof v);
    bsp_send(RIGHT, NULL, v, i);
  }
  bsp_sync();
  for (i = 0; i < N; i++) {
    bsp_get_tag(&status, NULL);
    memset(v, 255, sizeof v);
    bsp_move(v, N);
    for (k = 0; k < status; k++) MUST(v[k] == status);
    for (; k < N; k++) MUST(v[k] == 255);
  }
}

CHECK(puts_gets_and_messages_together, "ok") {
  int x = SELF, y = -1, v = SELF + 100, m = SELF + 200, got = -1;
  bsp_push_reg(&x, sizeof x);
  bsp_push_reg(&y, sizeof y);
  bsp_sync();
  bsp_put(RIGHT, &v, &y, 0, sizeof v);
  bsp_get(LEFT, &x, 0, &got, sizeof got);
  bsp_send(RIGHT, NULL, &m, sizeof m);
  bsp_sync();
  bsp_move(&m, sizeof m);
  MUST(y == LEFT + 100 && got == LEFT && m == LEFT + 200);
}

/* check_all sends to all, one of two sizes, and looks at what comes. */
static void check_all(void) {
  int i, v[2], x;
  for (i = 0; i < PROCS; i++) {
    v[0] = v[1] = SELF * 10 + i;
    bsp_send(i, NULL, v, SELF % 2 ? 8 : 4);
  }
  bsp_sync();
  MUST(messages() == PROCS && waiting_bytes() == 6 * PROCS);
  for (i = 0; i < PROCS; i++) {
    bsp_move(&x, sizeof x);
    MUST(x % 10 == SELF);
  }
}

CHECK(messages_with_push, "ok") {
  int x;
  bsp_push_reg(&x, sizeof x);
  check_all();
}

CHECK(messages_with_pop, "ok") {
  int x = 0;
  reg(&x, sizeof x);
  bsp_pop_reg(&x);
  check_all();
}

CHECK(messages_with_tag_size, "ok") {
  int size = 0;
  bsp_set_tagsize(&size);
  check_all();
}

CHECK(send_to_no_process, "abort: bsp_send: The source process ID does not exist") { bsp_send(PROCS, NULL, NULL, 0); }

CHECK(send_to_negative_process, "abort: bsp_send: The source process ID does not exist") { bsp_send(-1, NULL, NULL, 0); }

CHECK(send_negative_size, "abort: bsp_send: Payload size may not be negative") { bsp_send(0, NULL, NULL, -2); }

CHECK(set_tagsize_null, "abort: bsp_set_tagsize: NULL ptr as argument is now allowed") { bsp_set_tagsize(NULL); }

CHECK(set_tagsize_negative, "abort: bsp_set_tagsize: Tag size may not be negative") {
  int size = -1;
  bsp_set_tagsize(&size);
}

CHECK(tag_sizes_differ, "abort: bsp_sync/bsp_set_tagsize: Not all processes announced the same tag size") {
  int size = SELF;
  bsp_set_tagsize(&size);
  bsp_sync();
}

CHECK(tag_sizes_set_by_some, "abort: bsp_sync/bsp_set_tagsize: Not all processes set the tag size same number of times") {
  int size = 4;
  if (SELF > 0) bsp_set_tagsize(&size);
  bsp_sync();
}

CHECK(qsize_null_messages, "abort: bsp_qsize: both arguments may not be NULL") {
  int bytes;
  bsp_qsize(NULL, &bytes);
}

CHECK(qsize_null_bytes, "abort: bsp_qsize: both arguments may not be NULL") {
  int n;
  bsp_qsize(&n, NULL);
}

CHECK(get_tag_null_status, "abort: bsp_get_tag: first arguments may not be NULL") {
  int tag;
  bsp_get_tag(NULL, &tag);
}

CHECK(get_tag_null_tag, "abort: bsp_get_tag: tag must point to a block of available memory of at least 4 bytes long") {
  int tag = 1, status;
  tags(sizeof tag);
  bsp_send(RIGHT, &tag, NULL, 0);
  bsp_sync();
  bsp_get_tag(&status, NULL);
}

CHECK(move_null, "abort: bsp_move: payload may not be NULL if reception_nbytes is non-zero") {
  bsp_send(RIGHT, NULL, "a", 1);
  bsp_sync();
  bsp_move(NULL, 1);
}

CHECK(move_negative, "abort: bsp_move: size argument may not be negative") {
  int x;
  bsp_send(RIGHT, NULL, "a", 1);
  bsp_sync();
  bsp_move(&x, -1);
}

CHECK(move_from_empty_queue, "abort: bsp_move: Message queue was empty") {
  int x;
  bsp_move(&x, sizeof x);
}

CHECK(hpmove_null_tag, "abort: bsp_hpmove: pointer arugments may not be NULL") {
  void *p;
  bsp_hpmove(NULL, &p);
}

CHECK(hpmove_null_payload, "abort: bsp_hpmove: pointer arugments may not be NULL") {
  void *t;
  bsp_hpmove(&t, NULL);
}

WHOLE(send_outside, "abort: bsp_send: can only be called within SPMD section") { bsp_send(0, NULL, NULL, 0); }

WHOLE(set_tagsize_outside, "abort: bsp_set_tagsize: can only be called within SPMD section") {
  int size = 4;
  bsp_set_tagsize(&size);
}

WHOLE(qsize_outside, "abort: bsp_qsize: can only be called within SPMD section") {
  int n, bytes;
  bsp_qsize(&n, &bytes);
}

WHOLE(get_tag_outside, "abort: bsp_get_tag: can only be called within SPMD section") {
  int status, tag;
  bsp_get_tag(&status, &tag);
}

WHOLE(move_outside, "abort: bsp_move: can only be called within SPMD section") {
  int x;
  bsp_move(&x, sizeof x);
}

WHOLE(hpmove_outside, "abort: bsp_hpmove: can only be called within SPMD section") {
  void *t, *p;
  bsp_hpmove(&t, &p);
}
