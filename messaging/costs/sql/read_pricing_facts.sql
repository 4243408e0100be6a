-- Reads what the price of a tenant's messages depends on besides the rate card:
-- `sent`: line and service messages that count towards the free allowance of the month p_month.
-- `tiers`: line, month, country, category, lower bound and time of each volume tier that the line's
-- account has reached in that month or the month before.
-- `entry_points`: line, recipient and end of each free entry point that is open, the newest first.
CREATE OR REPLACE FUNCTION app.read_pricing_facts(
    p_tenant bigint, p_now timestamptz, p_month date,
    OUT sent jsonb, OUT tiers jsonb, OUT entry_points jsonb)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM app.set_tenant(p_tenant);
    SELECT jsonb_agg(jsonb_build_array(counted.line_id, counted.messages)) INTO sent
      FROM (SELECT u.line_id, sum(u.sent) - coalesce((
                       SELECT sum(f.messages) FROM free_message_days AS f
                        WHERE f.tenant_id = p_tenant AND f.day >= p_month
                          AND f.day < p_month + interval '1 month' AND f.line_id = u.line_id
                          AND f.category = 'service' AND f.reason = 'entry_point'), 0) AS messages
              FROM usage_days AS u
             WHERE u.tenant_id = p_tenant AND u.day >= p_month
               AND u.day < p_month + interval '1 month' AND u.category = 'service'
             GROUP BY u.line_id) AS counted;
    SELECT jsonb_agg(jsonb_build_array(l.id, t.month, t.country, t.category, t.from_messages,
                                       t.reached_at))
      INTO tiers
      FROM volume_tiers AS t, lines AS l
     WHERE t.tenant_id = p_tenant AND t.month >= p_month - interval '1 month'
       AND l.tenant_id = p_tenant AND l.account_id = t.account_id;
    SELECT jsonb_agg(jsonb_build_array(found.line_id, found.value, found.entry_point_until))
      INTO entry_points
      FROM (SELECT c.line_id, i.value, c.entry_point_until
              FROM conversations AS c, identities AS i
             WHERE c.tenant_id = p_tenant AND c.entry_point_until > p_now
               AND i.tenant_id = p_tenant AND i.contact_id = c.contact_id
               AND i.kind IN ('phone', 'network_id')
             ORDER BY c.entry_point_until DESC LIMIT 10000) AS found;
END
$$;
