-- The lowest id of a moment. Ids are UUIDv7: the first 48 bits are the time in milliseconds.
CREATE OR REPLACE FUNCTION app.first_id(p_moment timestamp)
RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM p_moment) * 1000)::bigint), 12, '0')
            || repeat('0', 20))::uuid
$$;
