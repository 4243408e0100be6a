"""Rules for the schema: a table is listed as global here, or it is fully owned by a tenant."""

from typing import Any

APP_ROLE, OWNER_ROLE = "comanda_app", "comanda_owner"

# Read before the tenant is known, or about people, who may belong to several tenants.
GLOBAL_TABLES = {
    "alembic_version": "which migration the schema is at",
    "doomed_blobs": "files to remove, whoever they belonged to",
    "invoice_years": "gives the operator's invoice numbers, one row for a year",
    "invoices": "the operator's own papers; they outlive the tenant, as the law wants it",
    "lanes": "which tenant has work; leased before that tenant's transaction is opened",
    "leases": "which process has which session; taken before that tenant's transaction is opened",
    "lookups": "finds the tenant behind a key's or a link's hash",
    "mails": "letters to people, claimed by one job whatever the tenant",
    "memberships": "which tenants a person may choose from after signing in",
    "oauth_clients": "programs register before they know a business",
    "partner_keys": "finds the partner behind a key's hash, before a tenant is chosen",
    "partner_requests": "what partners asked for, also before the tenant exists",
    "partners": "a partner manages several tenants",
    "people": "a person may belong to several tenants",
    "person_events": "what happened to a person's own sign-in",
    "person_tokens": "links sent to a person, used before anybody is signed in",
    "plan_changes": "what operators did to the price list",
    "plan_prices": "the price list in other currencies",
    "plans": "the price list",
    "rate_allowances": "what the network does not bill, the same for everybody",
    "rate_tiers": "the rate card's prices for large volumes, the same for everybody",
    "rates": "the rate card, the same for everybody",
    "recovery_codes": "a person's second step",
    "rounds": "how far work over all tenants has come",
    "server_keys": "keys of the service itself, for digests",
    "service_measurements": "figures over all tenants, for the operator",
    "sign_ins": "a person's browsers",
    "tenants": "listed before one is chosen",
}

# Functions that the app may call with the owner's rights. They access no tenant's rows.
OWNER_FUNCTIONS = {
    "app.make_partitions(text,timestamp with time zone,integer)": "the app may create no table",
    "app.drop_partitions(text,timestamp with time zone)": "nor drop one",
}

# A plain expression without subquery or own function, so that it works on shards.
POLICY = "(tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::bigint)"

TABLES = """
SELECT c.oid, c.relname, n.nspname, c.relkind, c.relrowsecurity, c.relforcerowsecurity,
       c.relispartition
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 2
"""
INDEXES = """
SELECT i.indisprimary, i.indexrelid::regclass::text,
       ARRAY(SELECT a.attname::text FROM unnest(i.indkey[:i.indnkeyatts - 1])
             WITH ORDINALITY k(n, o) JOIN pg_attribute a ON a.attrelid = i.indrelid
             AND a.attnum = k.n ORDER BY k.o)
FROM pg_index i WHERE i.indrelid = %s AND i.indisunique
"""
FOREIGN_KEYS = """
SELECT conname, confrelid::regclass::text, confdeltype,
       ARRAY(SELECT a.attname::text FROM unnest(conkey) k JOIN pg_attribute a
             ON a.attrelid = conrelid AND a.attnum = k),
       (SELECT (SELECT attnum FROM pg_attribute WHERE attrelid = conrelid
                AND attname = 'tenant_id') = conkey[p]
           AND (SELECT attnum FROM pg_attribute WHERE attrelid = confrelid
                AND attname = 'tenant_id') = confkey[p]
        FROM generate_subscripts(conkey, 1) p
        WHERE conkey[p] = (SELECT attnum FROM pg_attribute
                           WHERE attrelid = conrelid AND attname = 'tenant_id'))
FROM pg_constraint WHERE contype = 'f' AND conrelid = %s
"""
POLICIES = """
SELECT polcmd, polpermissive, polroles = ARRAY[0::oid],
       pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)
FROM pg_policy WHERE polrelid = %s
"""
GRANTS = ("TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN")


def owned_tables(cursor: Any) -> list[str]:
    cursor.execute(TABLES)
    return [
        name
        for _, name, _, kind, _, _, partition in cursor.fetchall()
        if kind in "rp" and not partition and name not in GLOBAL_TABLES
    ]


def table_faults(cursor: Any) -> list[str]:
    cursor.execute(TABLES)
    found = []
    for oid, name, schema, kind, secured, forced, partition in cursor.fetchall():
        if kind not in "rp" or schema != "public":
            found.append(f"{schema}.{name} is not a plain table of the public schema")
            continue
        if partition:
            found += [f"{name}: {fault}" for fault in _partition_faults(cursor, oid)]
            continue
        found += [f"{name}: {fault}" for fault in _shape_faults(cursor, oid, name)]
        found += [f"{name}: {fault}" for fault in _grant_faults(cursor, oid, name)]
        if name not in GLOBAL_TABLES:
            if not (secured and forced):
                found.append(f"{name}: row-level security is not enabled and forced")
            found += [f"{name}: {fault}" for fault in _policy_faults(cursor, oid)]
    return found


def _shape_faults(cursor: Any, oid: int, name: str) -> list[str]:
    found = []
    cursor.execute(INDEXES, (oid,))
    unique = cursor.fetchall()
    primary = next((columns for first, _, columns in unique if first), None)
    if primary is None:
        found.append("has no primary key")
    if name not in GLOBAL_TABLES:
        if primary is not None and primary[:1] != ["tenant_id"]:
            found.append("tenant_id does not lead the primary key")
        found += [f"{i} leaves out the tenant" for _, i, cols in unique if "tenant_id" not in cols]
        cursor.execute(
            "SELECT format_type(atttypid, NULL) || CASE WHEN attnotnull THEN '' ELSE ' or null' END"
            " FROM pg_attribute WHERE attrelid = %s AND attname = 'tenant_id'",
            (oid,),
        )
        if (cursor.fetchone() or ("missing",))[0] != "bigint":
            found.append("tenant_id is not bigint NOT NULL")
    cursor.execute(FOREIGN_KEYS, (oid,))
    for key, target, on_delete, columns, composite in cursor.fetchall():
        if name not in GLOBAL_TABLES and not composite:
            found.append(f"{key} refers to {target} without the tenant on both sides")
        if name in GLOBAL_TABLES and target not in GLOBAL_TABLES:
            found.append(f"{key} refers from a global table into {target}")
        if on_delete in "nd" and (name not in GLOBAL_TABLES or "tenant_id" in columns):
            found.append(f"{key} sets a part of the key to NULL or a default on delete")
    cursor.execute(
        "SELECT tgname FROM pg_trigger WHERE tgrelid = %s AND NOT tgisinternal"
        " UNION ALL SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = %s"
        " AND pg_get_expr(adbin, adrelid) LIKE '%%nextval%%'",
        (oid, oid),
    )
    return found + [f"has a trigger or a sequence: {what}" for (what,) in cursor.fetchall()]


def _partition_faults(cursor: Any, oid: int) -> list[str]:
    """Policies apply only through the parent table, so the app may not use a partition."""
    privileges = ("SELECT", "INSERT", "UPDATE", "DELETE", *GRANTS)
    found = []
    for privilege in privileges:
        cursor.execute("SELECT has_table_privilege(%s, %s, %s)", (APP_ROLE, oid, privilege))
        if cursor.fetchone()[0]:
            found.append(f"{APP_ROLE} may {privilege} on a partition, past its parent's policy")
    return found


def _policy_faults(cursor: Any, oid: int) -> list[str]:
    cursor.execute(POLICIES, (oid,))
    policies = cursor.fetchall()
    if policies != [("*", True, True, POLICY, POLICY)]:
        return [f"the one policy for all commands is not the bare expression: {policies}"]
    return []


def _grant_faults(cursor: Any, oid: int, name: str) -> list[str]:
    cursor.execute("SHOW server_version_num")
    rights = GRANTS if int(cursor.fetchone()[0]) >= 170000 else GRANTS[:3]
    found = []
    for right in rights:
        cursor.execute("SELECT has_table_privilege(%s, %s::oid, %s)", (APP_ROLE, oid, right))
        if cursor.fetchone()[0]:
            found.append(f"the app may {right}")
    return found


def role_faults(cursor: Any) -> list[str]:
    found = []
    for role in (APP_ROLE, OWNER_ROLE):
        cursor.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication"
            " FROM pg_roles WHERE rolname = %s",
            (role,),
        )
        if cursor.fetchone() != (False,) * 5:
            found.append(f"{role} has a power it must not have")
    cursor.execute(
        "SELECT roleid::regrole::text FROM pg_auth_members WHERE member = %s::regrole", (APP_ROLE,)
    )
    found += [f"the app is a member of {role}" for (role,) in cursor.fetchall()]
    cursor.execute(
        "SELECT classid::regclass::text, objid FROM pg_shdepend WHERE deptype = 'o'"
        " AND refobjid = %s::regrole",
        (APP_ROLE,),
    )
    found += [f"the app owns {thing}" for thing in cursor.fetchall()]
    cursor.execute(
        "SELECT nspname FROM pg_namespace WHERE has_schema_privilege(%s, oid, 'CREATE')"
        " AND nspname !~ '^pg_temp|^pg_toast_temp'",
        (APP_ROLE,),
    )
    found += [f"the app may create in the schema {name}" for (name,) in cursor.fetchall()]
    cursor.execute("SELECT has_database_privilege(%s, current_database(), 'CREATE')", (APP_ROLE,))
    if cursor.fetchone()[0]:
        found.append("the app may create schemas")
    cursor.execute(
        "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n"
        " ON n.oid = p.pronamespace WHERE n.nspname IN ('public', 'app') AND p.prosecdef"
    )
    named = {name for (name,) in cursor.fetchall()} - set(OWNER_FUNCTIONS)
    return found + [f"{name} runs with its owner's rights" for name in sorted(named)]
