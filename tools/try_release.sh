#!/usr/bin/env bash
# Runs a command in a bare Debian, as somebody would who has just cloned the last commit there, and times it:
#
#   tools/try_release.sh                       ./demo.sh in the current stable release
#   tools/try_release.sh sid ./test.sh         any release, any command
#
# Needs root, for debootstrap and chroot, and the network. Exits with 77 where such a system cannot be made here. It
# stays in build/releases/ with the packages that the command installed; take it away to begin with none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

release=${1:-stable}
shift || true
(($#)) || set -- ./demo.sh
root=$PWD/build/releases/$release

skip() { echo "SKIPPED: $*" >&2; exit 77; }
((EUID == 0)) || skip "debootstrap and chroot need root"
command -v debootstrap >/dev/null || skip "there is no debootstrap here"

# In a namespace of its own: what is mounted there is gone with the command, however that ends.
mounted() {
  unshare --mount bash -c '
    cd "$0" && mount --bind /dev dev && mount --bind /dev/pts dev/pts && mount -t proc proc proc && exec "$@"
  ' "$root" "$@"
}

if [[ ! -e $root ]]; then
  mkdir -p "${root%/*}"
  debootstrap --variant=minbase --include=ca-certificates "$release" "$root.part" >"$root.log" 2>&1 ||
    skip "no $release could be fetched ($root.log)"
  mv "$root.part" "$root"
fi
mounted true 2>/dev/null || skip "nothing may be mounted here"

cp /etc/resolv.conf "$root/etc/"
rm -rf "$root/root/kleene"
mkdir -p "$root/root/kleene"
git rev-parse --quiet --verify HEAD >/dev/null || skip "this is no clone: there is no last commit to try"
git archive HEAD | tar x -C "$root/root/kleene"

# What the machine needs to reach the network: proxies, and certificates of its own.
outside=()
while IFS= read -r variable; do outside+=("$variable"); done < <(env | grep -iE '^(https?|no)_proxy=' || true)
if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
  cat /etc/ssl/certs/ca-certificates.crt >"$root/root/certificates"
  outside+=(PIP_CERT=/root/certificates SSL_CERT_FILE=/root/certificates)
fi

outside+=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
inside() { mounted chroot "$root" env -i "${outside[@]}" bash -c 'cd /root/kleene && exec "$@"' bash "$@"; }
inside apt-get -qq -o APT::Update::Error-Mode=any update >>"$root.log" 2>&1 ||
  skip "no packages can be had in it ($root.log)"

begun=$SECONDS
inside "$@"
echo "$* took $((SECONDS - begun)) s in a bare $(. "$root/etc/os-release" && echo "$PRETTY_NAME")," \
  "by $(chroot "$root" c++ --version | head -n 1)"
