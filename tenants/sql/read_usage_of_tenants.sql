-- What these tenants have used in a month, in one round trip. Tenants that used nothing are missing.
CREATE OR REPLACE FUNCTION app.read_usage_of_tenants(p_tenants bigint[], p_month date)
RETURNS TABLE (tenant bigint, messages integer, spend_usd numeric) LANGUAGE plpgsql AS $$
DECLARE
    v_tenant bigint;
BEGIN
    FOREACH v_tenant IN ARRAY p_tenants LOOP
        PERFORM app.set_tenant(v_tenant);
        RETURN QUERY
            SELECT v_tenant, used.messages, used.spend_usd
              FROM usage_months AS used
             WHERE used.tenant_id = v_tenant AND used.month = p_month;
    END LOOP;
END
$$;
