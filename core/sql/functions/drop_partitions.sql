-- Drops the partitions of a table that end before a moment. Returns their names.
-- Runs as the owner, with the lock_timeout of app.make_partitions, for the same reasons.
CREATE OR REPLACE FUNCTION app.drop_partitions(p_table text, p_before timestamptz)
RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '3s' AS $$
DECLARE
    v_name text;
    v_digits text;
    v_end timestamp;
BEGIN
    IF p_table NOT IN ('events', 'deliveries', 'delivery_attempts', 'api_calls') THEN
        RAISE EXCEPTION 'no partitions are dropped from %', p_table USING ERRCODE = '22023';
    END IF;
    FOR v_name IN
        SELECT child.relname FROM pg_inherits
          JOIN pg_class child ON child.oid = inhrelid
         WHERE inhparent = format('public.%I', p_table)::regclass ORDER BY child.relname
    LOOP
        v_digits := substr(v_name, length(p_table) + 2);
        IF v_digits ~ '^\d{4}_\d{2}$' THEN
            v_end := to_timestamp(v_digits, 'YYYY_MM') AT TIME ZONE current_setting('timezone')
                + interval '1 month';
        ELSIF v_digits ~ '^\d{4}_\d{2}_\d{2}$' THEN
            v_end := to_timestamp(v_digits, 'YYYY_MM_DD') AT TIME ZONE current_setting('timezone')
                + interval '1 day';
        ELSE
            CONTINUE;
        END IF;
        IF v_end <= p_before AT TIME ZONE 'UTC' THEN
            EXECUTE format('DROP TABLE public.%I', v_name);
            RETURN NEXT v_name;
        END IF;
    END LOOP;
END
$$;
