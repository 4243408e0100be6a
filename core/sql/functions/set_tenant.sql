-- Sets the tenant of the transaction, for row-level security.
-- SET LOCAL reaches the shards of a distributed database; set_config does not.
CREATE OR REPLACE FUNCTION app.set_tenant(tenant bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SET LOCAL app.tenant_id = %L', tenant);
END
$$;
