-- As superuser on the coordinator, in the database comanda, with the service stopped and the
-- schema migrated. Superuser, because forced row-level security hides the rows from the owner
-- and they would not be moved. One transaction: all tables or none.
--
-- tests/deploy/test_citus.py holds this file against the models: a table that is missing
-- here, or is here twice, fails the build.
\set ON_ERROR_STOP on

BEGIN;

-- Tables that reference `people` are turned one by one below; Citus must not do it by itself.
SET LOCAL citus.enable_local_reference_table_foreign_keys = off;
-- Tables that hold rows and reference each other are moved one connection at a time.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

-- Global, read with tenants' rows or written in their transactions: a copy on every node.
-- A table comes after the ones it references.
SELECT create_reference_table('plans');
SELECT create_reference_table('rates');
SELECT create_reference_table('tenants');
SELECT create_reference_table('lookups');
SELECT create_reference_table('people');
SELECT create_reference_table('memberships');
SELECT create_reference_table('recovery_codes');
SELECT create_reference_table('sign_ins');
SELECT create_reference_table('person_tokens');
SELECT create_reference_table('person_events');

-- Global queues, claimed with FOR UPDATE SKIP LOCKED: they stay whole on the coordinator,
-- where a row's lock is a row's lock.
SELECT citus_add_local_table_to_metadata('lanes');
SELECT citus_add_local_table_to_metadata('mails');

-- Tenant-owned: all of one tenant's rows on one node, so that they join and reference there.
SELECT create_distributed_table('accounts', 'tenant_id');
SELECT create_distributed_table('usage_months', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('members', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('invitations', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('api_keys', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('idempotency_keys', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('audit_entries', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('lines', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contacts', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('identities', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('conversations', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('network_ids', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('ledger_entries', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('usage_days', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('rate_overrides', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('messages', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('message_changes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('events', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('received_hooks', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('connections', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('hook_keys', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('store_events', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('store_links', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('automations', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('automation_runs', 'tenant_id', colocate_with => 'accounts');

COMMIT;
