import type { PrefixPart } from '../trace/generated/generated-line.js';

/** A prompt, of at least one part; another one is made in place of changing it. */
export class Prompt {
  readonly tokens: number;

  constructor(readonly parts: readonly PrefixPart[]) {
    this.tokens = parts.reduce((sum, { len }) => sum + len, 0);
  }

  /** With so many tokens more of a namespace, which is its last or begins behind it. */
  grownBy(ns: string, tokens: number): Prompt {
    const last = this.parts.at(-1);
    if (last?.ns !== ns) return this.followedBy(ns, tokens);
    return new Prompt([...this.parts.slice(0, -1), { ns, len: last.len + tokens }]);
  }

  /** With the beginning of another namespace behind it. */
  followedBy(ns: string, len: number): Prompt {
    return new Prompt([...this.parts, { ns, len }]);
  }

  /** With other tokens at its very beginning, in place of as many. */
  drifted(ns: string, len: number): Prompt {
    const [first, ...rest] = this.parts;
    if (first === undefined || first.len <= len) return new Prompt([{ ns, len: first?.len ?? len }, ...rest]);
    return new Prompt([{ ns, len }, { ns: first.ns, len: first.len - len }, ...rest]);
  }

  /** With its parts so many times shorter, none empty; where two prompts are equal, so are they then. */
  scaled(scale: number): Prompt {
    return new Prompt(this.parts.map(({ ns, len }) => ({ ns, len: Math.max(1, Math.round(len / scale)) })));
  }
}
