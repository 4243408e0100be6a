-- Run as superuser on the coordinator, in the database comanda, with the service stopped and the
-- schema migrated. It must be a superuser, because forced row-level security hides the rows from
-- the owner, and they would not be moved. It is one transaction: all tables or none.
--
-- tests/deploy/test_citus.py compares this file with the models: it fails if a table is missing
-- or listed twice.
\set ON_ERROR_STOP on

BEGIN;

-- Tables that reference `people` are converted one by one below; Citus must not do it implicitly.
SET LOCAL citus.enable_local_reference_table_foreign_keys = off;
-- Tables with rows that reference each other must be moved over one connection at a time.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

-- Global tables that are read with tenants' rows or written in their transactions: a copy on every
-- node. A table comes after the tables it references.
SELECT create_reference_table('plans');
SELECT create_reference_table('plan_prices');
SELECT create_reference_table('plan_changes');
SELECT create_reference_table('rates');
SELECT create_reference_table('rate_tiers');
SELECT create_reference_table('rate_allowances');
SELECT create_reference_table('tenants');
SELECT create_reference_table('lookups');
SELECT create_reference_table('service_measurements');
SELECT create_reference_table('people');
SELECT create_reference_table('oauth_clients');
SELECT create_reference_table('partners');
SELECT create_reference_table('partner_keys');
SELECT create_reference_table('partner_requests');
SELECT create_reference_table('memberships');
SELECT create_reference_table('recovery_codes');
SELECT create_reference_table('sign_ins');
SELECT create_reference_table('person_tokens');
SELECT create_reference_table('person_events');
SELECT create_reference_table('invoice_years');
SELECT create_reference_table('invoices');
SELECT create_reference_table('server_keys');

-- Global queues and leases with many concurrent writers per row: they stay on the coordinator,
-- where a row lock works as usual.
SELECT citus_add_local_table_to_metadata('lanes');
SELECT citus_add_local_table_to_metadata('leases');
SELECT citus_add_local_table_to_metadata('mails');
SELECT citus_add_local_table_to_metadata('doomed_blobs');
SELECT citus_add_local_table_to_metadata('rounds');

-- Tenant-owned tables: all rows of a tenant on one node, for joins and foreign keys.
SELECT create_distributed_table('accounts', 'tenant_id');
SELECT create_distributed_table('usage_months', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('members', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('invitations', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('api_keys', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('idempotency_keys', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('audit_entries', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('api_calls', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('lines', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('linked_lines', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('linked_days', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contacts', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_tokens', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_tags', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_fields', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_notes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_wishes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('blocked_phones', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_imports', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_import_phones', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_import_rejects', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('contact_erasures', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('identities', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('former_identities', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('possible_duplicates', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('conversations', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('conversation_notes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('conversation_words', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('quick_replies', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('network_ids', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('early_edits', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('ledger_entries', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('usage_days', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('rate_overrides', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('volume_tiers', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('free_message_days', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('templates', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('media_files', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('uploaded_media', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('messages', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('message_changes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('events', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('received_hooks', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('menus', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('sites', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('areas', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('dining_tables', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('stations', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('dish_times', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('menu_categories', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('menu_items', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('option_groups', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('menu_options', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('menu_versions', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('sold_out', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('item_stock', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('slot_loads', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('carts', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('tabs', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('tab_guests', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('tab_cart_items', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('orders', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('order_lines', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('tab_items', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('kitchen_items', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('order_feedback', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('order_proposals', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('language_models', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('ad_conversion_settings', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('ad_conversions', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('model_requests', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('till_payments', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('order_changes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('order_days', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('table_calls', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('print_agents', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('pairing_codes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('printers', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('print_jobs', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('delivery_zones', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('couriers', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('trips', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('loyalty_programmes', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('loyalty_members', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('loyalty_entries', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('loyalty_rewards', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('loyalty_coupons', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('loyalty_messages', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('loyalty_sends', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('payment_accounts', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('payment_links', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('tab_shares', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('tab_share_items', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('payment_sessions', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('payments', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('refunds', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('payment_signals', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('event_feeds', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('endpoints', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('endpoint_days', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('deliveries', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('delivery_attempts', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('connections', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('hook_keys', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('store_events', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('store_links', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('automations', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('automation_runs', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('audiences', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('campaigns', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('campaign_recipients', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('short_links', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('journeys', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('journey_versions', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('journey_runs', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('journey_run_steps', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('held_messages', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('test_clocks', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('send_policies', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('send_policy_days', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('approval_chats', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('app_grants', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('app_tokens', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('inbox_settings', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('member_turns', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('labels', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('conversation_labels', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('conversation_cases', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('scheduled_replies', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('push_subscriptions', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('push_notifications', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('exports', 'tenant_id', colocate_with => 'accounts');
SELECT create_distributed_table('plan_payments', 'tenant_id', colocate_with => 'accounts');

COMMIT;
