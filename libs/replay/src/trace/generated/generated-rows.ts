import type { Fields } from '../fields.js';
import { NO_BLOCKS } from '../prompt-blocks.js';
import { TraceError } from '../trace-error.js';
import { TOKENS_PER_BLOCK } from '../trace-row.js';
import type { RequestRef, RequestWait, Trace, TraceRequest } from '../trace.js';

import { finishFamilies, type GrowingAgent, type GrowingFamily } from './finish-families.js';
import type { GeneratedLine } from './generated-line.js';
import { NamespaceBlocks } from './namespace-blocks.js';
import { generatedLineOf } from './parse-generated-line.js';

/** What all prompts of a trace may have more than those before them of their agents: 4.3 billion tokens, 268 MB. */
const MOST_BLOCKS = 2 ** 26;

interface KnownLine extends RequestRef {
  readonly root: string;
}

/** Makes a trace of the lines of our generator, which GeneratedLine describes. */
export class GeneratedRows {
  readonly #families = new Map<string, GrowingFamily>();
  readonly #lines = new Map<string, KnownLine>();
  readonly #blocks = new NamespaceBlocks(TOKENS_PER_BLOCK);
  #numAdded = 0;

  /** @param mostBlocks that prompts have more than those before them of their agents, in all */
  constructor(private readonly mostBlocks = MOST_BLOCKS) {}

  /** Takes a line of a file. Throws a TraceError that names what is wrong with it. */
  read(fields: Fields): void {
    this.add(generatedLineOf(fields), fields.line);
  }

  /** The same of a line that needs no reading. */
  add(line: GeneratedLine, number: number): void {
    if (this.#lines.has(line.id)) throw new TraceError(number, `id ${line.id} is that of an earlier line`);
    const waitsFor = line.wait_for.map((id) => this.#earlierLine(id, line.root, number));
    const family = this.#families.get(line.root) ?? { start: line.t, dialect: line.dialect, agents: new Map() };
    this.#families.set(line.root, family);
    if (line.t < family.start) throw new TraceError(number, `t is less than that of an earlier line of ${line.root}`);
    const agent = family.agents.get(line.agent) ?? newAgent(line, waitsFor);
    family.agents.set(line.agent, agent);
    this.#lines.set(line.id, { root: line.root, agent: line.agent, index: agent.requests.length });
    agent.requests.push({
      ...this.#promptOf(line, number, agent),
      recordedAt: (line.t - family.start) * 1000,
      recordedDuration: 0,
      think: line.delay_s * 1000,
      trigger: line.trigger === 'user' ? 'user' : 'tool',
      outputTokens: line.out,
      wait: waitOf(line, waitsFor),
      ...(line.kind === 'side' ? { isSide: true } : {}),
    });
  }

  /** The trace of all lines. */
  finish(): Trace {
    return {
      sessions: finishFamilies(this.#families),
      numBlocks: this.#blocks.size,
      numRequests: this.#lines.size,
      tokensPerBlock: TOKENS_PER_BLOCK,
    };
  }

  #earlierLine(id: string, root: string, number: number): KnownLine {
    const known = this.#lines.get(id);
    if (known === undefined) throw new TraceError(number, `wait_for names ${id}, which is no earlier line's id`);
    if (known.root !== root) throw new TraceError(number, `wait_for names ${id}, which is of another root`);
    return known;
  }

  #promptOf(
    line: GeneratedLine,
    number: number,
    agent: GrowingAgent,
  ): Pick<TraceRequest, 'inputTokens' | 'keep' | 'added'> {
    const blocks = this.#blocks.number(line.model, line.prefix);
    const differs = blocks.findIndex((block, at) => block !== agent.blocks[at]);
    const keep = differs === -1 ? blocks.length : differs;
    agent.blocks = blocks;
    this.#numAdded += blocks.length - keep;
    if (this.#numAdded > this.mostBlocks)
      throw new TraceError(number, `prefix: the trace has more than ${String(this.mostBlocks)} blocks up to here`);
    return { inputTokens: line.in, keep, added: blocks.slice(keep) };
  }
}

function newAgent({ type, parent, fault }: GeneratedLine, waitsFor: readonly RequestRef[]): GrowingAgent {
  return {
    type,
    declaredParent: parent,
    waitsFor: waitsFor[0]?.agent ?? null,
    hasDoubleHeaders: fault === 'duplicate_header',
    requests: [],
    blocks: NO_BLOCKS,
  };
}

function waitOf({ trigger, delay_s }: GeneratedLine, waitsFor: readonly RequestRef[]): RequestWait {
  return {
    for: waitsFor.map(({ agent, index }) => ({ agent, index })),
    until: trigger === 'stream' ? 'streaming' : 'answered',
    delay: delay_s * 1000,
  };
}
