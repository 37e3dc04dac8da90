# Stage one builds the wheel and installs it, with what the service needs, into an environment of its own.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY fairness fairness
COPY games games
COPY verifier verifier
COPY api api
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
 && python -m venv /opt/foredraw \
 && /opt/foredraw/bin/pip install --no-cache-dir "$(echo /wheels/foredraw-*.whl)[service,par]" \
 && /opt/foredraw/bin/pip uninstall --yes pip setuptools

# Stage two is that environment and nothing else. It needs one writable folder, /data, and the shared memory at
# /dev/shm for gunicorn's heartbeats, so its root may be read-only.
FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin foredraw \
 && install --directory --owner=foredraw --group=foredraw --mode=0700 /data
COPY --from=build /opt/foredraw /opt/foredraw
ENV PATH=/opt/foredraw/bin:$PATH \
    FOREDRAW_DATA=/data \
    TMPDIR=/dev/shm \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER foredraw
VOLUME /data
# 8000 is for the public, 8001 for engines.
EXPOSE 8000 8001
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health/ready', timeout=4)"]
ENTRYPOINT ["foredraw"]
CMD ["serve", "--host", "0.0.0.0", "--engine-host", "0.0.0.0"]
