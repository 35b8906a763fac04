# Two stages: the first installs the locked packages, the second holds only what runs.
FROM python:3.13-slim AS build
WORKDIR /src
RUN python -m venv /opt/drills
COPY requirements.lock .
RUN /opt/drills/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY content content
COPY storage storage
RUN /opt/drills/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .

FROM python:3.13-slim
# The pictures' font, which also draws Chinese, is one of the locked packages; no system font is needed.
RUN useradd --system --uid 10001 --create-home drills && mkdir /data && chown drills /data
COPY --from=build /opt/drills /opt/drills
ENV PATH=/opt/drills/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DRILLS_DATABASE_URL=sqlite:////data/drills.db \
    DRILLS_HTTP_HOST=0.0.0.0 \
    DRILLS_HTTP_PORT=8080
USER drills
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import json, sys, urllib.request as u; sys.exit(json.load(u.urlopen('http://127.0.0.1:8080/healthz', timeout=4))['status'] != 'ok')"]
STOPSIGNAL SIGTERM
CMD ["drills", "run"]
