-- Run once as superuser on the coordinator, in the database comanda, after CREATE EXTENSION citus.
-- Without it, SET LOCAL does not reach the shards: they see no tenant, and every query over
-- tenant-owned tables returns nothing, without an error.
ALTER ROLE comanda_app SET citus.propagate_set_commands = 'local';
ALTER ROLE comanda_owner SET citus.propagate_set_commands = 'local';
