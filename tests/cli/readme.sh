# The commands of README's section on the command, as they are typed in the source tree.
#   readme.sh KILN FOLDER SOURCE
. "$2/lib.sh"
sed -n '/^## The command/,/^## /s/^build\/kiln //p' "$3/README.md" | sed 's/ *#.*//' >commands
cd "$3" || exit 1
while read -r words; do
  # shellcheck disable=SC2086 # words of a command
  check 0 $kiln $words </dev/null
  [ -n "$out" ] || complain "it prints nothing"
done <"$work/commands"
finish 4
