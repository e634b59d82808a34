# COMPILE_TRACE and kiln run --trace: a file of events that is JSON whatever happens to the process.
. "$2/lib.sh"
k="$dir/kernels.cl"
saxpy="$kiln run $k -k saxpy -b interp -g 8"
args="i32=8 f32=2.5 iota:f32:8 fill:f32:8:1"

# events FILE EXPRESSION: what Python says of the list e of events.
events() {
  check 0 python3 -c "
import json, sys
e = json.load(open('$1'))
spans = [x for x in e if x['ph'] == 'X']
names = lambda category: [x['name'] for x in spans if x['cat'] == category]
tracks = {x['tid']: x['args']['name'] for x in e if x['name'] == 'thread_name'}
print($2)"
}

check 0 $saxpy --trace t.json --repeat 3 -p 3:f32:2 $args
out_is "3: 1 8.5"
err_empty
events t.json "names('kernel'), names('copy')"
out_is "['saxpy', 'saxpy', 'saxpy', 'saxpy', 'saxpy', 'saxpy'] ['write', 'write', 'write', 'write', 'read', 'read']"
events t.json "sorted({x['args']['global'][0] for x in spans if x['cat'] == 'kernel'}), sorted({x['args']['bytes'] for x in spans if x['cat'] == 'copy'})"
out_is "[8] [32]"
events t.json "names('compile'), names('cache'), sorted(set(names('wait')))"
out_is "['front end and passes', 'backend', 'program', 'load'] ['cache: miss'] ['kiln_stream_finish']"
events t.json "[x['name'] for x in e if x['ph'] == 'i'], sum('stream' in name for name in tracks.values())"
out_is "['cache: stored'] 1"
# Each command is on a thread and on its stream, and ran after it was enqueued; a span is within its program's.
events t.json "all(sum(a['args']['command'] == b['args']['command'] for b in spans if 'command' in b.get('args', {})) == 2 for a in spans if a['cat'] in ('kernel', 'copy'))"
out_is True
events t.json "[y['ts'] <= x['ts'] and x['ts'] + x['dur'] <= y['ts'] + y['dur'] for y in spans if y['name'] == 'program' for x in spans if x['name'] in ('backend', 'front end and passes')]"
out_is "[True, True]"

# kiln run replaces the file; the variable adds to it.
check 0 $saxpy --trace t.json $args
events t.json "names('cache'), names('kernel')"
out_is "['cache: hit'] ['saxpy', 'saxpy']"
check 0 env COMPILE_TRACE=t.json $saxpy $args
check 0 env COMPILE_TRACE=t.json $saxpy $args
events t.json "len(names('kernel')), len({x['pid'] for x in spans})"
out_is "6 3"

# Names that JSON has no form for, and a compile that fails.
printf 'kernel void k(global int *p) { *p = 1; }\n' >"a\"b\\\\$(printf '\001\377').cl"
check 0 $kiln run a*.cl -b interp -g 1 --trace n.json zero:i32:1
events n.json "[ascii(x['args']['name'][:3]) for x in spans if x['name'] == 'program']"
out_is "['\\'a\"b\\'']"
echo 'kernel void k() { x; }' >bad.cl
check 1 $kiln run bad.cl -b interp -g 1 --trace b.json
events b.json "[(x['name'], x['args'].get('reason')) for x in e if x['name'] == 'cache: failed']"
out_is "[('cache: failed', 'compile error')]"

# A process that ends in the middle, and one that was stopped while it wrote.
printf 'kernel void k(global volatile int *p) { while (p[0] == 0) ; }\n' >forever.cl
check 137 timeout -s KILL 1 $kiln run forever.cl -b interp -g 1 --trace f.json zero:i32:1
events f.json "'program' in names('compile')"
out_is True
head -c 700 t.json >cut.json
check 0 env COMPILE_TRACE=cut.json $saxpy $args
events cut.json "names('kernel')[-2:]"
out_is "['saxpy', 'saxpy']"

# What is no trace stays as it is; what cannot be written is an error.
echo '{"mine": 1}' >mine.json
check 3 env COMPILE_TRACE=mine.json $saxpy $args
err_has "COMPILE_TRACE: the trace 'mine.json' cannot be written: it is there and no trace"
check 0 cat mine.json
out_is '{"mine": 1}'
check 3 $saxpy --trace nowhere/t.json $args
err_has "nowhere/t.json"
ln -s t.json link.json
check 3 env COMPILE_TRACE=link.json $saxpy $args
err_has "COMPILE_TRACE: the trace 'link.json' cannot be written"
if [ -w /dev/full ]; then
  check 3 env COMPILE_TRACE=/dev/full $saxpy $args
  err_has "cannot be written"
else
  checks=$((checks + 1))
fi
finish 25
