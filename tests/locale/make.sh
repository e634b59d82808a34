#!/bin/sh
# Makes the locales of these tests: make.sh FOLDER
set -eu
mkdir -p "$1"
make_locale() { # NAME SOURCE CHARSET
  [ -d "$1" ] || localedef --no-archive -i "$2" -f "$3" "./$1"
}
cd "$1"
make_locale de_DE.UTF-8 de_DE UTF-8
make_locale tr_TR.ISO-8859-9 tr_TR ISO-8859-9
