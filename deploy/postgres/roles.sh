#!/bin/sh
# Runs once, when the database volume is empty. psql itself reads the passwords from the
# environment, so that they do not show in a process list.
set -eu

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv owner_password COMANDA_OWNER_PASSWORD
\getenv app_password COMANDA_APP_PASSWORD
\getenv hosts_password COMANDA_HOSTS_PASSWORD
\getenv backup_password COMANDA_BACKUP_PASSWORD

-- Owns the schema and runs migrations.
CREATE ROLE comanda_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
    PASSWORD :'owner_password';
-- The role of the service: owns nothing, and row-level security always applies to it.
CREATE ROLE comanda_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
    PASSWORD :'app_password';
-- The role of the linked hosts, which store the sessions of linked phones in a separate database.
CREATE ROLE comanda_hosts LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS
    PASSWORD :'hosts_password';
-- Bypasses row-level security, because a dump must contain every tenant; read-only.
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
