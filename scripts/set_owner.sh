#!/bin/sh
# Replaces OWNER/pprofc and <this repository> in all files by the owner and the address of the project. Run the script once, in a clone,
# before you publish the project:
#
#   scripts/set_owner.sh NAME                  NAME/pprofc on GitHub
#   scripts/set_owner.sh NAME https://HOST/... NAME/pprofc is the action, and the URL is the repository
#
# The script commits nothing: git diff shows the changes. Then build the programs again.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

case ${1:-} in
  '' | -*)
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
    exit 1
    ;;
  *[!A-Za-z0-9-]*) die "'$1' is not the name of an owner: letters, digits and '-'" ;;
esac
[ $# -le 2 ] || die "there are more than two arguments"
url=${2:-https://github.com/$1/pprofc}
case $url in
  *[!A-Za-z0-9._~:/@%+-]*) die "'$url' is not an address" ;;
  https://*) ;;
  *) die "'$url' is not an address with https" ;;
esac

placeholders='OWNER/pprofc|<this repository>'
files=$(git grep -lE -e "$placeholders" -- . ':!scripts/set_owner.sh' ':!tests/install/packages.sh') || die "no file has a placeholder: the owner is set"
# shellcheck disable=SC2086 # names without blanks
sed -i -e "s|https://github\.com/OWNER/pprofc|$url|g; s|OWNER/pprofc|$1/pprofc|g; s|<this repository>|$url|g" $files
say "set the owner to $1 and the repository to $url in $(echo "$files" | wc -l) files"
