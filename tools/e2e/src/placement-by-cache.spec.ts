import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@roost/testing';

import { Cluster } from './harness/cluster.js';
import { type Answer, ask } from './harness/http-client.js';
import { promptOn } from './harness/private-text.js';

// Owns: placement by what ranks hold (reference 2.3, 3.2) over real processes: conversations leave the context fleet once the
// generation side has their history, siblings meet by content alone, and nobody is sent to a cache that is gone.

interface Message {
  readonly role: string;
  readonly content: string;
}

/** One conversation with the cluster, turn by turn. */
class Conversation {
  private readonly messages: Message[];

  constructor(
    private readonly url: string,
    topic: string,
  ) {
    this.messages = [{ role: 'system', content: promptOn(topic).repeat(30) }];
  }

  async say(content: string): Promise<Answer> {
    this.messages.push({ role: 'user', content });
    const body = { model: 'roost-simulated', messages: this.messages, max_tokens: 40 };
    const answer = await ask(this.url, 'chat/completions', body);
    if (answer.status !== 200) throw new Error(answer.raw);
    this.messages.push({ role: 'assistant', content: answer.text });
    return answer;
  }
}

const instance = ({ headers }: Answer, leg: 'context' | 'generation'): string | null =>
  headers.get(`x-roost-${leg}-instance`);

const BY_CACHE = { router: { type: 'kv_cache_aware' } };

describe('placement by cache', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({
      contextWorkers: 2,
      generationWorkers: 2,
      ranks: 2,
      worker: {
        attention_dp_config: { kv_cache_routing_conversation_affinity: false, enable_kv_cache_aware_routing: true },
      },
      edge: {
        conditional_disagg_config: { max_local_prefill_length: 128 },
        context_servers: BY_CACHE,
        generation_servers: BY_CACHE,
      },
    });
  }, 60_000);

  afterAll(() => cluster.settleAndStop(), 30_000);

  it('takes a conversation through the context fleet once, and never again', async () => {
    const conversation = new Conversation(cluster.url, 'multi-turn');
    const first = await conversation.say('one');
    expect(instance(first, 'context')).not.toBeNull();
    const home = instance(first, 'generation');
    let prompt = first.usage?.prompt ?? 0;
    for (const turn of ['two', 'three', 'four']) {
      const answer = await conversation.say(turn);
      expect([instance(answer, 'context'), instance(answer, 'generation')]).toEqual([null, home]);
      // All that was there before, but for what no full block holds.
      expect(answer.usage?.cached).toBeGreaterThan(prompt - 64);
      prompt = answer.usage?.prompt ?? 0;
    }
  });

  it('gives the same answers as without a cache', async () => {
    const turns = async (topic: string): Promise<string[]> => {
      const conversation = new Conversation(cluster.url, topic);
      return [(await conversation.say('one')).text, (await conversation.say('two')).text];
    };
    const first = await turns('same');
    expect(await turns('same')).toEqual(first);
  });

  it('sends what nobody holds, or too little of, to the context fleet', async () => {
    const conversation = new Conversation(cluster.url, 'long-turn');
    await conversation.say('short');
    const long = await conversation.say(promptOn('another subject').repeat(20));
    expect(instance(long, 'context')).not.toBeNull();
  });

  it('brings siblings without any id to where their shared prompt lies', async () => {
    const homes = new Set<string | null>();
    await new Conversation(cluster.url, 'siblings').say('leader');
    for (const task of ['a', 'b', 'c', 'd']) {
      const answer = await new Conversation(cluster.url, 'siblings').say(task);
      homes.add(instance(answer, 'generation'));
      expect(answer.usage?.cached).toBeGreaterThan(0);
    }
    expect(homes.size).toBe(1);
  });

  it('forgets what a worker held when it dies, and learns anew what it holds after its restart', async () => {
    const conversation = new Conversation(cluster.url, 'restart');
    const home = cluster.nameOf(instance(await conversation.say('one'), 'generation') ?? '');
    await cluster.kill(home, 'SIGKILL');
    // Nobody holds the history any more: the context fleet is asked, and another instance takes over.
    const elsewhere = await conversation.say('two');
    expect(instance(elsewhere, 'context')).not.toBeNull();
    expect(cluster.nameOf(instance(elsewhere, 'generation') ?? '')).not.toBe(home);
    await cluster.restart(home);
    const other = cluster.nameOf(instance(elsewhere, 'generation') ?? '');
    await cluster.kill(other, 'SIGKILL');
    // Only the restarted worker is left, and it is not believed to hold what it held in its former life.
    await eventually(
      async () => instance(await new Conversation(cluster.url, 'restart').say('probe'), 'generation') !== null,
    );
    const fresh = await conversation.say('three');
    expect(cluster.nameOf(instance(fresh, 'generation') ?? '')).toBe(home);
    const next = await conversation.say('four');
    expect([instance(next, 'context'), cluster.nameOf(instance(next, 'generation') ?? '')]).toEqual([null, home]);
    await cluster.restart(other);
  }, 60_000);

  it('tells a conversation without an id by its tokens, where a conversation router is to use them', async () => {
    const router = { type: 'conversation', use_token_ids: true, tokens_per_block: 32 };
    const url = await cluster.addEdge('edge-by-content', {
      conditional_disagg_config: null,
      context_servers: { router },
      generation_servers: { router },
    });
    const conversation = new Conversation(url, 'by content');
    const first = await conversation.say('one');
    await new Conversation(url, 'something else').say('one');
    const second = await conversation.say('two');
    expect(second.headers.get('x-roost-context-decision')).toBe('implicit');
    expect(instance(second, 'context')).toBe(instance(first, 'context'));
  }, 30_000);

  it('knows what the ranks hold after its own restart', async () => {
    const conversation = new Conversation(cluster.url, 'edge-restart');
    await conversation.say('one');
    await cluster.kill('edge', 'SIGTERM');
    await cluster.restart('edge');
    // The first snapshot may be on its way still; each probe is a conversation of its own.
    const known = await eventually(async () => {
      const answer = await conversation.say('again');
      return instance(answer, 'context') === null ? answer : null;
    }, 20_000);
    expect(known.usage?.cached).toBeGreaterThan(0);
  }, 60_000);

  it('does not start with workers whose blocks it would not know', async () => {
    const router = { type: 'kv_cache_aware', tokens_per_block: 48 };
    await expect(cluster.addEdge('edge-other-blocks', { context_servers: { router } })).rejects.toThrow(
      /context instance \S+ cannot be used: its blocks have 32 tokens, the router's tokens_per_block is 48/,
    );
  }, 30_000);
});
