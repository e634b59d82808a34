# For scripts that compile the cases of tests/exec.
# Sets options to the build options of a line "// run:": -D, -I, --options and what comes behind them.
read_options() {
  options=()
  set -f
  local words=(${1#// run:}) i
  set +f
  for ((i = 0; i < ${#words[@]}; i++)); do
    case ${words[i]} in
    -D | -I) options+=("${words[i]}" "${words[i + 1]}") ;;
    -D* | -I* | --options=*) options+=("${words[i]}") ;;
    -cl-*) options+=(--options "${words[i]}") ;;
    esac
  done
}
