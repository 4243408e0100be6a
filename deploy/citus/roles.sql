-- As superuser on the coordinator, once, in the database comanda, after CREATE EXTENSION citus.
-- Without this SET LOCAL stays on the coordinator, the shards see no tenant, and every
-- query over tenant-owned tables answers nothing, without an error.
ALTER ROLE comanda_app SET citus.propagate_set_commands = 'local';
ALTER ROLE comanda_owner SET citus.propagate_set_commands = 'local';
