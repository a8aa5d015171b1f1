import http from 'node:http';
import net from 'node:net';

/** An HTTP answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one HTTP request exactly as given, over a connection of its own. */
export function sendHttp(
  url: string,
  options: {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer;
  },
): Promise<RawAnswer> {
  const { method = 'POST', path, headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Writes bytes to a server's port and gives all that it answers until it closes the connection. */
export function sendBytes(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('close', () => {
      resolve(text);
    });
    socket.on('error', reject);
  });
}
