-- The two databases of a service on several machines, each with a user who reaches no other. `foredraw-databases` runs this file with
-- psql, or PostgreSQL's image (compose.yaml), once. The passwords are in its environment.

\getenv database_password DATABASE_PASSWORD
\getenv custodian_password CUSTODIAN_PASSWORD

CREATE ROLE foredraw LOGIN PASSWORD :'database_password';
CREATE DATABASE foredraw OWNER foredraw ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE foredraw FROM PUBLIC;

-- The seeds, sealed with a key that is not here. Never restore this database to an older state (docs/back-up.md).
CREATE ROLE custodian LOGIN PASSWORD :'custodian_password';
CREATE DATABASE custodian OWNER custodian ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE custodian FROM PUBLIC;
