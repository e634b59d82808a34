// Names for the tables of queries (.def), which are the cases of a switch: VALUE(name, type, expression),
// ARRAY(name, type, elements...), STRING(name, text), BYTES(name, data, size). "answer" is the struct icd_answer in
// scope. A table undefines what it alone uses.
#ifndef KILN_ICD_TABLES_H
#define KILN_ICD_TABLES_H

#define VALUE(name, type, expression)                                                                                  \
  case name:                                                                                                           \
    return icd_put(&answer, &(type){expression}, sizeof(type));
#define ARRAY(name, type, ...)                                                                                         \
  case name: {                                                                                                         \
    const type elements[] = {__VA_ARGS__};                                                                             \
    return icd_put(&answer, elements, sizeof elements);                                                                \
  }
#define STRING(name, text)                                                                                             \
  case name:                                                                                                           \
    return icd_put_string(&answer, text);
#define BYTES(name, data, size)                                                                                        \
  case name:                                                                                                           \
    return icd_put(&answer, data, size);

#endif
