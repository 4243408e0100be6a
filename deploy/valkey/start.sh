#!/bin/sh
# The configuration goes in as standard input: a password among the arguments shows in `ps`.
set -eu

exec valkey-server - <<CONFIG
requirepass $VALKEYCLI_AUTH
dir /data
save ""
appendonly yes
appendfsync everysec
maxmemory 512mb
maxmemory-policy noeviction
loglevel warning
CONFIG
