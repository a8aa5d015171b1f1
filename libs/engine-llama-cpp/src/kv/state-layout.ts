import { KvMismatch } from '@roost/engine';

/** What two instances must share to exchange states. */
export interface StateShape {
  /** SHA-256 of the model's file. */
  readonly modelHash: string;
  readonly sequences: number;
  readonly flashAttention: boolean;
  /** Library and llama.cpp release. */
  readonly library: string;
}

const FORMAT = 'llama-cpp-1';

const TITLES: Readonly<Record<string, string>> = {
  format: 'the format of states',
  model: "the model's file",
  sequences: 'the number of sequences of a rank',
  flash_attention: 'the use of flash attention',
  library: 'the version of the library',
};

/** A shape as one comparable string (`EngineInfo.kvLayout`). */
export function layoutOf({ modelHash, sequences, flashAttention, library }: StateShape): string {
  const flash = flashAttention ? 'on' : 'off';
  return `${FORMAT}/model=${modelHash.slice(0, 16)}/sequences=${String(sequences)}/flash_attention=${flash}/library=${library}`;
}

/** @throws KvMismatch that says in what two layouts differ, with both values */
export function requireSameLayout(own: string, theirs: string): void {
  const ownParts = partsOf(own);
  const theirParts = partsOf(theirs);
  const wrong = Object.keys(TITLES).filter((key) => ownParts.get(key) !== theirParts.get(key));
  if (wrong.length === 0) return;
  const say = (key: string): string =>
    `${String(TITLES[key])} is ${theirParts.get(key) ?? 'not told'} there and ${ownParts.get(key) ?? 'not told'} here`;
  throw new KvMismatch(`the sender's cache does not fit: ${wrong.map(say).join('; ')}`);
}

function partsOf(layout: string): ReadonlyMap<string, string> {
  const [format = '', ...parts] = layout.split('/');
  return new Map([
    ['format', format],
    ...parts.map((part): [string, string] => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  ]);
}
