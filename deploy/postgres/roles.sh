#!/bin/sh
# Runs once, when the database's volume is empty. Passwords come from the environment and
# are read by psql itself, so that they show in no process list.
set -eu

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv owner_password COMANDA_OWNER_PASSWORD
\getenv app_password COMANDA_APP_PASSWORD
\getenv hosts_password COMANDA_HOSTS_PASSWORD
\getenv backup_password COMANDA_BACKUP_PASSWORD

-- Owns the schema and runs migrations.
CREATE ROLE comanda_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
    PASSWORD :'owner_password';
-- What the service connects as: owns nothing, and row-level security always holds for it.
CREATE ROLE comanda_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
    PASSWORD :'app_password';
-- What the linked hosts keep the sessions of linked phones as, in a database of their own.
CREATE ROLE comanda_hosts LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
    PASSWORD :'hosts_password';
-- Reads past row-level security, because a dump must hold every tenant; writes nothing.
CREATE ROLE comanda_backup LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE BYPASSRLS REPLICATION
    PASSWORD :'backup_password';
GRANT pg_read_all_data TO comanda_backup;

CREATE DATABASE comanda OWNER comanda_owner;
REVOKE ALL ON DATABASE comanda FROM PUBLIC;
GRANT CONNECT ON DATABASE comanda TO comanda_app, comanda_backup;
CREATE DATABASE comanda_linked OWNER comanda_hosts;
REVOKE ALL ON DATABASE comanda_linked FROM PUBLIC;
GRANT CONNECT ON DATABASE comanda_linked TO comanda_backup;
SQL
