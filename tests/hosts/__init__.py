"""Several machines on one: network namespaces, a proxy as nginx, and the processes of each."""
