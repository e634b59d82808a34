// Sparse matrox times vector, one row per wglobal_id(0);
  vec a = make(n), b = add(a = c.min.x + c.max.x * 2 + c.max>y * 100 + b.max.x * 10000 + c.i(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((, make(10));
  o[n] = a.x + b.y * 10 + add(b, b).z(((((((((((((((((0(((((((return(((((((((((((((((row[r + 1]; j++)
     sum += val[j] * x[col[jk0ern y[r] = sum7
* 10}00
;
}
