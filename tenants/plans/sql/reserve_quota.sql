-- Takes messages and their cost from the trial and the month of a plan. This is the only place
-- that decides whether a plan has room; NULL limits do not limit.
-- Returns the month's messages and spend after it.
-- Raises CM001 when the trial is over, CM002 when the quota is used, CM003 when the spend cap is
-- reached. The caller's transaction or savepoint undoes what was taken before the error.
-- The caller has set the tenant.
CREATE OR REPLACE FUNCTION app.reserve_quota(
    p_tenant bigint, p_now timestamptz, p_messages integer, p_cost numeric,
    p_month date, p_quota integer, p_cap numeric, p_trial_since timestamptz, p_trial_most integer,
    OUT used integer, OUT spent numeric)
LANGUAGE plpgsql AS $$
BEGIN
    IF p_trial_most IS NOT NULL THEN
        UPDATE accounts SET trial_started_at = coalesce(trial_started_at, p_now),
               trial_used = trial_used + p_messages
         WHERE tenant_id = p_tenant AND trial_used + p_messages <= p_trial_most
           AND (trial_started_at IS NULL OR trial_started_at > p_trial_since);
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the trial is over' USING ERRCODE = 'CM001';
        END IF;
    END IF;
    IF p_quota < p_messages THEN
        RAISE EXCEPTION 'the quota is used' USING ERRCODE = 'CM002';
    ELSIF p_cap < p_cost THEN
        RAISE EXCEPTION 'the cap is reached' USING ERRCODE = 'CM003';
    END IF;
    INSERT INTO usage_months (tenant_id, month, messages, spend_usd, warned_percent)
    VALUES (p_tenant, p_month, p_messages, p_cost, 0)
        ON CONFLICT (tenant_id, month) DO UPDATE
       SET messages = usage_months.messages + EXCLUDED.messages,
           spend_usd = usage_months.spend_usd + EXCLUDED.spend_usd
     WHERE (p_quota IS NULL OR usage_months.messages + EXCLUDED.messages <= p_quota)
       AND (p_cap IS NULL OR usage_months.spend_usd + EXCLUDED.spend_usd <= p_cap)
    RETURNING messages, spend_usd INTO used, spent;
    IF NOT FOUND THEN
        SELECT messages INTO used FROM usage_months
         WHERE tenant_id = p_tenant AND month = p_month;
        IF used + p_messages > p_quota THEN
            RAISE EXCEPTION 'the quota is used' USING ERRCODE = 'CM002';
        END IF;
        RAISE EXCEPTION 'the cap is reached' USING ERRCODE = 'CM003';
    END IF;
END
$$;
