// expect: none
