#!/bin/sh
# Installs each peer in a folder of its own, so that what it brings along can be counted: installed/NAME/node_modules.
# A peer that cannot be installed is told, and left out by run.ts.
cd "$(dirname "$0")" || exit 1
while IFS='	' read -r name packages; do
  case "$name" in ''|'#'*) continue ;; esac
  case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
  mkdir -p "installed/$name"
  [ -f "installed/$name/package.json" ] || echo '{"private":true,"type":"module"}' > "installed/$name/package.json"
  # shellcheck disable=SC2086
  if (cd "installed/$name" && npm install --no-audit --no-fund --legacy-peer-deps --ignore-scripts=false $packages > install.log 2>&1 < /dev/null); then
    echo "$name: installed"
  else
    echo "$name: cannot be installed: $(grep -m1 -o 'E[A-Z0-9]* .*\|404.*' "installed/$name/install.log")"
  fi
done < packages.tsv
