import { toldVersion } from './installed.js';
import type { MockWorkers, Peer } from './peer.js';

/** HAProxy: each session on the server that it hashes to. As many threads as there are cores, which is its default. */
export const haproxy: Peer = {
  name: 'HAProxy',
  disaggregated: false,
  program: 'haproxy',
  version: () => toldVersion('haproxy', '-v', /version (\S+)/),
  readyPath: '/v1/models',
  command: ({ clients: port }, { whole }, files) => [
    'haproxy',
    '-db',
    '-f',
    files.write('haproxy.cfg', haproxyConfig(port, whole)),
  ],
};

/** nginx with kept-alive connections to the workers: each session on the server that it hashes to. */
export const nginx: Peer = {
  name: 'nginx',
  disaggregated: false,
  program: 'nginx',
  version: () => toldVersion('nginx', '-v', /nginx\/(\S+)/),
  readyPath: '/v1/models',
  command: ({ clients: port }, { whole }, files) => [
    'nginx',
    '-p',
    files.folder,
    '-c',
    files.write('nginx.conf', nginxConfig(port, whole)),
    '-e',
    'stderr',
  ],
};

function haproxyConfig(port: number, [first, second]: MockWorkers['whole']): string {
  return `global
  maxconn 8192
defaults
  mode http
  timeout connect 5s
  timeout client 300s
  timeout server 300s
  option http-keep-alive
frontend clients
  bind 127.0.0.1:${String(port)} backlog 4096
  default_backend workers
backend workers
  balance hdr(x-session-id)
  hash-type consistent
  http-reuse always
  option httpchk GET /health
  server first 127.0.0.1:${String(first)} check inter 5s
  server second 127.0.0.1:${String(second)} check inter 5s
`;
}

function nginxConfig(port: number, [first, second]: MockWorkers['whole']): string {
  return `daemon off;
worker_processes auto;
pid nginx.pid;
events { worker_connections 8192; }
http {
  access_log off;
  client_max_body_size 32m;
  client_body_buffer_size 1m;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  keepalive_requests 1000000000;
  upstream workers {
    hash $http_x_session_id consistent;
    server 127.0.0.1:${String(first)};
    server 127.0.0.1:${String(second)};
    keepalive 1024;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${String(port)} backlog=4096;
    location / {
      proxy_pass http://workers;
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_buffering off;
      proxy_read_timeout 300s;
    }
  }
}
`;
}
