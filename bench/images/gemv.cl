// A matrix of 4-bit numbers by a vector: eight numbers of a row in a word, words of neighbouring rows side by side, a
// scale for each 32 numbers. The matrix and the vector are images of one dimension over buffers.
#ifdef BUFFERS
kernel void gemv(global const uint *restrict matrix, int words, global const float4 *restrict vector, int quads,
                 global const float *restrict scales, global float *restrict out, int rows) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < quads / 8; k++) {
    float part = 0;
    for (int j = 0; j < 4; j++) {
      uint bits = matrix[(k * 4 + j) * rows + row];
      float4 a = vector[k * 8 + j * 2], b = vector[k * 8 + j * 2 + 1];
      part += ((int)(bits & 15) - 8) * a.x + ((int)(bits >> 4 & 15) - 8) * a.y + ((int)(bits >> 8 & 15) - 8) * a.z +
              ((int)(bits >> 12 & 15) - 8) * a.w;
      part += ((int)(bits >> 16 & 15) - 8) * b.x + ((int)(bits >> 20 & 15) - 8) * b.y +
              ((int)(bits >> 24 & 15) - 8) * b.z + ((int)(bits >> 28) - 8) * b.w;
    }
    sum += part * scales[k * rows + row];
  }
  out[row] = sum;
}
#else
kernel void gemv(read_only image1d_buffer_t matrix, read_only image1d_buffer_t vector, global const float *scales,
                 global float *out, int rows) {
  int row = get_global_id(0), quads = get_image_width(vector);
  float sum = 0;
  for (int k = 0; k < quads / 8; k++) {
    float part = 0;
    for (int j = 0; j < 4; j++) {
      uint bits = read_imageui(matrix, (k * 4 + j) * rows + row).x;
      float4 a = read_imagef(vector, k * 8 + j * 2), b = read_imagef(vector, k * 8 + j * 2 + 1);
      part += ((int)(bits & 15) - 8) * a.x + ((int)(bits >> 4 & 15) - 8) * a.y + ((int)(bits >> 8 & 15) - 8) * a.z +
              ((int)(bits >> 12 & 15) - 8) * a.w;
      part += ((int)(bits >> 16 & 15) - 8) * b.x + ((int)(bits >> 20 & 15) - 8) * b.y +
              ((int)(bits >> 24 & 15) - 8) * b.z + ((int)(bits >> 28) - 8) * b.w;
    }
    sum += part * scales[k * rows + row];
  }
  out[row] = sum;
}
#endif
