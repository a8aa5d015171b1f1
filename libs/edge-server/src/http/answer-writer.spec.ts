import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { describe, expect, it, jest } from '@jest/globals';

import { AnswerWriter } from './answer-writer.js';

// Owns: which events go out together, and when a writer has to wait; that a slow client gets everything is for end-to-end tests.

/** Has `write` answer one request; gives what the client got. */
async function answeredBy(write: (response: ServerResponse) => Promise<void>): Promise<string> {
  const written = Promise.withResolvers<undefined>();
  const server = createServer((_, response) => {
    write(response).then(() => written.resolve(undefined), written.reject);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const got = await new Promise<string>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (answer) => void text(answer).then(resolve, reject));
  });
  await written.promise;
  server.close();
  return got;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

describe('AnswerWriter', () => {
  it('sends the events of a turn together, and the last ones with the end', async () => {
    let writes: unknown[] = [];
    const got = await answeredBy(async (response) => {
      const write = jest.spyOn(response, 'write');
      const writer = new AnswerWriter(response);
      writer.beginEvents({});
      for (const event of ['a', 'b', 'c']) expect(writer.write(event, never)).toBeNull();
      await turn();
      expect(writer.write('d', never)).toBeNull();
      writer.end('e');
      await turn();
      writes = write.mock.calls.map(([chunk]: unknown[]) => chunk);
    });
    expect(writes).toEqual(['abc']);
    expect(got).toBe('abcde');
  });

  it('does not let events pile up within a turn, and says when to wait', async () => {
    const large = 'x'.repeat(100_000);
    const got = await answeredBy(async (response) => {
      const writer = new AnswerWriter(response);
      writer.beginEvents({});
      const slow = writer.write(large, never);
      expect(slow).not.toBeNull();
      await slow;
      expect(writer.write('y', never)).toBeNull();
      writer.end('');
    });
    expect(got).toBe(`${large}y`);
  });

  it('stops waiting when the signal aborts', async () => {
    const gone = new AbortController();
    await answeredBy(async (response) => {
      const writer = new AnswerWriter(response);
      writer.beginEvents({});
      const slow = writer.write('x'.repeat(100_000), gone.signal);
      gone.abort(new Error('gone'));
      await expect(slow).rejects.toThrow('gone');
      writer.end('');
    });
  });
});
