# The image of a release, built in its folder: `docker build --tag foredraw:1.0.0rc1 .`
# Both stages start from the same image, by its digest: a tag could lead to another image tomorrow.
ARG BASE=python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b

# Stage one installs what the service needs, each package by its hash, into an environment of its own; Foredraw's wheels, too.
FROM ${BASE} AS build
WORKDIR /src
COPY service.txt *.whl ./
RUN python -m venv /opt/foredraw \
 && /opt/foredraw/bin/pip install --no-cache-dir --require-hashes --requirement service.txt \
 && /opt/foredraw/bin/pip uninstall --yes pip setuptools

# Stage two is that environment and nothing else. A volume of its own at /data/keys or /data/log, for several machines, gets the
# owner of these folders. It needs one writable folder, /data, and the shared memory at
# /dev/shm for gunicorn's heartbeats, so its root may be read-only.
FROM ${BASE}
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin foredraw \
 && install --directory --owner=foredraw --group=foredraw --mode=0700 /data /data/keys \
 && install --directory --owner=foredraw --group=foredraw --mode=0755 /data/log
COPY --from=build /opt/foredraw /opt/foredraw
ENV PATH=/opt/foredraw/bin:$PATH \
    FOREDRAW_DATA=/data \
    TMPDIR=/dev/shm \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONSAFEPATH=1 \
    PYTHONUNBUFFERED=1
USER foredraw
VOLUME /data
# 8000 is for the public, 8001 for engines.
EXPOSE 8000 8001
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health/ready', timeout=4)"]
ENTRYPOINT ["foredraw"]
CMD ["serve", "--host", "0.0.0.0", "--engine-host", "0.0.0.0"]
