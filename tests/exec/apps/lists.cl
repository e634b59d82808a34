// Lists in private memory: pointers to pointers, reversal, removal.
// run: -g 9 -p 1:i32 -p 2:i32 rand:i32:72:1:-50:50 zero:i32:72 zero:i32:9
// expect: 1: -100663329 117440542 67108902 0 0 0 0 0 100663339 67108900 -83886085 -33554441 -50331660 -36 -117440556 0 -117440553 -16777246 -100663302 67108871 11 83886112 50331688 0 117440562 67108874 8 -83886117 -33554473 0 0 0 -117440541 -100663300 16777220 83886102 50331686 0 0 0 50331698 -16777245 -67108893 -33554472 0 0 0 0 -33554461 -13 -50331650 67108880 117440544 83886119 0 0 16777250 50331676 67108879 -83886106 -33554460 0 0 0 -50331684 -67108893 -33554449 -117440526 -16777217 83886123 0 0
// expect: 2: 3 7 7 5 5 4 6 5 6
typedef struct node {
  struct node *next;
  union {
    int i;
    float f;
    uchar b[4];
  } u;
  short tag;
} node;
void insert(node **at, node *n) {
  while (*at && (*at)->u.i < n->u.i)
    at = &(*at)->next;
  n->next = *at;
  *at = n;
}
node *reverse(node *l) {
  node *r = 0;
  while (l) {
    node *n = l->next;
    l->next = r;
    r = l;
    l = n;
  }
  return r;
}
kernel void lists(global const int *in, global int *out, global int *len) {
  node pool[8], *head = 0, **p;
  int id = get_global_id(0), n = 0;
  for (int i = 0; i < 8; i++) {
    pool[i].u.i = in[id * 8 + i];
    pool[i].tag = i;
    if ((in[id * 8 + i] & 3) != 1)
      insert(&head, &pool[i]);
  }
  if (id & 1)
    head = reverse(head);
  for (p = &head; *p;) {
    if ((*p)->tag == id % 8)
      *p = (*p)->next;
    else {
      (*p)->u.b[3] ^= (uchar)(*p)->tag;
      p = &(*p)->next;
    }
  }
  for (node *q = head; q; q = q->next)
    out[id * 8 + n++] = q->u.i;
  len[id] = n;
}
