# For tests of a fleet's cache: servers of one's own, on sockets and ports in the test's folder. After cli/lib.sh.
PATH=$PATH:/usr/sbin
# The package redis-tools has the server under another name; what it is called decides what it does.
mkdir bin
redis=$(command -v redis-check-rdb) && ln -s "$redis" bin/redis-server
PATH=$work/bin:$PATH
for program in redis-server redis-cli openssl nginx ss; do
  command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
unset COMPILE_CACHE_REMOTE COMPILE_CACHE_KEY http_proxy https_proxy all_proxy
chmod 755 "$work" # nginx has a user of its own
pids=
trap 'for pid in $pids; do kill -CONT $pid; kill $pid; wait $pid; done 2>/dev/null; clean_up; rm -rf "$work"' EXIT
clean_up() { :; }
sock="$work/r.sock"

# wait_until COMMAND…: until it succeeds, ten seconds at most.
wait_until() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 500 ] || { echo "FAILED: $* did not succeed"; exit 1; }
    sleep 0.02
  done
}
# start_redis OPTION…: listens on $sock; $redis is its process.
start_redis() {
  rm -f "$sock"
  redis-server --port 0 --unixsocket "$sock" --save '' --appendonly no --dir "$work" "$@" >"$work/redis.log" 2>&1 &
  redis=$!
  pids="$pids $redis"
  wait_until redis-cli -s "$sock" ${password:+-a "$password"} ping
}
stop_redis() {
  kill -CONT $redis
  kill -9 $redis
  wait $redis 2>/dev/null
}
ask_redis() { redis-cli -s "$sock" "$@" 2>/dev/null; }
# A port that nobody has, chosen by chance, for tests run side by side; nor has anybody that for a cluster's own talk.
free_port() {
  while :; do
    port=$((10000 + $(od -An -N2 -tu2 /dev/urandom) % 10000))
    ss -tan | grep -qE ":($port|$((port + 10000))) " || break
  done
  echo $port
}
make_key() { (umask 077 && printf 'kiln-key shared %s\n' "$(openssl rand -hex 32)" >"$1"); }
# A certificate of localhost, and who signed it: $1.crt, $1.key, $1-ca.crt.
make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=test CA $1" \
    -keyout "$1-ca.key" -out "$1-ca.crt" 2>/dev/null
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=localhost" -keyout "$1.key" \
    -out "$1.csr" 2>/dev/null
  echo "subjectAltName=DNS:localhost,IP:127.0.0.1" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA "$1-ca.crt" -CAkey "$1-ca.key" -CAcreateserial -days 2 -extfile "$1.ext" \
    -out "$1.crt" 2>/dev/null
}
# start_nginx LINES…: a server with these lines; $nginx is its process.
start_nginx() {
  mkdir -p nginx/store nginx/tmp
  chmod 777 nginx/store nginx/tmp
  {
    echo "daemon off; pid $work/nginx/pid; error_log $work/nginx/error.log; worker_processes 1;"
    [ "$(id -u)" != 0 ] || echo "user root;"
    echo "events { worker_connections 64; }"
    echo "http { access_log $work/nginx/access.log; client_body_temp_path $work/nginx/tmp; client_max_body_size 64m;"
    echo "proxy_temp_path $work/nginx/p; fastcgi_temp_path $work/nginx/f; uwsgi_temp_path $work/nginx/u;"
    echo "scgi_temp_path $work/nginx/s; server { $*"
    echo "location / { root $work/nginx/store; dav_methods PUT; create_full_put_path on; $location } } }"
  } >nginx/conf
  nginx -e "$work/nginx/error.log" -c "$work/nginx/conf" -p "$work/nginx" >/dev/null 2>&1 &
  nginx=$!
  pids="$pids $nginx"
  wait_until test -s nginx/pid
}

printf 'kernel void k(global int *p) { p[get_global_id(0)] = N; }\n' >k.cl
printf '#define H 3\n' >h.h
printf '#include "h.h"\nkernel void k(global int *p) { p[get_global_id(0)] = N + H; }\n' >inc.cl
make_key key
export COMPILE_CACHE_KEY="$work/key"
# run HOST N [FILE]: a process of that host; checks what it computed. COLD: it must compile; WARM: it must not.
# Where the limits of time are no subject, a loaded machine gets more of it.
limits="|connect=2000|read=5000"
run() {
  check 0 env COMPILE_CACHE_REMOTE="$COMPILE_CACHE_REMOTE$limits" COMPILE_CACHE_DIR="$work/$1" $kiln run "${3:-k.cl}" -v -b interp -g 2 -DN="$2" -p 0:i32 --time zero:i32:2
  n=$2
  [ "${3:-k.cl}" = k.cl ] || n=$(($2 + 3))
  out_has "0: $n $n"
}
cold() { run "$@"; out_has "cache miss"; }
warm() { run "$@"; out_has "cache hit"; err_lacks "remote"; }
err_lacks() {
  case $err in *"$1"*) complain "standard error holds: $1" ;; esac
}
# in_time SECONDS COMMAND…: ends within the time, and three seconds for a loaded machine.
in_time() {
  limit=$1
  shift
  start=$(date +%s%N)
  "$@"
  took=$((($(date +%s%N) - start) / 1000000))
  [ $took -le $((limit * 1000 + 3000)) ] || complain "took $took ms instead of $limit s"
}
