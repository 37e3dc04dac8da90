-- PostgreSQL for other machines of this network, and for nobody else (pg_hba.conf). It counts after a restart.

-- Each process of the service has ten connections at most, a background program eleven.
ALTER SYSTEM SET max_connections = 200;
ALTER SYSTEM SET listen_addresses = '*';
ALTER SYSTEM SET hba_file = '/usr/local/share/foredraw/pg_hba.conf';
