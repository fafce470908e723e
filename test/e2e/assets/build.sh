#!/usr/bin/env bash
# Builds etcd, kube-apiserver, kube-controller-manager and kubectl for the tests, as one program with four names, unless it
# was built before. Prints the folder that holds them: it is what KUBEBUILDER_ASSETS is to be. Needs Go, about 15 minutes of
# CPU and 4 GB of disk once; 131 MB stay, outside the repository.
set -euo pipefail
cd "$(dirname "$0")"
version=$(sed -n 's|^\tk8s.io/kubernetes v||p' go.mod)
sum=$(cat go.mod go.sum main.go | cksum | cut -d' ' -f1)
assets=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/kubernetes-$version-$sum
if [ ! -x "$assets/kubectl" ]; then
  command -v go >/dev/null || { echo 'go was not found: it builds the Kubernetes that the tests use' >&2; exit 1; }
  mkdir -p "$assets"
  # Test files that run side by side ask for it at once: one builds, and the others wait.
  if command -v flock >/dev/null; then exec 9>"$assets/lock" && flock 9; fi
fi
if [ ! -x "$assets/kubectl" ]; then
  making=$(mktemp -d)
  trap 'chmod -R u+w "$making"; rm -rf "$making"' EXIT
  # Clients that compare versions expect a release.
  x=k8s.io/component-base/version
  stamp="-X $x.gitVersion=v$version -X $x.gitMajor=${version%%.*} -X $x.gitMinor=$(cut -d. -f2 <<<"$version") -X $x.gitTreeState=clean"
  # A cache of their own: of no use later, and gigabytes.
  GOCACHE=$making/cache CGO_ENABLED=0 GOFLAGS= go build -mod=readonly -trimpath -ldflags "-s -w $stamp" -o "$making/kubectl" . >&2
  for name in etcd kube-apiserver kube-controller-manager; do ln -sf kubectl "$assets/$name"; done
  mv "$making/kubectl" "$assets/kubectl"
fi
echo "$assets"
