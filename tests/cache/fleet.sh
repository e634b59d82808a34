# A fleet with one cache, against real servers that fail in every way.
#   fleet.sh KILN FOLDER_OF_CLI_TESTS CACHE_FLEET CASE [ARGUMENT]...
. "$2/lib.sh"
. "$(dirname "$0")/fleet_lib.sh"
fleet=$3 case=$4
shift 4

case $case in
storm) # many hosts start at once: each kernel is compiled once
  start_redis
  place=unix:$sock
  # Hosts are network namespaces where they can be made, which needs more rights than those of root in a container.
  net=kiln$$- octet=$(($$ % 250))
  clean_up() {
    for host in 0 1 2 3 4 5 6 7; do ip netns del $net$host; done
    ip link del "br$$"
  } 2>/dev/null
  make_hosts() {
    ip link add "br$$" type bridge && ip addr add 10.213.$octet.1/24 dev "br$$" && ip link set "br$$" up || return 1
    for host in 0 1 2 3 4 5 6 7; do
      ip netns add $net$host && ip link add "v$host-$$" type veth peer name e netns $net$host &&
        ip link set "v$host-$$" master "br$$" up && ip -n $net$host addr add 10.213.$octet.1$host/24 dev e &&
        ip -n $net$host link set e up || return 1
    done
  } 2>why
  if make_hosts; then
    stop_redis
    start_redis --bind 10.213.$octet.1 --port 6379 --requirepass secret --protected-mode no
    place=redis://:secret@10.213.$octet.1
    export NETNS=$net
  else
    echo "hosts are folders, since they cannot have networks of their own here: $(cat why)"
  fi
  # The machine has fewer processors than processes: limits are no subject here.
  check 0 $fleet storm "$place|connect=5000|read=10000" "$work/key" "$work" "$@"
  cat stdout
  finish 1
  ;;
mutate)
  start_redis
  check 0 $fleet mutate "unix:$sock" "$work/key" "$1"
  cat stdout
  ask_redis flushall
  check 0 $fleet replay "unix:$sock" "$work/key"
  # The same with a key pair.
  ask_redis flushall
  check 0 $kiln cache key pair
  check 0 $fleet mutate "unix:$sock" "$work/pair" "$1"
  cat stdout
  finish 4
  ;;
time)
  start_redis
  check 0 $fleet time "unix:$sock" "$work/key" "$work"
  cat stdout
  finish 1
  ;;
tuning) # tuning records: found on a server, pushed and pulled
  start_redis
  web=$(free_port) location=
  start_nginx "listen 127.0.0.1:$web;"
  tuning=$(dirname "$fleet")/cache_tuning
  for place in "unix:$sock" "http://127.0.0.1:$web/plain" "http://127.0.0.1:$web/bazel|layout=bazel"; do
    check 0 "$tuning" remote "$place$limits" "$work/key"
  done
  for place in "unix:$sock|prefix=t" "http://127.0.0.1:$web/t" "http://127.0.0.1:$web/u|layout=bazel"; do
    check 0 "$tuning" transfer "$place$limits" "$work/key"
  done
  finish 6
  ;;
tools) # kiln cache push, pull, key, stats
  start_redis
  web=$(free_port) location=
  start_nginx "listen 127.0.0.1:$web;"
  redis_place=unix:$sock web_place=http://127.0.0.1:$web/kernels
  check 0 $kiln cache key pair
  out_has "pair.pub: for those who only read"
  check 3 $kiln cache key pair
  err_has "it exists"
  check 2 $kiln cache key
  err_has "FILE is missing"
  check 0 $kiln cache key --shared secret
  [ "$(stat -c %a pair)$(stat -c %a pair.pub)$(stat -c %a secret)" = 600644600 ] || complain "modes of keys"
  # What was compiled without a key is signed when it is sent.
  COMPILE_CACHE_KEY=
  for n in 1 2 3; do cold a $n inc.cl; done
  cold a 4
  COMPILE_CACHE_KEY="$work/pair"
  for place in "$redis_place" "$web_place"; do
    check 0 $kiln cache push --dir a "$place"
    out_has "7 files sent"
    check 0 env COMPILE_CACHE_REMOTE="$place" $kiln cache push --dir a --json
    out_has '"sent": 0'
    out_has '"present": 7'
    check 0 env COMPILE_CACHE_KEY="$work/pair.pub" $kiln cache pull --dir "b-${place%%:*}" "$place"
    out_has "4 files fetched"
    for n in 1 2 3; do
      check 0 env COMPILE_CACHE=require COMPILE_CACHE_DIR="$work/b-${place%%:*}" $kiln run inc.cl -b interp -g 2 -DN=$n \
        zero:i32:2
    done
    check 1 env COMPILE_CACHE_KEY="$work/secret" $kiln cache pull --dir c "$place"
    err_has "4 files were refused: it is signed with a key that is not in COMPILE_CACHE_KEY"
    check 1 env COMPILE_CACHE_KEY="$work/pair.pub" $kiln cache push --dir a "$place|prefix=other:"
    err_has "COMPILE_CACHE_KEY has no secret to sign it with"
  done
  # So it is when it is exported, by kiln cache and by kiln warm.
  check 0 env COMPILE_CACHE_KEY= COMPILE_RECORD="$work/record" COMPILE_CACHE_DIR="$work/a" $kiln run k.cl -b interp -g 2 \
    -DN=4 zero:i32:2
  check 0 $kiln cache export --dir a all.bundle
  check 0 env COMPILE_CACHE_DIR="$work/a" $kiln warm record --export warm.bundle
  out_has "1 cached"
  check 0 env COMPILE_CACHE_KEY= $kiln cache export --dir a plain.bundle
  for bundle in all warm plain; do
    want=0
    [ $bundle != plain ] || want=3
    check $want env COMPILE_CACHE_KEY="$work/pair.pub" COMPILE_CACHE=require COMPILE_CACHE_DIR="$work/none" \
      COMPILE_CACHE_PATH="$work/$bundle.bundle" $kiln run k.cl -b interp -g 2 -DN=4 zero:i32:2
  done
  check 1 $kiln cache import --dir f plain.bundle
  check 0 $kiln cache import --dir f all.bundle
  out_has "4 entries added"
  # Keys are exchanged: the old one is accepted as long as it stands in the file.
  cat secret pair.pub >both && chmod 600 both
  check 0 env COMPILE_CACHE_KEY="$work/both" $kiln cache pull --dir d "$redis_place"
  out_has "4 files fetched"
  # Wrong places and servers.
  check 2 $kiln cache push --dir a
  err_has "there is no remote"
  check 2 $kiln cache push --dir a nonsense
  err_has "is no place"
  check 2 $kiln cache push --dir a "$redis_place|ro"
  err_has "for reading only"
  check 3 $kiln cache pull --dir a redis://127.0.0.1:1
  err_has "it cannot be reached"
  check 3 env COMPILE_CACHE_KEY= $kiln cache pull --dir a "$redis_place"
  err_has "nothing says who made them"
  # Counters and metrics.
  COMPILE_CACHE_REMOTE=$redis_place
  warm e 4
  cold e 5
  check 0 $kiln cache stats --dir e --json
  out_has '"remote_hits_total": 1'
  out_has '"remote_misses_total": 1'
  check 0 $kiln cache stats --dir e --prometheus kiln.prom
  for line in "# TYPE kiln_cache_remote_hits_total counter" "kiln_cache_remote_hits_total 1" \
    "# TYPE kiln_cache_entries gauge" "kiln_cache_entries 2"; do
    grep -qxF "$line" kiln.prom || complain "kiln.prom lacks: $line"
  done
  [ -z "$(grep -vE '^# (HELP|TYPE) kiln_cache_[a-z_]+ .|^kiln_cache_[a-z_]+ [0-9]+([.][0-9]+)?$' kiln.prom)" ] ||
    complain "kiln.prom has other lines"
  ls kiln.prom.* 2>/dev/null && complain "a temporary file is left"
  finish 43
  ;;
leases)
  start_redis
  check 0 $fleet leases "unix:$sock" "$work/key"
  check 0 $fleet forks "unix:$sock" "$work/key"
  check 0 $fleet places 20000
  finish 3
  ;;
warm) # kiln warm fetches many programs in few exchanges
  start_redis
  export COMPILE_CACHE_REMOTE="unix:$sock$limits" COMPILE_BACKEND=interp
  for n in $(seq 1 50); do
    printf 'program\nfile: k.cl\noptions: -DN=%s\nend\nprogram\nfile: inc.cl\noptions: -DN=%s\nend\n' "$n" "$n"
  done | sed '1i kiln-manifest 1' >all.manifest
  check 0 env COMPILE_CACHE_DIR="$work/a" $kiln warm all.manifest
  out_has "100 compiled"
  ask_redis config resetstat >/dev/null
  check 0 env COMPILE_CACHE_DIR="$work/b" $kiln warm all.manifest
  out_has "100 cached"
  reads=$(ask_redis info stats | tr -d '\r' | sed -n 's/^total_reads_processed://p')
  [ "$reads" -le 20 ] || complain "100 programs cost $reads exchanges"
  check 0 $kiln cache stats --dir b
  out_has "remote_hits_total                               100"
  # Half of it is there; the rest is compiled and sent.
  ask_redis keys '*.kiln' | head -50 | while read -r key; do ask_redis del "$key"; done >/dev/null
  check 0 env COMPILE_CACHE_DIR="$work/c" $kiln warm all.manifest
  out_has "50 compiled, 50 cached"
  check 0 env COMPILE_CACHE_DIR="$work/d" COMPILE_CACHE=require $kiln warm all.manifest --export all.bundle
  out_has "100 cached"
  finish 5
  ;;
foreign) # a machine without a compiler takes what others have compiled
  $kiln compile k.cl -b cpu -DN=1 -o k.out 2>/dev/null || exit 77 # built without LLVM
  rm -rf cache
  start_redis
  web=$(free_port) location=
  start_nginx "listen 127.0.0.1:$web;"
  copy_library lone
  cp "${kiln%/*}"/lib/kiln-redis.so "${kiln%/*}"/lib/kiln-http.so "${kiln%/*}"/lib/kiln-sign.so lone/
  # lone HOST N [FILE]: what run does, on that machine.
  lone() {
    check 0 env LD_LIBRARY_PATH="$work/lone" COMPILE_CACHE_DIR="$work/$1" $kiln run "${3:-k.cl}" -v -b cpu -g 2 -DN="$2" -p 0:i32 zero:i32:2
    out_has "0: $((${3:+3} + $2)) $((${3:+3} + $2))"
  }
  for place in "unix:$sock" "http://127.0.0.1:$web/kernels" "http://127.0.0.1:$web/bazel|layout=bazel"; do
    export COMPILE_CACHE_REMOTE="$place$limits"
    rm -rf a b c
    check 0 env COMPILE_CACHE_DIR="$work/a" $kiln run k.cl -b cpu -g 2 -DN=1 zero:i32:2
    check 0 env COMPILE_CACHE_DIR="$work/a" $kiln run inc.cl -b cpu -g 2 -DN=1 zero:i32:2
    lone b 1
    lone b 1 inc.cl
    # It is on the disk now.
    COMPILE_CACHE_REMOTE=
    lone b 1
    lone b 1 inc.cl
    COMPILE_CACHE_REMOTE="$place$limits"
    check 3 env LD_LIBRARY_PATH="$work/lone" COMPILE_CACHE_DIR="$work/b" $kiln run k.cl -b cpu -g 2 -DN=2 zero:i32:2
    err_has "is in no cache, and backend 'cpu' cannot compile it here"
    # Pushed from a folder that no remote knew.
    check 0 env COMPILE_CACHE_REMOTE= COMPILE_CACHE_DIR="$work/c" $kiln run k.cl -b cpu -g 2 -DN=3 zero:i32:2
    check 0 $kiln cache push --dir c "$place"
    lone b 3
  done
  # For processors below, too.
  COMPILE_CACHE_REMOTE="unix:$sock$limits"
  check 0 env COMPILE_CACHE_DIR="$work/a" $kiln compile k.cl -b cpu -a x86-64-v2 -DN=5 -o k.out
  lone d 5
  err_has "x86-64-v2"
  COMPILE_CACHE_REMOTE=
  lone d 5
  # The list of toolchains is anybody's: what it leads to is signed, or not used.
  COMPILE_CACHE_REMOTE="unix:$sock$limits"
  tools=$(ask_redis keys '*.tools')
  [ -n "$tools" ] || complain "there is no list of toolchains"
  for key in $tools; do
    ask_redis get "$key" | grep -qE '^[0-9a-f]{32}$' || complain "$key is no list"
    { seq -f '%032.0f' 1 9; echo garbage; } | ask_redis -x set "$key" >/dev/null
  done
  ask_redis config resetstat >/dev/null
  check 3 env LD_LIBRARY_PATH="$work/lone" COMPILE_CACHE_DIR="$work/e" $kiln run k.cl -b cpu -a x86-64-v4 -g 2 -DN=1 zero:i32:2
  gets=$(ask_redis info commandstats | tr -d '\r' | sed -n 's/^cmdstat_get:calls=\([0-9]*\),.*/\1/p')
  [ "$gets" -le 36 ] || complain "four targets with nine toolchains each cost $gets gets"
  finish 34
  ;;
hostile)
  check 0 $fleet hostile "$work" "$work/key"
  # Modules are looked for beside the program, not beside what it is called.
  mkdir evil && echo garbage >evil/kiln-redis.so
  start_redis
  check 0 bash -c "exec -a '$work/evil/x' $fleet replay unix:$sock $work/key"
  finish 2
  ;;
redis)
  start_redis
  export COMPILE_CACHE_REMOTE="unix:$sock"
  cold a 1
  # A hit is one round trip: two values are asked for, and no lease.
  ask_redis config resetstat >/dev/null
  warm b 1
  calls=$(ask_redis info commandstats | tr -d '\r' | sed -n 's/^cmdstat_\([^:]*\):calls=\([0-9]*\),.*/\1=\2/p' | sort | tr '\n' ' ')
  [ "$calls" = "config|resetstat=1 get=2 " ] || complain "a hit costs: $calls"
  reads() { ask_redis info stats | tr -d '\r' | sed -n 's/^total_reads_processed://p'; }
  first=$(reads) second=$(reads)
  warm b2 1
  third=$(reads)
  [ $((third - second)) = $((2 * (second - first))) ] || complain "a hit is more than one exchange: $first $second $third"
  cold a 2 inc.cl
  warm b 2 inc.cl
  # It is on b's disk now; and there no library is loaded for it.
  ask_redis flushall >/dev/null
  check 0 env LD_DEBUG=files COMPILE_CACHE_DIR="$work/b" COMPILE_CACHE=require $kiln run k.cl -b interp -g 2 -DN=1 zero:i32:2
  for library in kiln-redis kiln-sign sodium libcrypto; do err_lacks $library; done
  # Restarted empty: compiled again, and sent again.
  stop_redis
  start_redis
  cold c 1
  warm d 1
  # ro reads only; require reads, too.
  COMPILE_CACHE_REMOTE="unix:$sock|ro"
  cold c 3
  COMPILE_CACHE_REMOTE="unix:$sock"
  cold d 3
  check 0 env COMPILE_CACHE=require COMPILE_CACHE_DIR="$work/e" $kiln run k.cl -b interp -g 2 -DN=3 zero:i32:2
  check 3 env COMPILE_CACHE=require COMPILE_CACHE_DIR="$work/e" $kiln run k.cl -b interp -g 2 -DN=99 zero:i32:2
  # Killed, then nobody is there: the first process finds out, the next leaves it alone.
  stop_redis
  in_time 2 cold a 4
  err_has "it cannot be reached"
  in_time 2 cold a 5
  err_lacks "it cannot be reached"
  # Paused.
  start_redis
  kill -STOP $redis
  usual=$limits limits=
  in_time 3 cold f 4
  err_has "it takes too long: no whole answer came in time"
  in_time 1 cold f 5
  err_lacks "takes too long"
  limits=$usual
  kill -CONT $redis
  # It answers again, and is asked again after the pause.
  sleep 1.1
  cold f 6
  warm g 6
  # Memory is full: what is there is read all the same.
  ask_redis config set maxmemory 1 >/dev/null
  limits=
  in_time 1 cold h 7
  [ $took -lt 4000 ] || complain "it waited for a lease that nobody has: $took ms"
  err_has "new kernels are not stored there: OOM"
  limits=$usual
  warm h 6
  ask_redis config set maxmemory 0 >/dev/null
  # Every value is another's bytes, or text.
  for key in $(ask_redis keys '*.kiln'); do ask_redis set "$key" garbage >/dev/null; done
  in_time 2 cold i 6
  err_has "is not used: it is too short"
  # Another key, no key, a key that everybody can read.
  warm j 6
  make_key other
  COMPILE_CACHE_KEY="$work/other"
  cold k 6
  err_has "it is signed with a key that is not in COMPILE_CACHE_KEY"
  COMPILE_CACHE_KEY=
  cold l 6
  err_has "nothing says who made them"
  COMPILE_CACHE_REMOTE="unix:$sock|unsigned|prefix=app:"
  cold l2 6
  warm l3 6
  [ -n "$(ask_redis keys 'app:{*}.kiln')" ] || complain "no name begins with the prefix"
  COMPILE_CACHE_REMOTE="unix:$sock"
  chmod 644 other
  COMPILE_CACHE_KEY="$work/other"
  cold m 6
  err_has "it holds a secret and everybody can read it"
  check 0 $kiln cache key open # the secret comes first, and is not the last key of the file
  cat other open.pub >both && chmod 644 both
  COMPILE_CACHE_KEY="$work/both"
  cold m2 6
  err_has "it holds a secret and everybody can read it"
  # Key files that are none.
  ask_redis flushall >/dev/null
  COMPILE_CACHE_KEY="$work/broken"
  digits=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde
  for line in "" "kiln-key" "kiln-key shared" "kiln-key shared ${digits}" "kiln-key shared ${digits}ff" \
    "kiln-key shared ${digits}g" "kiln-key shared +${digits#0}f" "kiln-key magic ${digits}f" "${digits}f"; do
    (umask 077 && echo "$line" >broken)
    cold o$checks 1
    err_has "COMPILE_CACHE_KEY: '$work/broken' cannot be used"
  done
  rm broken
  cold o 1
  err_has "No such file or directory"
  mkfifo broken
  in_time 1 cold o 2
  err_has "cannot be used"
  rm broken && cp key broken && chmod 602 broken
  cold o 3
  err_has "other users can write to it"
  rm broken
  [ "$(ask_redis dbsize)" = 0 ] || complain "something was stored without a key"
  COMPILE_CACHE_KEY="$work/key"
  # Modules that are not installed: it is told, and kernels are compiled.
  copy_library lone/lib
  mkdir lone/bin && cp "$kiln" lone/bin/kiln
  for case in "" "|unsigned"; do
    COMPILE_CACHE_REMOTE="unix:$sock$case"
    check 0 env LD_LIBRARY_PATH="$work/lone/lib" COMPILE_CACHE_DIR="$work/p" lone/bin/kiln run k.cl -v -b interp -g 2 \
      -DN="1$checks" -p 0:i32 zero:i32:2
    out_has "0: 1$((checks - 1))"
    err_has "is not installed beside libkiln"
  done
  COMPILE_CACHE_REMOTE="unix:$sock"
  # A list that cannot be read costs the remotes, not the kernels.
  for wrong in "nonsense" "redis://h|color=red" "redis://h:x" "redis://h|read=fast" "redis://h/db"; do
    COMPILE_CACHE_REMOTE=$wrong
    cold n$checks 1
    err_has "no remote is used, for COMPILE_CACHE_REMOTE cannot be read"
  done
  finish 48
  ;;
login) # user, password, TLS
  getent hosts localhost >/dev/null || { echo "skipped: localhost has no address here (/etc/hosts)"; exit 77; }
  make_certificate good
  make_certificate wrong
  tcp=$(free_port) tls=$(free_port) password=secret
  start_redis --requirepass secret --port "$tcp" --tls-port "$tls" --tls-cert-file good.crt --tls-key-file good.key \
    --tls-ca-cert-file good-ca.crt --tls-auth-clients no
  allowed="+select +get +set +exists +del +scan"
  # shellcheck disable=SC2086 # words
  for user in "kiln $allowed +eval" "other $allowed"; do
    redis-cli -s "$sock" -a secret acl setuser ${user%% *} on '>pass word' '~kiln:*' ${user#* } >/dev/null 2>&1
  done
  printf 'secret\n' >pass && chmod 600 pass
  export COMPILE_CACHE_REMOTE="redis://:secret@127.0.0.1:$tcp/2"
  cold a 1
  warm b 1
  COMPILE_CACHE_REMOTE="redis://127.0.0.1:$tcp/2|password-file=$work/pass"
  warm c 1
  COMPILE_CACHE_REMOTE="redis://kiln:pass%20word@127.0.0.1:$tcp/2"
  warm d 1
  cold d 2
  COMPILE_CACHE_REMOTE="redis://other:pass%20word@127.0.0.1:$tcp/2" # may not end a lease
  cold e 4
  err_lacks "remote"
  warm f 4
  COMPILE_CACHE_REMOTE="redis://kiln:wrong@127.0.0.1:$tcp/2"
  in_time 2 cold e 1
  err_has "WRONGPASS"
  err_lacks "kiln:wrong@"
  COMPILE_CACHE_REMOTE="redis://localhost:$tcp/2"
  in_time 2 cold f 1
  err_has "NOAUTH"
  COMPILE_CACHE_REMOTE="rediss://:secret@localhost:$tls/2|ca=$work/good-ca.crt"
  warm g 1
  cold g 3
  warm h 3
  COMPILE_CACHE_REMOTE="rediss://:secret@127.0.0.1:$tls/2|ca=$work/good-ca.crt"
  warm i 3
  COMPILE_CACHE_REMOTE="rediss://:secret@localhost:$tls/2|ca=$work/wrong-ca.crt"
  in_time 3 cold j 3
  err_has "TLS: "
  COMPILE_CACHE_REMOTE="rediss://:secret@127.0.0.2:$tls/2|ca=$work/good-ca.crt" # not what the certificate is for
  in_time 3 cold j2 3
  err_has "IP address mismatch"
  redis-cli -s "$sock" -a secret config set tls-auth-clients yes >/dev/null 2>&1
  COMPILE_CACHE_REMOTE="rediss://:secret@localhost:$tls/2|ca=$work/good-ca.crt"
  in_time 3 cold j3 3
  COMPILE_CACHE_REMOTE="$COMPILE_CACHE_REMOTE|cert=$work/good.crt|cert-key=$work/good.key"
  warm j4 3
  COMPILE_CACHE_REMOTE="rediss://:secret@localhost:$tcp/2|ca=$work/good-ca.crt" # no TLS there
  usual=$limits limits=
  in_time 3 cold k 3
  limits=$usual
  # The second one has it, the first one is down.
  COMPILE_CACHE_REMOTE="redis://127.0.0.1:1 redis://:secret@127.0.0.1:$tcp/2"
  run l 3
  out_has "cache hit"
  err_has "it cannot be reached"
  finish 19
  ;;
cluster)
  export REDISCLI_AUTH=secret
  for i in 0 1 2; do
    eval "p$i=$(free_port)"
    eval "port=\$p$i"
    mkdir n$i
    redis-server --port "$port" --cluster-enabled yes --cluster-node-timeout 2000 --dir "$work/n$i" --save '' \
      --requirepass secret --masterauth secret --appendonly no >n$i/log 2>&1 &
    pids="$pids $!"
    wait_until redis-cli -p "$port" ping
  done
  redis-cli --cluster create 127.0.0.1:$p0 127.0.0.1:$p1 127.0.0.1:$p2 --cluster-yes >/dev/null || exit 1
  wait_until sh -c "redis-cli -p $p0 cluster info | grep -q cluster_state:ok"
  wait_until sh -c "redis-cli -p $p2 cluster info | grep -q cluster_state:ok"
  export COMPILE_CACHE_REMOTE="redis://:secret@127.0.0.1:$p0|expire=1h"
  for n in 1 2 3 4 5 6; do cold a $n; done
  cold a 1 inc.cl
  COMPILE_CACHE_REMOTE="redis://:secret@127.0.0.1:$p1"
  for n in 1 2 3 4 5 6; do warm b $n; done
  warm b 1 inc.cl
  some=0
  for port in $p0 $p1 $p2; do
    [ "$(redis-cli -p "$port" dbsize)" = 0 ] || some=$((some + 1))
    for key in $(redis-cli -p "$port" keys '*.kiln'); do
      [ "$(redis-cli -p "$port" ttl "$key")" -gt 3000 ] || complain "$key does not expire"
    done
  done
  [ $some -gt 1 ] || complain "all values are on one node"
  # The slots of the first node are moving to the second: new values go there (ASK).
  id() { redis-cli -p "$1" cluster myid; }
  id0=$(id "$p0") id1=$(id "$p1")
  seq 0 5460 | sed "s/.*/cluster setslot & migrating $id1/" | redis-cli -p "$p0" | grep -v OK
  seq 0 5460 | sed "s/.*/cluster setslot & importing $id0/" | redis-cli -p "$p1" | grep -v OK
  old=$(redis-cli -p "$p0" dbsize)
  for n in 11 12 13 14 15 16; do cold a $n; done
  for n in 1 2 3 4 5 6 11 12 13 14 15 16; do warm c $n; done
  [ "$(redis-cli -p "$p0" dbsize)" = "$old" ] || complain "the first node got new values"
  # A node is lost, and with it its slots: kernels are compiled.
  redis-cli -p "$p2" shutdown nosave
  in_time 8 cold d 21
  in_time 8 cold d 22
  finish 34
  ;;
http)
  make_certificate good
  make_certificate wrong
  plain=$(free_port) tls=$(free_port)
  location='if ($http_authorization != "Bearer abc") { return 401; }'
  dav="root $work/nginx/store; dav_methods PUT; create_full_put_path on;"
  # bazel-remote takes these names and no others.
  bazel='location /bazel/ { return 400; } location ~ "^/bazel/ac/[0-9a-f]{64}$"'
  start_nginx "listen 127.0.0.1:$plain; listen 127.0.0.1:$tls ssl; listen 127.0.0.2:$tls ssl;
    ssl_certificate $work/good.crt; ssl_certificate_key $work/good.key; ssl_client_certificate $work/good-ca.crt;
    ssl_verify_client optional; $bazel { $dav }
    location /known/ { if (\$ssl_client_verify != SUCCESS) { return 403; } $dav }
    location /basic/ { if (\$http_authorization != 'Basic dXNlcjpwYXNzIHdvcmQ=') { return 401; } $dav }"
  printf 'abc\n' >token && printf 'Authorization: Bearer abc\n' >header && chmod 600 token header
  export COMPILE_CACHE_REMOTE="http://127.0.0.1:$plain/kernels|token-file=$work/token"
  cold a 1
  warm b 1
  cold a 2 inc.cl
  warm b 2 inc.cl
  COMPILE_CACHE_REMOTE="http://127.0.0.1:$plain/kernels/|header-file=$work/header"
  warm c 1
  COMPILE_CACHE_REMOTE="http://127.0.0.1:$plain/kernels"
  in_time 2 cold d 1
  err_has "it answers GET with status 401 (not allowed)"
  COMPILE_CACHE_REMOTE="https://localhost:$tls/kernels|token-file=$work/token|ca=$work/good-ca.crt"
  warm e 1
  COMPILE_CACHE_REMOTE="https://localhost:$tls/kernels|token-file=$work/token|ca=$work/wrong-ca.crt"
  in_time 3 cold f 1
  err_has "certificate"
  COMPILE_CACHE_REMOTE="https://127.0.0.2:$tls/kernels|token-file=$work/token|ca=$work/good-ca.crt"
  in_time 3 cold f2 3
  err_has "127.0.0.2"
  COMPILE_CACHE_REMOTE="https://localhost:$tls/known|ca=$work/good-ca.crt"
  in_time 3 cold g 1
  err_has "status 403"
  COMPILE_CACHE_REMOTE="$COMPILE_CACHE_REMOTE|cert=$work/good.crt|cert-key=$work/good.key"
  cold g2 1
  warm g3 1
  COMPILE_CACHE_REMOTE="http://user:pass%20word@127.0.0.1:$plain/basic"
  cold g4 1
  warm g5 1
  COMPILE_CACHE_REMOTE="http://127.0.0.1:$plain/bazel|layout=bazel"
  cold g6 1
  warm h 1
  check 0 $kiln cache push --dir a "$COMPILE_CACHE_REMOTE"
  out_has "2 files sent"
  check 0 $kiln cache pull --dir h2 "$COMPILE_CACHE_REMOTE"
  out_has "2 files fetched"
  # Values that were changed, cut, exchanged; a folder in the place of one.
  COMPILE_CACHE_REMOTE="http://127.0.0.1:$plain/kernels|token-file=$work/token"
  for file in nginx/store/kernels/*.kiln; do
    printf 'x' | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null
  done
  cold i 1
  err_has "its checksum is wrong"
  for file in nginx/store/kernels/*.kiln; do truncate -s 300 "$file"; done
  cold j 1
  err_has "it does not end like a cache file"
  # A disk that is full: nothing is stored, what is there is read.
  warm k 1
  mv nginx/tmp nginx/tmp2 && ln -s /dev/full nginx/tmp
  cold k 7
  rm nginx/tmp && mv nginx/tmp2 nginx/tmp
  # 1 KB a second.
  kill $nginx && wait $nginx
  rm -f nginx/pid
  location="$location limit_rate 1k;"
  start_nginx "listen 127.0.0.1:$plain;"
  limits="|read=300"
  in_time 4 cold l 1
  err_has "timed out"
  in_time 1 cold l 2
  err_lacks "timed out"
  # Paused; killed.
  sleep 1
  limits=
  for pid in $(cat /proc/$nginx/task/$nginx/children); do kill -STOP $pid; done
  in_time 4 cold m 1
  err_has "timed out"
  for pid in $(cat /proc/$nginx/task/$nginx/children); do kill -CONT $pid; done
  kill $nginx && wait $nginx
  in_time 2 cold n 1
  err_has "connect"
  finish 26
  ;;
*)
  echo "there is no case $case"
  exit 1
  ;;
esac
