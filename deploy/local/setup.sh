# Find a Python that can create virtual environments and run the installer with it.
found=
for python in $PYTHON python3 python3.13 python3.12 python3.14 python3.11 python; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    found=$python
    "$python" -c 'import venv, ensurepip' 2>/dev/null && exec "$python" deploy/local/install.py
done
if [ -n "$found" ]; then
    echo "$found cannot make virtual environments; install its venv module" \
        "(Debian and Ubuntu: apt install python3-venv)." >&2
else
    echo "Comanda needs Python 3.11 or newer and found none;" \
        "install one, or name it: PYTHON=/path/to/python3 make run" >&2
fi
exit 1
