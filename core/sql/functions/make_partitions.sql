-- Creates the partitions of a table from p_now on, p_ahead of them. Returns the names of new ones.
-- The service's role may not create tables, so the function runs as the owner: only the tables
-- that it names, and bounds that it computes.
-- Creating a partition locks the whole table for a moment. With lock_timeout, requests never queue
-- behind a lock that waits for a long query: the job fails and tries again later.
CREATE OR REPLACE FUNCTION app.make_partitions(p_table text, p_now timestamptz, p_ahead integer)
RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '3s' AS $$
DECLARE
    v_monthly boolean := p_table IN ('messages', 'message_changes', 'events', 'received_hooks', 'deliveries', 'delivery_attempts');
    v_step interval := CASE WHEN v_monthly THEN interval '1 month' ELSE interval '1 day' END;
    v_from timestamp := date_trunc(
        CASE WHEN v_monthly THEN 'month' ELSE 'day' END, p_now AT TIME ZONE 'UTC');
    v_name text;
BEGIN
    IF NOT v_monthly AND p_table NOT IN ('api_calls') THEN
        RAISE EXCEPTION 'no partitions are made for %', p_table USING ERRCODE = '22023';
    END IF;
    IF p_ahead NOT BETWEEN 0 AND 60 THEN
        RAISE EXCEPTION 'p_ahead must be between 0 and 60' USING ERRCODE = '22023';
    END IF;
    FOR v_index IN 0 .. p_ahead LOOP
        v_name := p_table || to_char(
            v_from, CASE WHEN v_monthly THEN '_YYYY_MM' ELSE '_YYYY_MM_DD' END);
        IF to_regclass(format('public.%I', v_name)) IS NULL THEN
            EXECUTE format(
                'CREATE TABLE public.%I PARTITION OF public.%I FOR VALUES FROM (%L) TO (%L)',
                v_name, p_table, app.first_id(v_from), app.first_id(v_from + v_step));
            RETURN NEXT v_name;
        END IF;
        v_from := v_from + v_step;
    END LOOP;
END
$$;
