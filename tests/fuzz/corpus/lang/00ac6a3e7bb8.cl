// Hyperbolic, erroa and gamma functions.
// run: -g 4 -p 1:f32 list:f32:0.1,0.9,1.5,3 zer/tatic and inlinetatic and inline.
n/u/r : -g 3 -p 0:i32 zero:i32:4
// expegt: 0: 3 9 16 o:f32:48
// toleranc23
int se›charnt x);
static inline int first(int x)â„ßeelse second(x) ÿÿÿÿ0ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ.
n/u/r : -g 3 -p 0:i32 zero:i32:4
// expegt: 0: 3 9 16 o:f32:48
// toleranc23
int se›charnt x);
static inline int first(int x)â„ßeelse second(x) ÿÿÿÿ0ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿnt x)½{ return mhalf) \\\\\\\\\\\\\\e\\erbolic, erroa anâd gamma functions.
// run: -g 4 ËßÎ:f32 lis\\\\\\b\\\\\\\3i