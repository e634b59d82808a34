# The three deployments of docs/fleet.md, typed as they stand there, with other paths, ports and the name of the server.
#   fleet_docs.sh KILN FOLDER_OF_CLI_TESTS SOURCE
. "$2/lib.sh"
. "$(dirname "$0")/fleet_lib.sh"
page=$3/docs/fleet.md
unset COMPILE_CACHE_DIR COMPILE_CACHE_KEY
port=$(free_port) web=$(free_port)
mkdir -p etc www app
ln -s "$kiln" bin/kiln
export PATH COMPILE_BACKEND=interp
printf 'kernel void k(global int *p) { p[get_global_id(0)] = 7; }\n' >app.cl
printf 'kernel void k(global int *p) { p[get_global_id(0)] = 8; }\n' >newer.cl
(umask 077 && echo secret >etc/password)

# block NAME: the code after the mark.
block() {
  awk -v mark="<!-- typed: $1 -->" '$0 == mark { on = 1; next } on && /^```/ { if (code) exit; code = 1; next } on && code' \
    "$page" | sed -e "s|/etc/kiln|$work/etc|g" -e "s|/srv/www|$work/www|g" -e "s|/usr/share/app|$work/app|g" \
    -e "s|/tmp/newer|$work/newer|g" -e "s|cache.example:6379|127.0.0.1:$port|g" -e "s|--port 6379|--port $port|g" \
    -e "s|cache.example:8080|127.0.0.1:$web|g" -e "s|listen 8080|listen 127.0.0.1:$web|" >"$1.sh"
  [ -s "$1.sh" ] || complain "docs/fleet.md has no block '$1'"
}
# type_block NAME HOST: types it on a machine that knows nothing but what HOST has in its folder.
type_block() {
  block "$1"
  check "${3:-0}" env XDG_CACHE_HOME="$work/$2" sh -e "$1.sh"
}

# Redis.
type_block redis-server server
wait_until redis-cli -p "$port" -a secret ping
pids="$pids $(redis-cli -p "$port" -a secret info server 2>/dev/null | tr -d '\r' | sed -n 's/^process_id://p')"
type_block redis-key anywhere
type_block redis-client one
out_has "0: 7 7 7 7"
out_has "remote_stores_total                               1"
type_block redis-client two
out_has "remote_hits_total                                 1"
out_has "0: 7 7 7 7"
err_empty

# nginx.
rm etc/key
check 0 kiln cache key "$work/etc/key"
block nginx-conf
# What the page leaves to the system's configuration.
mkdir -p nginx/tmp && chmod 777 nginx/tmp www
{
  echo "daemon off; pid $work/nginx/pid; error_log $work/nginx/error.log; events {}"
  [ "$(id -u)" != 0 ] || echo "user root;"
  echo "http { access_log off; client_body_temp_path $work/nginx/tmp; proxy_temp_path $work/nginx/p;"
  echo "fastcgi_temp_path $work/nginx/f; uwsgi_temp_path $work/nginx/u; scgi_temp_path $work/nginx/s;"
  cat nginx-conf.sh
  echo "}"
} >nginx/conf
nginx -e "$work/nginx/error.log" -c "$work/nginx/conf" -p "$work/nginx" >/dev/null 2>&1 &
pids="$pids $!"
wait_until test -s nginx/pid
type_block nginx-ci ci
out_has "1 files sent"
type_block nginx-client node
out_has "0: 7 7 7 7"
err_empty
check 0 env XDG_CACHE_HOME="$work/node" kiln cache stats
out_has "remote_hits_total                                 1"
check 0 env XDG_CACHE_HOME="$work/puller" COMPILE_CACHE_KEY="$work/etc/key.pub" kiln cache pull "http://127.0.0.1:$web/kernels"
out_has "1 files fetched"
check 0 env XDG_CACHE_HOME="$work/puller" COMPILE_CACHE=require kiln run app.cl -g 4 zero:i32:4

# A layer and a bundle.
type_block image-build builder
out_has "1 entries"
type_block image-run node2
out_has "0: 8 8 8 8"
# Without signatures neither counts; nor with those of somebody else.
rm -r app newer
COMPILE_CACHE_KEY='' check 0 sh -c 'sed s/COMPILE_CACHE_KEY=.*/COMPILE_CACHE_KEY=/ image-build.sh >plain.sh; sh -e plain.sh'
type_block image-run node3 3
rm -r app newer etc/key.pub
type_block image-build builder2
check 0 kiln cache key "$work/etc/other"
mv etc/other.pub etc/key.pub
type_block image-run node4 3
finish 17
