// Ray tracer with a tree of boxes, a stack of nodes and a stack of rays, all in structs.
// run: -g 18,14 -p 0:f32 zero:f32:1008 f32=0.075
// tolerance: 1e-3
// expect: 0: 0.13802 0.13802 0.276041 1 0.139106 0.139106 0.278211 1 0.140136 0.140136 0.280272 1 0.141087 0.141087 0.282174 1 0.141933 0.141933 0.283866 1 0.142649 0.142649 0.285298 1 0.143211 0.143211 0.286422 1 0.143598 0.143598 0.287196 1 0.143795 0.143795 0.287591 1 0.143795 0.143795 0.287591 1 0.143598 0.143598 0.287196 1 0.143211 0.143211 0.286422 1 0.142649 0.142649 0.285298 1 0.141933 0.141933 0.283866 1 0.141087 0.141087 0.282174 1 0.140136 0.140136 0.280272 1 0.139106 0.139106 0.278211 1 0.13802 0.13802 0.276041 1 0.132852 0.132852 0.265705 1 0.133832 0.133832 0.267665 1 0.134766 0.134766 0.269531 1 0.13563 0.13563 0.271261 1 0.136402 0.136402 0.272805 1 0.137058 0.137058 0.274115 1 0.137573 0.137573 0.275146 1 0.137929 0.137929 0.275857 1 0.13811 0.13811 0.27622 1 0.13811 0.13811 0.27622 1 0.137929 0.137929 0.275857 1 0.845598 0.187911 0.0939554 1 0.558086 0.124019 0.0620096 1 0.136402 0.136402 0.272805 1 0.13563 0.13563 0.271261 1 0.134766 0.134766 0.269531 1 0.133832 0.133832 0.267665 1 0.132852 0.132852 0.265705 1 0.127372 0.127372 0.254744 1 0.12822 0.12822 0.25644 1 0.129031 0.129031 0.258061 1 0.129784 0.129784 0.259568 1 0.130458 0.130458 0.260917 1 0.131032 0.131032 0.262065 1 0.253624 0.253624 0.409821 1 0.218932 0.218932 0.369302 1 0.131958 0.131958 0.263915 1 0.131958 0.131958 0.263915 1 0.779104 0.173134 0.0865671 1 0.682903 0.151756 0.0758781 1 0.421768 0.0937261 0.0468631 1 0.130458 0.130458 0.260917 1 0.229881 0.229881 0.379765 1 0.129031 0.129031 0.258061 1 0.12822 0.12822 0.25644 1 0.127372 0.127372 0.254744 1 0.121612 0.121612 0.243223 1 0.122303 0.122303 0.244605 1 0.122965 0.122965 0.24593 1 0.123582 0.123582 0.247164 1 0.124136 0.124136 0.248273 1 0.178821 0.178821 0.278333 1 0.165679 0.165679 0.252132 1 0.146879 0.146879 0.238871 1 0.125373 0.125373 0.250746 1 0.125373 0.125373 0.250746 1 0.425178 0.0944839 0.047242 1 0.360409 0.0800908 0.0400454 1 0.18 0.04 0.02 1 0.235982 0.235982 0.372423 1 0.221653 0.221653 0.353899 1 0.191108 0.191108 0.315904 1 0.122303 0.122303 0.244605 1 0.121612 0.121612 0.243223 1 0.115617 0.115617 0.231233 1 0.116128 0.116128 0.232256 1 0.11662 0.11662 0.233239 1 0.117079 0.117079 0.234157 1 0.117492 0.117492 0.234983 1 0.117845 0.117845 0.235689 1 0.251814 0.0878899 0.0644722 1 0.147955 0.147955 0.259909 1 0.135197 0.535511 0.327581 1 0.125465 0.457655 0.298385 1 0.118317 0.118317 0.236634 1 0.118124 0.118124 0.236247 1 0.16731 0.16731 0.254218 1 0.0908437 0.0908437 0.161687 1 0.0845814 0.0845814 0.149163 1 0.122732 0.122732 0.191908 1 0.111745 0.111745 0.20349 1 0.115617 0.115617 0.231233 1 0.109444 0.109444 0.218888 1 0.109758 0.109758 0.219517 1 0.110061 0.110061 0.220122 1 0.886472 0.196994 0.0984969 1 0.794383 0.176529 0.0882647 1 0.610224 0.135605 0.0678027 1 0.11099 0.11099 0.221981 1 0.116374 0.500322 0.287597 1 0.115357 0.463011 0.280379 1 0.106393 0.391297 0.253487 1 0.0890766 0.281945 0.205706 1 0.11099 0.11099 0.221981 1 0.0956376 0.139856 0.405169 1 0.102343 0.14339 0.389671 1 0.0860005 0.11803 0.310208 1 0.160719 0.160719 0.255922 1 0.109758 0.109758 0.219517 1 0.109444 0.109444 0.218888 1 0.103161 0.103161 0.206321 1 0.103267 0.103267 0.206533 1 0.74375 0.165278 0.0826389 1 0.739087 0.164242 0.0821208 1 0.64404 0.14312 0.07156 1 0.483041 0.107342 0.0536712 1 0.196929 0.0437619 0.021881 1 0.0816425 0.382744 0.206299 1 0.0756058 0.342175 0.189293 1 0.0671683 0.274674 0.16398 1 0.0560037 0.177634 0.129383 1 0.0927136 0.133342 0.377115 1 0.11443 0.157066 0.442037 1 0.107323 0.146203 0.409047 1 0.0922076 0.123799 0.342372 1 0.0531982 0.0711493 0.178856 1 0.103267 0.103267 0.206533 1 0.103161 0.103161 0.206321 1 0.0968395 0.0968395 0.193679 1 0.0967333 0.0967333 0.193467 1 0.519757 0.115501 0.0577507 1 0.521573 0.115905 0.0579526 1 0.431317 0.0958482 0.0479241 1 0.273907 0.0608683 0.0304341 1 0.18 0.04 0.02 1 0.111716 0.301552 0.21392 1 0.115206 0.27951 0.2159 1 0.103768 0.211662 0.188345 1 0.0891834 0.173183 0.161149 1 0.0646777 0.0774777 0.193355 1 0.0636777 0.0764777 0.191355 1 0.10191 0.133937 0.363957 1 0.0885253 0.113771 0.303278 1 0.0648369 0.0777757 0.194368 1 0.0967333 0.0967333 0.193467 1 0.0968395 0.0968395 0.193679 1 0.0905561 0.0905561 0.181112 1 0.0902416 0.0902416 0.180483 1 0.109804 0.153196 0.413544 1 0.227405 0.0505344 0.0252672 1 0.18 0.04 0.02 1 0.18 0.04 0.02 1 0.0890097 0.0890097 0.178019 1 0.0888897 0.0888897 0.177779 1 0.103479 0.142679 0.0762788 1 0.0496913 0.136251 0.0916113 1 0.0888897 0.0888897 0.177779 1 0.0328 0.0456 0.1224 1 0.0743044 0.0871044 0.212609 1 0.0901417 0.111453 0.286838 1 0.0775092 0.0919181 0.227063 1 0.089939 0.089939 0.179878 1 0.0902416 0.0902416 0.180483 1 0.0905561 0.0905561 0.181112 1 0.0843835 0.0843835 0.168767 1 0.0838719 0.0838719 0.167744 1 0.105264 0.142127 0.394844 1 0.102092 0.137344 0.380443 1 0.0579221 0.0707221 0.179844 1 0.0604901 0.0732901 0.18498 1 0.127884 0.127884 0.204847 1 0.129723 0.129723 0.207872 1 0.130243 0.130243 0.208952 1 0.0690861 0.153086 0.150172 1 0.0981481 0.0981481 0.176296 1 0.0969633 0.0969633 0.173927 1 0.0949559 0.0949559 0.169912 1 0.0328 0.0456 0.1224 1 0.0829214 0.0829214 0.165843 1 0.0833805 0.0833805 0.166761 1 0.0838719 0.0838719 0.167744 1 0.0843835 0.0843835 0.168767 1 0.149858 0.149858 0.234642 1 0.153726 0.153726 0.240569 1 0.0926651 0.116968 0.306847 1 0.088846 0.112003 0.293475 1 0.0700757 0.0828757 0.204151 1 0.112651 0.112651 0.205302 1 0.113488 0.113488 0.206977 1 0.114056 0.114056 0.208112 1 0.116267 0.511251 0.288959 1 0.114395 0.447078 0.276316 1 0.0548618 0.138862 0.121724 1 0.158644 0.158644 0.252132 1 0.156304 0.156304 0.248955 1 0.111558 0.111558 0.203115 1 0.110221 0.110221 0.200442 1 0.10865 0.10865 0.1973 1 0.106843 0.106843 0.193687 1 0.104784 0.104784 0.189568 1 0.172974 0.172974 0.268261 1 0.175289 0.175289 0.272182 1 0.177201 0.177201 0.275572 1 0.04048 0.05072 0.11216 1 0.0994094 0.109649 0.171089 1 0.121832 0.121832 0.223665 1 0.122584 0.122584 0.225168 1 0.123098 0.123098 0.226196 1 0.120259 0.377582 0.241447 1 0.109672 0.312102 0.213657 1 0.0668959 0.150896 0.137792 1 0.122584 0.122584 0.225168 1 0.121832 0.121832 0.223665 1 0.120864 0.120864 0.221728 1 0.119702 0.119702 0.219404 1 0.118371 0.118371 0.216741 1 0.116893 0.116893 0.213785 1 0.115287 0.115287 0.210574 1 0.187118 0.187118 0.289757 1 0.188832 0.188832 0.292981 1 0.105169 0.115409 0.176849 1 0.105313 0.115714 0.17812 1 0.104639 0.114879 0.176319 1 0.104128 0.114368 0.175808 1 0.192619 0.192619 0.302247 1 0.192331 0.192331 0.302461 1 0.191679 0.191679 0.302063 1 0.130385 0.130385 0.240769 1 0.130129 0.130129 0.240259 1 0.129628 0.129628 0.239256 1 0.128896 0.128896 0.237792 1 0.127956 0.127956 0.235911 1 0.180847 0.180847 0.28768 1 0.178141 0.178141 0.283697 1 0.175265 0.175265 0.279414 1 0.172246 0.172246 0.274884 1 0.197121 0.197121 0.305742 1 0.198523 0.198523 0.308627 1 0.130799 0.152101 0.279912 1 0.129814 0.150804 0.276746 1 0.107826 0.118066 0.179506 1 0.107222 0.117462 0.178902 1 0.201545 0.201545 0.317057 1 0.201234 0.201234 0.317243 1 0.200592 0.200592 0.316854 1 0.199619 0.199619 0.315881 1 0.198325 0.198325 0.314334 1 0.196725 0.196725 0.312238 1 0.194844 0.194844 0.309632 1 0.19271 0.19271 0.306569 1 0.190356 0.190356 0.303106 1 0.187815 0.187815 0.299304 1 0.18512 0.18512 0.295223 1 0.182299 0.182299 0.29092 1
#define MAX_STACK 16
#define MAX_RAYS 8
#define MAX_DEPTH 3
#define LEAF 0x80000000u
#define EPSILON 1e-3f

typedef struct { float3 origin, direction, inverse; float weight; int depth; } ray_t;
typedef struct { float3 low, high; uint left, right; } node_t; // left with LEAF: a leaf with the sphere right
typedef struct { float3 centre; float radius; int material; } sphere_t;
typedef struct { float3 colour; float reflect, transmit, index; } material_t;
typedef struct { float t; int sphere; float3 point, normal; } hit_t;
typedef struct { uint items[MAX_STACK]; int top; } stack_t;
typedef struct {
  union { sphere_t spheres[9]; float raw[9 * 8]; };
  node_t nodes[17];
  uint count;
} scene_t;

constant material_t materials[4] = {
  {.colour = (float3)(0.9f, 0.2f, 0.1f), .reflect = 0.0f},
  {(float3)(0.1f, 0.8f, 0.3f), 0.4f, 0.0f, 1.0f},
  {(float3)(0.2f, 0.3f, 0.9f), .transmit = 0.6f, .index = 1.5f},
  {.reflect = 0.8f, .colour = {0.5f, 0.5f, 0.5f}},
};
constant float4 placed[9] = {
  (float4)(-2.0f, 0.0f, 6.0f, 1.0f), (float4)(0.0f, 0.2f, 5.0f, 0.9f), (float4)(2.1f, -0.1f, 6.5f, 1.1f),
  (float4)(-1.1f, 1.7f, 7.0f, 0.8f), (float4)(1.2f, 1.9f, 6.0f, 0.7f), (float4)(0.1f, -1.6f, 5.5f, 0.6f),
  (float4)(-3.1f, -1.4f, 8.0f, 1.2f), (float4)(3.3f, 1.6f, 8.5f, 1.3f), (float4)(0.0f, -102.5f, 6.0f, 100.0f)};

static inline void push(stack_t *stack, uint item) { stack->items[stack->top++] = item; }
static inline uint pop(stack_t *stack) { return stack->items[--stack->top]; }

static ray_t make_ray(float3 origin, float3 direction, float weight, int depth) {
  ray_t ray = {.direction = normalize(direction), .weight = weight, .depth = depth};
  ray.origin = origin;
  ray.inverse = 1.0f / ray.direction;
  return ray;
}

static node_t leaf(const scene_t *scene, uint i) {
  const sphere_t *s = &scene->spheres[i];
  return (node_t){s->centre - s->radius, s->centre + s->radius, LEAF, i};
}

static node_t join(const node_t *nodes, uint left, uint right) {
  node_t n = {min(nodes[left].low, nodes[right].low), max(nodes[left].high, nodes[right].high), left, right};
  return n;
}

// A tree over the spheres: leaves first, neighbours joined until one is left.
static void build(scene_t *scene) {
  uint level[9], width = 9;
  scene->count = 0;
  for (uint i = 0; i < 9; i++) {
    scene->spheres[i].centre = placed[i].xyz;
    scene->spheres[i].radius = placed[i].w;
    scene->spheres[i].material = i == 8 ? 3 : i % 4;
    scene->nodes[scene->count] = leaf(scene, i);
    level[i] = scene->count++;
  }
  while (width > 1) {
    uint made = 0;
    for (uint i = 0; i + 1 < width; i += 2) {
      scene->nodes[scene->count] = join(scene->nodes, level[i], level[i + 1]);
      level[made++] = scene->count++;
    }
    if (width & 1)
      level[made++] = level[width - 1];
    width = made;
  }
}

static bool crosses(const ray_t *ray, const node_t *node, float nearest) {
  const float3 a = (node->low - ray->origin) * ray->inverse, b = (node->high - ray->origin) * ray->inverse;
  const float3 first = min(a, b), last = max(a, b);
  const float from = max(max(first.x, first.y), max(first.z, 0.0f)), to = min(min(last.x, last.y), min(last.z, nearest));
  return from <= to;
}

static bool trace(const scene_t *scene, const ray_t *ray, hit_t *hit) {
  stack_t stack;
  stack.top = 0;
  hit->t = MAXFLOAT;
  hit->sphere = -1;
  push(&stack, scene->count - 1);
  while (stack.top > 0) {
    const node_t *node = &scene->nodes[pop(&stack)];
    if (!crosses(ray, node, hit->t))
      continue;
    if (node->left != LEAF) {
      push(&stack, node->left);
      push(&stack, node->right);
      continue;
    }
    const sphere_t s = scene->spheres[node->right];
    const float3 v = ray->origin - s.centre;
    const float b = dot(v, ray->direction), c = dot(v, v) - s.radius * s.radius, d = b * b - c;
    if (d < 0.0f)
      continue;
    float t = -b - sqrt(d);
    if (t < EPSILON)
      t = -b + sqrt(d);
    if (t < EPSILON || t >= hit->t)
      continue;
    hit->t = t;
    hit->sphere = node->right;
  }
  if (hit->sphere < 0)
    return false;
  hit->point = ray->origin + ray->direction * hit->t;
  hit->normal = (hit->point - scene->spheres[hit->sphere].centre) / scene->spheres[hit->sphere].radius;
  return true;
}

static float3 shade(const scene_t *scene, const hit_t *hit, constant material_t *m) {
  const float3 lamp = (float3)(-4.0f, 6.0f, 0.0f), to = lamp - hit->point;
  ray_t shadow = make_ray(hit->point + hit->normal * 2e-3f, to, 1.0f, 0);
  hit_t other;
  float light = max(dot(hit->normal, shadow.direction), 0.0f);
  if (trace(scene, &shadow, &other) && other.t < length(to))
    light = 0.0f;
  return m->colour * (0.2f + 0.8f * light);
}

static float3 follow(const scene_t *scene, ray_t first) {
  ray_t rays[MAX_RAYS];
  int count = 0;
  float3 sum = 0.0f;
  rays[count++] = first;
  while (count) {
    const ray_t ray = rays[--count];
    hit_t hit;
    if (!trace(scene, &ray, &hit)) {
      sum += ray.weight * (float3)(0.1f, 0.1f, 0.2f) * (1.0f + ray.direction.y);
      continue;
    }
    constant material_t *m = &materials[scene->spheres[hit.sphere].material];
    const bool inside = dot(hit.normal, ray.direction) > 0.0f;
    const float3 n = inside ? -hit.normal : hit.normal;
    sum += ray.weight * (1.0f - m->reflect - m->transmit) * shade(scene, &hit, m);
    if (ray.depth + 1 >= MAX_DEPTH)
      continue;
    const float cosine = -dot(n, ray.direction);
    if (m->reflect > 0.0f)
      rays[count++] = make_ray(hit.point + n * 2e-3f, ray.direction + 2.0f * cosine * n, ray.weight * m->reflect, ray.depth + 1);
    if (m->transmit > 0.0f) {
      const float ratio = inside ? m->index : 1.0f / m->index, k = 1.0f - ratio * ratio * (1.0f - cosine * cosine);
      if (k >= 0.0f)
        rays[count++] = make_ray(hit.point - n * 2e-3f, ratio * ray.direction + (ratio * cosine - sqrt(k)) * n,
                                 ray.weight * m->transmit, ray.depth + 1);
    }
  }
  return sum;
}

kernel void render(global float4 *image, float scale) {
  const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
  scene_t scene;
  build(&scene);
  const float3 direction = (float3)((x + 0.5f - width / 2) * scale, (height / 2 - y - 0.5f) * scale, 1.0f);
  image[y * width + x] = (float4)(follow(&scene, make_ray((float3)(0.0f), direction, 1.0f, 0)), 1.0f);
}
