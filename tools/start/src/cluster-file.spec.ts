// Owns which cluster file `npm start` takes.
import { describe, expect, it } from '@jest/globals';

const { withClusterFile } = (await import(new URL('../cluster-file.mjs', import.meta.url).href)) as {
  withClusterFile: (args: readonly string[]) => readonly string[];
};

const start = ['up', '-c', 'tools/cluster/local.yaml'];
const llama = ['up', '-c', 'tools/cluster/llama-cpp.yaml'];

describe('withClusterFile', () => {
  it.each([
    [start, start],
    [['demo'], ['demo']],
    [
      [...start, '--engine', 'llama-cpp', '--model', 'x'],
      [...llama, '--engine', 'llama-cpp', '--model', 'x'],
    ],
    [
      [...start, '--engine=llama-cpp'],
      [...llama, '--engine=llama-cpp'],
    ],
    [
      [...start, '--engine', 'simulated'],
      [...start, '--engine', 'simulated'],
    ],
    [
      [...start, '-c', 'mine.yaml', '--engine', 'llama-cpp'],
      [...start, '-c', 'mine.yaml', '--engine', 'llama-cpp'],
    ],
  ])('%j', (given, wanted) => {
    expect(withClusterFile(given)).toEqual(wanted);
  });
});
