# kiln run with images and samplers, and what kiln compile tells of them.
. "$2/lib.sh"
cat >blur.cl <<'EOF'
kernel void blur(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = 0;
  for (int x = -1; x <= 1; x++)
    sum += read_imagef(in, s, p + (int2)(x, 0));
  write_imagef(out, p, sum / 3);
}
EOF
printf 'P6\n# a comment\n3 2\n255\nabcdefghijklmnopqr' >in.ppm
blur="$kiln run blur.cl -b interp -g 3,2"

# Pictures, and back.
check 0 $blur -o 1:out.ppm -p 0:u8:8 image:in.ppm image:rgba:unorm8:3x2 sampler:clamp_to_edge,nearest
out_is "0: 97 98 99 255 100 101 102 255"
check 0 cat out.ppm
out_is "P6
3 2
255
bcddeffghklmmnoopq"
check 0 $blur -o 1:again.ppm image:out.ppm image:rgba:unorm8:3x2 sampler:0x12
check 0 $blur -o 1:out.pgm image:in.ppm image:r:f32:3x2 sampler:clamp_to_edge
check 0 cat out.pgm
out_is "P5
3 2
255
bdfkmo"
check 0 $blur -p 0:u8 -p 1:u8 image:out.pgm image:r:unorm8:3x2 sampler:clamp,nearest
out_is "0: 98 100 102 107 109 111
1: 66 100 67 72 109 73"
check 0 $blur -o 1:wide.ppm image:in.ppm image:rgba:unorm16:3x2 sampler:clamp_to_edge
check 0 head -c 12 wide.ppm
out_is "P6
3 2
65535"
check 0 $blur -p 0:u16:4 image:wide.ppm image:rgba:unorm16:3x2 sampler:clamp_to_edge
out_is "0: 25186 25443 25700 65535"
check 0 $blur -o 1:out.raw --json image:in.ppm image:r:f32:3x2 sampler:clamp_to_edge
out_has '"file": "out.raw"'
out_has '"bytes": 24'
check 0 od -An -tf4 -N4 out.raw
out_has "0.384313"

# Values of channels as they are in memory, in every form; dimensions.
cat >copy.cl <<'EOF'
kernel void k1(read_only image1d_t in, global float4 *out) {
  int i = get_global_id(0);
  out[i] = read_imagef(in, i);
}
kernel void k3(read_only image3d_t in, sampler_t s, global float *out) {
  out[0] = read_imagef(in, s, (float4)(0.5f, 0.5f, 0.5f, 0)).x;
}
kernel void layers(read_only image2d_array_t in, global int4 *out) { out[0] = read_imagei(in, (int4)(0, 0, 1, 0)); }
kernel void both(read_write image2d_t a, read_only image2d_t b) {
  write_imageui(a, (int2)(0, 0), read_imageui(b, (int2)(1, 0)) + 1);
}
EOF
copy="$kiln run copy.cl -b interp --options -cl-std=CL2.0"
check 0 $copy -k k1 -g 2 -p 1:f32 image:rg:unorm8:2:255,0,0,255 zero:f32:8
out_is "1: 1 0 0 1 0 1 0 1"
check 0 $copy -k k1 -g 2 -p 1:f32 image:bgra:unorm8:2:list:255,0,0,255,0,255,0,0 zero:f32:8
out_is "1: 0 0 1 1 0 1 0 0"
check 0 $copy -k k1 -g 2 -p 0:u16 -p 1:f32:4 image:rgb:unorm565:2:fill:0xffff zero:f32:8
out_is "0: 65535 65535
1: 1 1 1 1"
check 0 $copy -k k1 -g 2 -p 0:f16 image:r:f16:2:iota zero:f32:8
out_is "0: 0 1"
check 0 $copy -k k1 -g 2 -p 0:f32 image:r:f32:2:rand:5:3:3 zero:f32:8
out_is "0: 3 3"
check 0 $copy -k k1 -g 2 -p 0:f32 image:r:f32:2 zero:f32:8
out_is "0: 0 0"
check 0 $copy -k k3 -g 1 -p 2:f32 image:r:f32:2x1x2:1,2,3,4 sampler:linear,clamp_to_edge,normalized zero:f32:1
out_is "2: 2.5"
check 0 $copy -k layers -g 1 -p 1:i32 image:rgba:i8:1x1x2:1,2,3,4,-5,6,7,8 zero:i32:4
out_is "1: -5 6 7 8"
check 0 $copy -k both -g 1 -p 0:u32 image:r:u32:2x1:7,8 same:0
out_is "0: 9 8"
check 0 $copy -k both -g 1 -o 0:u8.pgm -o 1:rgba.ppm image:r:u8:2x1:7,88 image:rgba:u8:2x1:iota
check 0 od -An -tu1 u8.pgm
out_has "10   5  88"
check 1 $copy -k both -g 1 -o 0:o.ppm image:r:u32:2x1:7,8 same:0
err_has "-o 0: pixels of r:u32 are no colours; a FILE whose name ends with .raw gets their bytes"

# Wrong use: 2.
check 2 $blur image: null null
err_has "argument 0 ('image:'): the file or format is missing"
check 2 $blur image:r:f33:3x2 null null
err_has "'f33' is not a type of channels; these are snorm8"
check 2 $blur image:x:f32:3x2 null null
err_has "'x' is not an order of channels; these are r a rg"
check 2 $blur image:argb:f32:3x2 null null
err_has "there is no format argb:f32"
check 2 $blur image:r:f32 null null
err_has "the sizes are missing: W, WxH or WxHxD"
for sizes in 3x0 x 3x 3x2x2x2 3x-2 99999999999; do
  check 2 $blur image:r:f32:$sizes null null
  err_has "'$sizes' are no sizes"
done
check 2 $blur image:r:f32:99999999x99999999 null null
err_has "pixels are too many"
check 2 $blur image:r:f32:3x2:1,2 null null
err_has "2 values, but the image has 6"
check 2 $blur image:r:unorm8:1x1:256 null null
err_has "'256' is not a number of type u8"
check 2 $blur image:r:f32:3x2:list null null
err_has "the values are missing"
check 2 $blur image:r:f32:3x2:fill null null
err_has "the value is missing"
check 2 $blur image:r:f32:3x2:zero:1 null null
err_has "left over: '1'"
check 2 $blur null null sampler:edge
err_has "'edge' is no word of a sampler; these are none clamp_to_edge"
check 2 $blur null null sampler
err_has "'' is no word of a sampler"
check 2 $blur null null sampler:linear,nearest
err_has "'nearest' and an earlier word exclude each other"
check 2 $blur null null same:1
err_has "argument 2 ('same:1'): argument 1 is not a buffer"
check 2 $blur -o 2:x null null sampler:16
err_has "argument 2 is not a buffer"

# Wrong data: 1.
check 1 $blur image:nowhere.ppm null null
err_has "cannot read 'nowhere.ppm'"
check 1 $blur image:blur.cl null null
err_has "argument 0 ('image:blur.cl'): the file is no binary PPM or PGM (P6, P5)"
printf 'P6 3 2 255 abc' >short.ppm
check 1 $blur image:short.ppm null null
err_has "the file ends before its 3 x 2 pixels do"
printf 'P5 1 1 1023 ab' >odd.pgm
check 1 $blur image:odd.pgm null null
err_has "the largest value is 1023; 255 and 65535 are possible"
for head in '' P P6 'P6 3' 'P6 3 2 255' 'P6 0 2 255 ' 'P3 1 1 255 1 1 1' 'P6 # 3 2 255 abc' 'P6 3333333333 2 255 '; do
  printf '%s' "$head" >bad.ppm
  check 1 $blur image:bad.ppm null null
done
check 1 $blur image:in.ppm image:r:f32:3 sampler:16
err_has "argument 1 ('image:r:f32:3'): 1 size given, but 'out' is of type image2d_t, which has 2"
check 1 $blur image:in.ppm image:r:f32:20000x1 sampler:16
err_has "a width of 20000; 1 to 16384 are possible"
check 1 $blur image:in.ppm image:depth:f32:3x2 sampler:16
err_has "which is for depth images alone"
check 1 $blur image:in.ppm image:srgba:unorm8:3x2 sampler:16
err_has "argument 1 ('out'): the kernel may write to it, and images of srgba:unorm8 can only be read"
check 1 $blur image:in.ppm zero:f32:6 sampler:16
err_has "argument 1 ('out'): expected an image for 'image2d_t', got a buffer"
check 1 $blur image:in.ppm image:r:f32:3x2 sampler:repeat
err_has "REPEAT is for normalised coordinates"
check 1 $blur image:in.ppm image:r:f32:3x2 sampler:none
err_has "reads the pixel at (-1, 0) of image 'in', which has 3 x 2 pixels"
check 1 $kiln run blur.cl -b interp -g 1
err_has "  0: image2d_t in
  1: image2d_t out
  2: sampler_t s"

# What kiln compile tells.
check 0 $kiln compile blur.cl -b interp --stats
out_has "  argument 0: image2d_t in, image, access read
  argument 1: image2d_t out, image, access write
  argument 2: sampler_t s, sampler
"
check 0 $kiln compile blur.cl -b interp --stats --json
out_has '"type": "image2d_t",
        "kind": "image",
        "access": "read"'
finish 68
