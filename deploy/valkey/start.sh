#!/bin/sh
# The configuration is passed as standard input, because `ps` shows a password in the arguments.
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
