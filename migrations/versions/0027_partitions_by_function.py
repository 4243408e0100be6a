"""The service's own role creates and drops partitions through two functions of the owner.

The service's role owns nothing and may not create tables. These functions run as the role that owns
the tables and do nothing else: fixed tables, fixed names, bounds computed here.
"""

from alembic import op

from migrations.tenancy import APP_ROLE

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

# Creating or dropping a partition locks the whole table for a moment. With lock_timeout, requests
# never queue behind a lock that waits for a long query: the job fails and tries again later.
MAKE = """
CREATE FUNCTION app.make_partitions(p_table text, p_now timestamptz, p_ahead integer)
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
$$
"""  # noqa: E501
DROP = r"""
CREATE FUNCTION app.drop_partitions(p_table text, p_before timestamptz)
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
$$
"""
# Ids are UUIDv7: the first 48 bits are the time in milliseconds.
FIRST_ID = """
CREATE FUNCTION app.first_id(p_moment timestamp) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM p_moment) * 1000)::bigint), 12, '0')
            || repeat('0', 20))::uuid
$$
"""
FUNCTIONS = {
    "app.first_id(timestamp)": FIRST_ID,
    "app.make_partitions(text, timestamptz, integer)": MAKE,
    "app.drop_partitions(text, timestamptz)": DROP,
}


def upgrade() -> None:
    for signature, body in FUNCTIONS.items():
        op.execute(body)
        op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
        if signature != "app.first_id(timestamp)":
            op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO {APP_ROLE}")


def downgrade() -> None:
    for signature in reversed(FUNCTIONS):
        op.execute(f"DROP FUNCTION {signature}")
