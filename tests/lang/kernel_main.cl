kernel void main(global int *o) {}
// expect: 1:13: error: kernel cannot be called 'main'
