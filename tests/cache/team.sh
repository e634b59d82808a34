# Caches that a team shares: by user, by group, and what stays refused. Needs root, to be several users.
#   team.sh KILN FOLDER_OF_CLI_TESTS
export TMPDIR=/tmp # which every user can reach, as not every build folder
. "$2/lib.sh"
[ "$(id -u)" = 0 ] || { echo "skipped: only root can be several users"; exit 77; }
command -v setpriv >/dev/null || { echo "skipped: setpriv is not installed"; exit 77; }
umask 022
chmod 755 "$work"
mkdir bin && cp "$kiln" bin/kiln
copy_library lib
kiln=$work/bin/kiln
export LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
printf 'kernel void k(global int *p) { p[get_global_id(0)] = N; }\n' >k.cl
team=4300

# as USER GROUP COMMAND…
as() {
  user=$1 group=$2
  shift 2
  env HOME=/nowhere setpriv --reuid "$user" --regid "$user" --groups "$group" "$@"
}
if ! setpriv --reuid 4201 --regid 4201 --clear-groups true; then
  echo "skipped: root may not become another user here"
  exit 77
fi
check 0 as 4201 4201 $kiln env
run="$kiln run k.cl -v -b interp -g 2 -p 0:i32 zero:i32:2"
hit="env COMPILE_CACHE=require $run"

# A folder for the team: files and folders that its members make are the team's.
mkdir team && chgrp $team team && chmod 2770 team
export COMPILE_CACHE_DIR="$work/team"
check 0 as 4201 $team $run -DN=1
err_has "other users can write to it"
[ -z "$(ls team)" ] || complain "an untrusted folder was written to"
export COMPILE_TRUST=group:$team
check 0 as 4201 $team $run -DN=1
err_empty
check 0 as 4202 $team $hit -DN=1
err_empty
check 0 as 4202 $team $run -DN=2
err_empty
check 0 as 4201 $team $hit -DN=2
wrong=$(find team ! -group $team -o -perm /007)
[ -z "$wrong" ] || complain "not the team's alone: $wrong"
wrong=$(find team -mindepth 1 -type d ! -perm 2770)
[ -z "$wrong" ] || complain "folders that others of the team cannot write to: $wrong"
check 0 as 4202 $team $kiln cache verify
check 0 as 4202 $team $kiln cache clear
check 0 as 4201 $team $run -DN=1
err_empty

# Who is no member reads nothing; who does not trust the group takes nothing.
check 3 as 4203 4203 $hit -DN=1
check 3 as 4201 $team env -u COMPILE_TRUST $hit -DN=1
check 3 as 4201 $team env COMPILE_TRUST=group:4301 $hit -DN=1

# What everybody can write to is nobody's.
chmod o+w team
check 3 as 4202 $team $hit -DN=1
chmod o-w team
entry=$(find team -name '*.kiln')
chmod o+w "$entry"
check 3 as 4202 $team $hit -DN=1
chmod o-w "$entry"
check 0 as 4202 $team $hit -DN=1

# A layer of somebody who is named.
mkdir layer && chown 4201 layer
check 0 as 4201 4201 env COMPILE_CACHE_DIR="$work/layer" $run -DN=5
chmod -R go+rX layer
export COMPILE_CACHE_DIR="$work/none" COMPILE_CACHE_PATH="$work/layer"
check 3 as 4202 4202 $hit -DN=5
check 3 as 4202 4202 env COMPILE_TRUST=user:4203 $hit -DN=5
check 0 as 4202 4202 env COMPILE_TRUST=user:4203,user:4201 $hit -DN=5
check 0 as 4201 4201 env COMPILE_CACHE_DIR="$work/layer" $kiln cache export "$work/layer/all.bundle"
chmod 644 layer/all.bundle
export COMPILE_CACHE_PATH="$work/layer/all.bundle"
check 3 as 4202 4202 $hit -DN=5
check 0 as 4202 4202 env COMPILE_TRUST=user:4201 $hit -DN=5

# A wrong value is told.
check 2 env COMPILE_TRUST=somebody $run -DN=1
err_has "COMPILE_TRUST is 'somebody': 'somebody' is neither user:NAME nor group:NAME"
check 2 env COMPILE_TRUST=user:no-such-user $run -DN=1
err_has "there is no user 'no-such-user'"
finish 24
