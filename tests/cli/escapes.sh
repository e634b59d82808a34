# Control characters in sources, options, names and manifests reach no terminal: they are shown as \xHH, in JSON as \uHHHH.
#   escapes.sh KILN FOLDER
. "$2/lib.sh"
# What a terminal might obey: ESC and BEL, CSI as one character of UTF-8, DEL, a lone CR, a mark that turns the direction,
# a byte that is not UTF-8.
evil=$(printf '\033]0;owned\007 \302\233 \177 \rx \342\200\256 \377')
harmless() {
  for file in stdout stderr; do
    if LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xff' $file; then
      complain "$file has a control character: $(od -An -c $file | head -20)"
    fi
  done
}
shown='\x1b]0;owned\x07 \xc2\x9b \x7f \x0dx \u202e \xff'
printf 'kernel void f(global int *o) { o[0] = 1; } // %s\n' "$evil" >k.cl
check 0 "$kiln" compile k.cl -b interp -D "TEXT=\"$evil\"" -o k.out
harmless
check 0 "$kiln" cache list
harmless
key=${out%% *}
check 0 "$kiln" cache show "$key"
harmless
out_has "// $shown"
out_has "DTEXT="
check 0 "$kiln" cache show "$key" --json
harmless
out_has '\u001b]0;owned\u0007 \u009b \u007f \u000dx'
check 0 "$kiln" cache explain k.cl -b interp
harmless
check 0 "$kiln" cache explain k.cl -b interp --json
harmless
# Messages about sources quote them.
printf 'kernel void f(global int *o) { o[0] = wrong; } // %s\n' "$evil" >bad.cl
check 1 "$kiln" compile bad.cl -b interp -o k.out
harmless
err_has "// <1B>]0;owned<07>" # as clang shows them
printf 'kernel void f(global int *o) { o[0] = 1 %s; }\n' "$evil" >bad.cl
check 1 "$kiln" compile bad.cl -b interp -o k.out
harmless
# Names of files and arguments.
check 1 "$kiln" compile "none$evil.cl" -b interp -o k.out
harmless
check 2 "$kiln" cache "verb$evil"
harmless
check 2 "$kiln" run k.cl -b interp -g 1 "arg$evil"
harmless
check 2 "$kiln" compile k.cl -b "backend$evil"
harmless
cp k.cl "k$evil.cl"
check 0 "$kiln" run "k$evil.cl" -v -b interp -g 1 zero:i32:1
harmless
check 0 "$kiln" cache stat --dir "folder$evil"
harmless
check 0 "$kiln" cache export "all$evil.bundle"
harmless
check 0 "$kiln" cache list --dir "all$evil.bundle" --json
harmless
# A manifest names programs; the log of the library goes to a terminal, too.
printf 'kiln-manifest 1\nprogram\nname: n%s\nkind: opencl-c\nsource:\n|kernel void f(%s) {}\nend\n' "$evil" "$evil" >all.manifest
check 1 "$kiln" warm all.manifest -b interp
harmless
check 0 env COMPILE_LOG=debug COMPILE_CACHE_PATH="layer$evil" "$kiln" run "k$evil.cl" -b interp -g 1 zero:i32:1
harmless
check 3 "$kiln" cache pull "redis://127.0.0.1:1/0|unsigned|prefix=$(printf '\033[31m')"
harmless
finish 19
