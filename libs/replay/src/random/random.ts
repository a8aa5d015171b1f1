/** Numbers from 0 up to and without 1, evenly spread. */
export type Random = () => number;

/** A sequence of random numbers that a seed determines, whatever it runs on. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = Math.trunc(seed) | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** The same for something that has a name: its own sequence, whatever was drawn before. */
export function namedRandom(seed: number, name: string): Random {
  let state = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) state = Math.imul(state ^ name.charCodeAt(index), 0x01000193);
  return seededRandom(state ^ Math.imul(seed | 0, 0x9e3779b1));
}
