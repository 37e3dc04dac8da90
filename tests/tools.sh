#!/bin/sh
# Other people's programs that the tests need: Go with its checksum database's code and OpenSSL read our log, Node and
# headless Chromium run the verifier of the pages, three families of fonts show the pages as different desktops do, and
# nginx and Caddy are put in front of the service with the configurations of deploy/. npm installs what tests/npm locks.
# OpenSSH's agent holds the key of a witness. promtool (of prometheus) and systemd-analyze (of systemd) read the alerts
# and units of deploy/. docker-compose reads the containers of deploy/, and starts none. PostgreSQL has the state of
# services, and sqlite3 takes out of a damaged file what can be read. shellcheck reads our scripts. iproute2's ip makes networks whose cables tests unplug.
# With the argument `nightly` also what only the tests of the night need: Firefox and WebKit, with a screen to draw on, and
# debootstrap, which makes the fresh machines that a release is installed on.
# Whatever is missing is installed from Debian's packages. What cannot be installed is an error, never a skipped test.
set -eu

packages='golang-go golang-golang-x-mod-dev openssl nodejs chromium-headless-shell fonts-dejavu-core fonts-noto-core fonts-liberation nginx-light caddy openssh-client postgresql prometheus systemd iproute2 docker-compose sqlite3 shellcheck'
nightly='firefox-esr webkit2gtk-driver xvfb gnumeric pgbouncer debootstrap'
# A Node that is not Debian's brings its own npm, and conflicts with Debian's.
command -v npm >/dev/null || packages="$packages npm"
test "${1-}" != nightly || packages="$packages $nightly"

present_in_the_night() {
    command -v firefox-esr >/dev/null && command -v WebKitWebDriver >/dev/null && command -v Xvfb >/dev/null && command -v ssconvert >/dev/null &&
        test -x /usr/sbin/pgbouncer && test -x /usr/sbin/debootstrap
}

present() {
    for program in go openssl node npm chromium-headless-shell caddy ssh-agent promtool systemd-analyze docker-compose sqlite3 shellcheck; do
        command -v $program >/dev/null || return 1
    done
    # Debian installs it in a folder that is only in root's PATH.
    test -x /usr/sbin/nginx && test -x /usr/sbin/ip &&
        ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 &&
        test -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf &&
        test -e /usr/share/fonts/truetype/noto/NotoSans-Regular.ttf &&
        test -e /usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf &&
        GO111MODULE=off GOPATH=/usr/share/gocode GOFLAGS= go list golang.org/x/mod/sumdb/tlog >/dev/null 2>&1
}

fail() {
    echo "tests/tools.sh: $1. The tests need these packages of Debian: $packages" >&2
    exit 1
}

install() {
    $1 apt-get update -qq && $1 env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq --no-install-recommends -o DPkg::Lock::Timeout=120 $packages
}

# The tests start their own servers. Debian's packages would start a web server on port 80 now and at each boot, and a
# PostgreSQL with a cluster of its own; a server that was installed before is not changed.
install_without_services() {
    cluster=/etc/postgresql-common/createcluster.conf
    if ! test -e $cluster; then
        $1 mkdir -p ${cluster%/*}
        echo 'create_main_cluster = false' | $1 tee $cluster >/dev/null
    fi
    services=
    if test -d /run/systemd/system; then
        test -x /usr/sbin/nginx || services="$services nginx.service"
        command -v caddy >/dev/null || services="$services caddy.service"
        command -v promtool >/dev/null || services="$services prometheus.service"
    fi
    if [ -z "$services" ]; then install "$1"; return; fi
    $1 systemctl mask --runtime $services && install "$1" && $1 systemctl unmask --runtime $services &&
        $1 systemctl disable $services
}

all_present() {
    present && { test "${1-}" != nightly || present_in_the_night; }
}

if all_present "$@"; then exit 0; fi
command -v apt-get >/dev/null || fail 'there is no apt-get to install with'
root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail 'to install needs root or sudo'
    root=sudo
fi
echo "Installing $packages (the first time, this takes a minute)…"
output=$(install_without_services "$root" 2>&1) || { echo "$output" >&2; fail 'apt-get could not install them'; }
all_present "$@" || fail 'they are installed, but a program is missing, or go does not find golang.org/x/mod/sumdb/tlog'
