import { describe, expect, it } from '@jest/globals';
import { ALL_POLICIES, DEFAULT_REPLAY_OPTIONS, POLICIES } from '@roost/replay';

import { createReplayCommand, type ReplayRequest } from './replay-command.js';

/** Owns: how arguments become a request. */

async function parse(...args: string[]): Promise<ReplayRequest> {
  const requests: ReplayRequest[] = [];
  const command = createReplayCommand('replay', (request) => {
    requests.push(request);
    return Promise.resolve();
  });
  await command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parseAsync(args, { from: 'user' });
  const [request] = requests;
  if (request === undefined) throw new Error('nothing was asked for');
  return request;
}

describe('createReplayCommand', () => {
  it('asks for all policies on the default fleet', async () => {
    expect(await parse()).toEqual({
      trace: { files: [], generate: undefined, seed: 1, sessionInterval: 60 },
      copies: 1,
      policies: POLICIES,
      options: DEFAULT_REPLAY_OPTIONS,
      json: false,
      html: null,
      live: null,
    });
  });

  it('takes every option', async () => {
    const { trace, options, policies, ...rest } = await parse(
      ...[
        '--generate',
        '7',
        '--seed',
        '-3',
        '--copies',
        '2',
        '--policies',
        'round_robin, kv_cache_aware',
        '--json',
        '--html',
        'a.html',
      ],
      ...[
        '--session-interval',
        '1.5',
        '--think-scale',
        '0.1',
        '--open-loop',
        '--instances',
        '2',
        '--ranks-per-instance',
        '3',
      ],
      ...['--capacity-tokens', '5000', '--max-batch-size', '4', '--max-num-tokens', '100'],
      ...['--prefill-tokens-per-second', '1e3', '--decode-step-ms', '0', '--kv-bandwidth-bytes-per-second', '9'],
      ...['--kv-bytes-per-token', '8', '--horizons', '300,unlimited'],
      ...[
        '--generation-instances',
        '5',
        '--generation-ranks-per-instance',
        '6',
        '--generation-capacity-tokens',
        '7000',
      ],
    );
    expect(rest).toEqual({ copies: 2, json: true, html: 'a.html', live: null });
    expect(trace).toEqual({ files: [], generate: 7, seed: -3, sessionInterval: 1.5 });
    expect(policies.map(({ name }) => name)).toEqual(['round_robin', 'kv_cache_aware']);
    expect(options).toEqual({
      instances: 2,
      ranksPerInstance: 3,
      capacityTokens: 5000,
      maxBatchSize: 4,
      maxNumTokens: 100,
      prefillTokensPerSecond: 1000,
      decodeStepMs: 0,
      kvBandwidthBytesPerSecond: 9,
      kvBytesPerToken: 8,
      sessionInterval: 1500,
      thinkScale: 0.1,
      openLoop: true,
      oracleHorizons: [300_000, Infinity],
      generationInstances: 5,
      generationRanksPerInstance: 6,
      generationCapacityTokens: 7000,
      seed: -3,
    });
  });

  it('takes generation ranks to have as much cache as context ranks', async () => {
    const { options } = await parse('--capacity-tokens', '5000');
    expect(options).toMatchObject({ capacityTokens: 5000, generationCapacityTokens: 5000 });
  });

  it('takes what-ifs by name, and all of them at once', async () => {
    const named = await parse('--policies', 'conversation+parent,sibling_group+hold');
    expect(named.policies.map(({ name, holdMs }) => [name, holdMs])).toEqual([
      ['conversation+parent', undefined],
      ['sibling_group+hold', 5000],
    ]);
    const { policies } = await parse('--all-baselines');
    expect(policies).toEqual(ALL_POLICIES);
    expect(policies.map(({ name }) => name)).toContain('round_robin+hold');
  });

  it('takes files, and an unlimited cache', async () => {
    const { trace, options } = await parse('b.jsonl', 'c', '--trace', 'a.jsonl', '--capacity-tokens', 'unlimited');
    expect(trace.files).toEqual(['b.jsonl', 'c', 'a.jsonl']);
    expect(options.capacityTokens).toBe(Infinity);
  });

  it('takes a cluster on this machine, and another one only when allowed', async () => {
    const { live } = await parse('--live', 'http://127.0.0.1:8000', '--speed', '10', '--max-requests', '7');
    expect(live).toMatchObject({ model: null, speed: 10, scale: 1, maxRequests: 7, seconds: 300 });
    expect(live?.url.host).toBe('127.0.0.1:8000');
    const remote = await parse('--live', 'http://example.com', '--allow-remote');
    expect(remote.live?.url.host).toBe('example.com');
  });

  it.each([
    [['--live', 'http://example.com'], 'example.com is not this machine'],
    [['--live', 'http://localhost.example.com'], 'is not this machine'],
    [['--live', 'ftp://localhost'], 'An http URL is needed'],
    [['--instances', '0'], 'A whole number of at least 1 is needed'],
    [['--capacity-tokens', 'lots'], 'A whole number is needed'],
    [['--horizons', '300,0'], 'A number above 0 is needed'],
    [['--think-scale', '-1'], 'A number of at least 0 is needed'],
    [['--prefill-tokens-per-second', '0'], 'A number above 0 is needed'],
    [['--policies', 'best'], 'There is no best; there are round_robin'],
    [['--generate', '2', '--trace', 'a'], 'cannot be used with option'],
    [['--policies', '/no/such.yaml'], 'ENOENT'],
    [['--policies', 'conversation', '--all-baselines'], 'cannot be used with option'],
  ])('refuses %j', async (args, message) => {
    await expect(parse(...args)).rejects.toThrow(message);
  });
});
