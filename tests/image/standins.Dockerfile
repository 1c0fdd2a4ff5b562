# Debian's HAProxy, Redis and Prometheus, for tests where the images that docker/compose.yaml names cannot be pulled: the same paths,
# users and commands as far as that file relies on them.
FROM debian:bookworm-slim AS haproxy
RUN apt-get update && apt-get install -y --no-install-recommends haproxy && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb
USER haproxy
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]

FROM debian:bookworm-slim AS redis
RUN groupadd --system --gid 999 redis && useradd --system --uid 999 --gid 999 redis && install -d -o redis -g redis /data \
 && apt-get update && apt-get install -y --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb
VOLUME /data
WORKDIR /data
CMD ["redis-server"]

FROM debian:bookworm-slim AS prometheus
RUN apt-get update && apt-get install -y --no-install-recommends prometheus && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb \
 && install -d -o 65534 -g 65534 /prometheus
USER 65534
VOLUME /prometheus
ENTRYPOINT ["/bin/prometheus"]
