import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Instance } from '@roost/fleet';
import { ServingStatus, statusOf } from '@roost/grpc-transport';
import { BytesBuilder, giveBack } from '@roost/held-bytes';
import {
  encodeTokenIds,
  Endpoint,
  GetInfoResponse,
  RoostError,
  type TokenizeRequest,
  TokenizeServiceService,
  WORKER_INCARNATION,
  WorkerServiceService,
} from '@roost/protocol';
import { eventually } from '@roost/testing';

import { type AskedPrompt, WorkerTokens, type WorkerTokensOptions } from './worker-tokens.js';

// Owns: what becomes of a prompt whose tokens a worker is asked for: the worker answers, refuses, is gone, is too slow, or
// answers what cannot be.

const never = new AbortController().signal;

function promptOf(bytes: Buffer, endpoint: 'chat' | 'completions' = 'chat'): AskedPrompt {
  const builder = new BytesBuilder(bytes.length);
  builder.add(bytes);
  return { endpoint, model: 'm', bytes: builder.finish() };
}

const BODY = '{"messages":[]}';
const prompt = promptOf(Buffer.from(BODY));
const LONG_MS = 10_000;

/** Answers a call; null: never. */
type Answer = (request: TokenizeRequest) => Uint8Array | Error | null;

class Worker {
  readonly requests: TokenizeRequest[] = [];
  readonly incarnations: unknown[] = [];
  readonly server = new Server();

  /** @param tokenizes false: a worker of an earlier version */
  static async start(answer: Answer, tokenizes = true): Promise<{ worker: Worker; instance: Instance }> {
    const worker = new Worker(answer, tokenizes);
    const port = await new Promise<number>((resolve, reject) => {
      worker.server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    const instance = new Instance(`127.0.0.1:${String(port)}`);
    await instance.probe(LONG_MS);
    return { worker, instance };
  }

  private constructor(answer: Answer, tokenizes: boolean) {
    const status = new ServingStatus();
    status.attachTo(this.server);
    status.set(true);
    this.server.addService(WorkerServiceService, {
      getInfo: (_call: unknown, callback: (error: null, value: GetInfoResponse) => void) =>
        callback(null, GetInfoResponse.fromPartial({ model: 'm', maxSeqLen: 4, incarnation: 'this' })),
    });
    if (!tokenizes) return;
    this.server.addService(TokenizeServiceService, {
      tokenize: (
        call: { request: TokenizeRequest; metadata: { get(key: string): unknown[] } },
        callback: (error: object | null, value?: object) => void,
      ) => {
        this.requests.push(call.request);
        this.incarnations.push(...call.metadata.get(WORKER_INCARNATION));
        const answered = answer(call.request);
        if (answered instanceof Error) callback(statusOf(answered));
        else if (answered !== null) callback(null, { promptTokenIds: Buffer.from(answered) });
      },
    });
  }
}

const tokensOf =
  (...ids: number[]): Answer =>
  () =>
    encodeTokenIds(Uint32Array.from(ids));

describe('WorkerTokens', () => {
  let workers: { worker: Worker; instance: Instance }[];
  let warnings: Readonly<Record<string, unknown>>[];

  beforeEach(() => {
    workers = [];
    warnings = [];
  });

  afterEach(() => {
    for (const { worker, instance } of workers) {
      instance.close();
      worker.server.forceShutdown();
    }
  });

  async function start(answer: Answer, tokenizes = true): Promise<Worker> {
    const started = await Worker.start(answer, tokenizes);
    workers.push(started);
    return started.worker;
  }

  function asking(over: Partial<WorkerTokensOptions> = {}): WorkerTokens {
    const warn: WorkerTokensOptions['warn'] = (fields) => warnings.push(fields);
    return new WorkerTokens(() => workers.map(({ instance }) => instance), {
      timeoutMs: LONG_MS,
      maxAsking: 2,
      warn,
      ...over,
    });
  }

  it('has a worker tokenise what the client sent, and that very process', async () => {
    const worker = await start(tokensOf(1, 70_000));
    const tokens = asking();
    expect(await tokens.ask(prompt, never)).toEqual(Uint32Array.of(1, 70_000));
    await tokens.ask(promptOf(Buffer.from(BODY), 'completions'), never);
    const expected = { model: 'm', body: Buffer.from(BODY) };
    expect(worker.requests).toEqual([
      { ...expected, endpoint: Endpoint.ENDPOINT_CHAT_COMPLETIONS },
      { ...expected, endpoint: Endpoint.ENDPOINT_COMPLETIONS },
    ]);
    expect(worker.incarnations).toEqual(['this', 'this']);
    expect([tokens.asking, tokens.failed]).toEqual([0, 0]);
  });

  it('asks the workers in turns', async () => {
    const all = [await start(tokensOf(1)), await start(tokensOf(1)), await start(tokensOf(1))];
    const tokens = asking();
    for (let index = 0; index < 6; index += 1) await tokens.ask(prompt, never);
    expect(all.map(({ requests }) => requests.length)).toEqual([2, 2, 2]);
  });

  it.each<[string, Answer]>([
    ['a part of a token', () => Buffer.alloc(6)],
    ['no tokens', () => Buffer.alloc(0)],
    ['more tokens than its model has room for', tokensOf(1, 2, 3, 4, 5)],
    ['an error of its own', () => new RoostError('internal', 'no')],
    ['that it is another process', () => new RoostError('worker_unavailable', 'no')],
  ])('gives none where a worker answers %s, counts it and says so once', async (_, answer) => {
    await start(answer);
    const tokens = asking();
    expect([await tokens.ask(prompt, never), await tokens.ask(prompt, never)]).toEqual([null, null]);
    expect([tokens.failed, tokens.asking]).toEqual([2, 0]);
    expect(warnings).toEqual([expect.objectContaining({ instance: workers[0]?.instance.server })]);
  });

  it('gives none where the worker is gone', async () => {
    const worker = await start(tokensOf(1));
    const tokens = asking();
    await tokens.ask(prompt, never);
    worker.server.forceShutdown();
    expect(await tokens.ask(prompt, never)).toBeNull();
    expect(warnings).toMatchObject([{ reason: 'worker_unavailable' }]);
  });

  it('gives none where the worker is too slow', async () => {
    await start(() => null);
    const tokens = asking({ timeoutMs: 100 });
    expect(await tokens.ask(prompt, never)).toBeNull();
    expect([tokens.asking, warnings]).toMatchObject([0, [{ reason: 'deadline_exceeded' }]]);
  });

  it('gives none where the worker is of an earlier version', async () => {
    await start(tokensOf(1), false);
    expect(await asking().ask(prompt, never)).toBeNull();
    expect(warnings).toMatchObject([{ err: { cause: { code: status.UNIMPLEMENTED } } }]);
  });

  it('tells the client what is wrong with the prompt', async () => {
    await start(() => new RoostError('unsupported_parameter', 'no tools here', { param: 'tools' }));
    const tokens = asking();
    await expect(tokens.ask(prompt, never)).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'tools' });
    expect([tokens.failed, tokens.asking]).toEqual([0, 0]);
  });

  it('asks for no more at once than it may, nor for a very long prompt', async () => {
    const worker = await start(() => null);
    const tokens = asking();
    const leave = new AbortController();
    const waiting = [tokens.ask(prompt, leave.signal), tokens.ask(prompt, leave.signal)];
    expect(await tokens.ask(prompt, never)).toBeNull();
    leave.abort(new Error('the client went away'));
    for (const ask of waiting) await expect(ask).rejects.toThrow('the client went away');
    expect(await tokens.ask(promptOf(Buffer.alloc(4 * 1024 * 1024 + 1)), never)).toBeNull();
    expect(worker.requests.every(({ body }) => body.toString() === BODY)).toBe(true);
    expect([tokens.asking, tokens.failed]).toEqual([0, 0]);
  });

  it('lets go of the body when the worker has it', async () => {
    await start(tokensOf(1));
    const long = promptOf(Buffer.alloc(100_000, 'a'));
    expect(await asking().ask(long, never)).toEqual(Uint32Array.of(1));
    giveBack(long.bytes);
    await eventually(() => long.bytes.length === 0);
  });

  it('keeps the body while a worker that was asked in vain may still take it', async () => {
    const sockets: Socket[] = [];
    const peer = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(peer, 'listening');
    const instance = new Instance(`127.0.0.1:${String((peer.address() as AddressInfo).port)}`);
    const options = { timeoutMs: 50, maxAsking: 1, warn: () => undefined };
    const long = promptOf(Buffer.alloc(100_000, 'a'));
    expect(await new WorkerTokens(() => [instance], options).ask(long, never)).toBeNull();
    giveBack(long.bytes);
    expect(long.bytes.toString()).toBe('a'.repeat(100_000));
    instance.close();
    for (const socket of sockets) socket.destroy();
    peer.close();
  });

  it('asks nobody where no worker serves', async () => {
    const tokens = asking();
    expect([await tokens.ask(prompt, never), tokens.failed]).toEqual([null, 0]);
  });
});
