#!/bin/sh
# Look once at the log of each operator, at all of them at the same time: docs/regulator.md.
#   regulator.sh FOLDER [PROGRAM]    FOLDER/OPERATOR/policy says whom to believe, and where the log is
# PROGRAM is run if there is news of an operator: its name is the argument, the news is on the input.
# Status: 0 if there is no news, 1 if there is, 2 if FOLDER has no operator.
set -u
cd "${1:?a folder with a folder for each operator}" && set -- "${2:-true}" ./*/policy && [ -e "$2" ] || exit 2
now=$(date -u +%Y-%m-%dT%H:%M:%SZ) looks='' news=0

word() { # only 0 is good, and only 3 is bad
    case $1 in 0) echo held ;; 3) echo ALARM ;; 4 | 124 | 137) echo unreadable ;; 5) echo improbable ;;
    6) echo unknown ;; 130 | 143) echo interrupted ;; *) echo "no-verdict-$1" ;; esac
}

look() { # at the log of this folder's operator; fails if there is news
    log=$(sed -n 's/^log[[:blank:]]\{1,\}[^[:blank:]]\{1,\}[[:blank:]]\{1,\}//p' policy | head -n 1)
    timeout -k 10 "${LIMIT:-900}" foredraw-verify watch "${log:-http://}" --once --json --state state --policy policy >look 2>errors
    status=$?
    case $status in 0 | 3 | 6) echo "$now" >as-of ;; esac
    if [ $status = 0 ] && [ -z "$(find report.html -mtime "-${DAYS:-7}" 2>/dev/null)" ]; then
        timeout -k 10 "${LIMIT:-900}" foredraw-verify stats "$log" --json -o report.html --policy policy >report.json 2>>errors
        word $? >statistics
    fi
    alarms=$(sed -n 's/.*"alarm": true.*"what": "\([a-z-]*\)".*/\1/p' look | sort -u | paste -s -d , -)
    size=$(sed -n 's/.*"size": \([0-9]*\).*/\1/p' look | tail -n 1)
    said="$(word $status) $(cat statistics 2>/dev/null || echo none) ${alarms:--}"
    echo "${PWD##*/} ${size:-0} $(cat as-of 2>/dev/null || echo never) $said" >line
    [ "$said" != "$(cat said 2>/dev/null || echo 'held held -')" ] || return 0
    mkdir -p news && cat line look errors >"news/$now" && timeout -k 10 60 "$1" "${PWD##*/}" <"news/$now"
    echo "$said" >said && return 1
}

for policy in ./*/policy; do
    (cd "${policy%/policy}" && look "$1") & looks="$looks $!"
done
for each in $looks; do wait "$each" || news=1; done
{ echo 'operator records as-of log statistics alarms' && cat ./*/line; } | column -t | tee table
exit $news
