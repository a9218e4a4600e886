#!/bin/sh
# Surveys every machine in a file (one [user@]host per line), 32 at a time, and fetches the
# records into room/. Needs GNU parallel on this machine, course on the others.
#
# usage: extras/course/scripts/room/survey_ssh.sh HOSTS [OPTION OF course survey ...]
set -eu
[ $# -gt 0 ] || { echo "usage: survey_ssh.sh HOSTS [OPTION OF course survey ...]" >&2; exit 2; }
command -v parallel >/dev/null || { echo "survey_ssh.sh: there is no GNU parallel; apt install parallel" >&2; exit 1; }
hosts=$1
shift
mkdir -p room
# ${SSH:-ssh} may contain options; the record comes back through the pipe.
grep -v '^[[:space:]]*\(#\|$\)' "$hosts" | parallel --jobs 32 --halt never --tag \
    "${SSH:-ssh} -o BatchMode=yes {} 'f=\$(mktemp) && ${COURSE:-course} survey --output \$f $* >&2 && cat \$f; rm -f \$f' > room/{= s/[^A-Za-z0-9_.@-]/-/g =}.json"
