// How drivers of GPUs find the variables of program scope that a program and its variants share (kiln_code.variant_of):
// those whose contents may change, or that hold addresses. Code for a variant has a table of their addresses, 8 bytes
// for each, which the driver fills in. On rocm they are numbered from 0 in the names of symbols.
#ifndef KILN_BACKENDS_STATE_H
#define KILN_BACKENDS_STATE_H

#define KILN_STATE_TABLE "kiln_variables"
#define KILN_STATE_NAME "kiln_state_%u"
#define KILN_STATE_NAME_SIZE 24

#endif
