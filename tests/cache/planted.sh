# What others have planted where Kiln writes, and places of others that it would take code from.
#   planted.sh KILN FOLDER_OF_CLI_TESTS FOLDER_OF_PLUGINS
plugins=$3
. "$2/lib.sh"
printf 'kernel void k(global int *p) { p[get_global_id(0)] = N; }\n' >k.cl
run="$kiln run k.cl -b interp -g 2 -p 0:i32 zero:i32:2"
echo precious >precious
spared() {
  [ "$(cat precious)" = precious ] || complain "$1: a file elsewhere was written to"
  echo precious >precious
}
mode_is() {
  [ "$(stat -c %a "$2")" = "$1" ] || complain "$2 has mode $(stat -c %a "$2") instead of $1"
}
umask 022

# Dumps take the place of links, and are nobody else's to read.
check 0 env COMPILE_DUMP_DIR=dump $run -DN=1
for file in dump/*; do
  ln -sf "$work/precious" "$file"
done
check 0 env COMPILE_DUMP_DIR=dump $run -DN=1
spared "a dump through a link"
for file in dump/*; do
  [ ! -L "$file" ] || complain "$file is still a link"
  mode_is 600 "$file"
done

# Records are added to files of our own alone.
check 0 env COMPILE_RECORD="$work/new" $run -DN=1
mode_is 600 new
grep -q '^program' new || complain "nothing is recorded"
ln -s precious link
check 0 env COMPILE_RECORD="$work/link" $run -v -DN=2
err_has "'$work/link' cannot be written: it is a symbolic link"
spared "a record through a link"
ln precious second
check 0 env COMPILE_RECORD="$work/second" $run -v -DN=3
err_has "'$work/second' cannot be written: it is no file of this user with one name"
spared "a record through a second name"
mkfifo pipe
check 0 timeout 60 env COMPILE_RECORD="$work/pipe" $run -v -DN=4
err_has "'$work/pipe' cannot be written"
out_is "0: 4 4"

# A bundle is written beside its name and then renamed.
check 0 env COMPILE_CACHE_DIR="$work/cache" $run -DN=1
ln -s precious out.bundle
check 0 $kiln cache export out.bundle
spared "a bundle through a link"

# Overrides that somebody else could have written.
check 0 env COMPILE_OVERRIDE_DIR=dump $run -DN=1
out_is "0: 1 1"
chmod 777 dump
check 2 env COMPILE_OVERRIDE_DIR=dump $run -DN=1
err_has "is not used (COMPILE_TRUST names whom to trust): other users can write to it"
chmod 755 dump
chmod 666 dump/*.kir
check 2 env COMPILE_OVERRIDE_DIR=dump $run -DN=1
err_has "is not used (COMPILE_TRUST names whom to trust): other users can write to it"

# Plugins that somebody else could have written.
mkdir plugins
cp "$plugins/passthrough.so" "$plugins/passthrough.backend" plugins/
check 0 env COMPILE_PLUGIN_PATH=plugins $kiln targets -b passthrough
chmod 777 plugins
check 2 env COMPILE_PLUGIN_PATH=plugins $kiln targets -b passthrough
err_has "plugins/passthrough.so is not loaded (COMPILE_TRUST names whom to trust): other users can write to it"
chmod 755 plugins
chmod 777 plugins/passthrough.so
check 2 env COMPILE_PLUGIN_PATH="$work/plugins" $kiln targets -b passthrough
err_has "plugins/passthrough.so is not loaded (COMPILE_TRUST names whom to trust): other users can write to it"
mkdir open && chmod 777 open && cp -r plugins open/plugins && chmod 755 open/plugins/passthrough.so
check 2 env COMPILE_PLUGIN_PATH="$work/open/plugins" $kiln targets -b passthrough
err_has "plugins/passthrough.so is not loaded (COMPILE_TRUST names whom to trust): everybody can write to a folder above it"
checked=15

if [ "$(id -u)" = 0 ]; then
  chown 4242:4242 plugins/passthrough.so && chmod 755 plugins/passthrough.so
  check 2 env COMPILE_PLUGIN_PATH=plugins $kiln targets -b passthrough
  err_has "plugins/passthrough.so is not loaded (COMPILE_TRUST names whom to trust): it belongs to another user"
  check 0 env COMPILE_PLUGIN_PATH=plugins COMPILE_TRUST=user:4242 $kiln targets -b passthrough
  check 0 env COMPILE_PLUGIN_PATH=plugins COMPILE_TRUST=group:4242 $kiln targets -b passthrough
  checked=$((checked + 3))
fi
finish $checked
