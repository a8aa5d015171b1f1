// Owns what `--engine` and `--model` make of the environment, and that missing parts are told before anything starts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';
import { type ClusterConfig, parseClusterConfig } from '@roost/config';

import { checkEngines, engineEnvironment } from './engine-choice.js';

const folder = mkdtempSync(path.join(tmpdir(), 'roost-engine-choice-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const clusterWith = (engine: string): ClusterConfig =>
  parseClusterConfig(
    `engine: ${engine}\ncontext_servers: { urls: ['127.0.0.1:1'] }\ngeneration_servers: { urls: ['127.0.0.1:2'] }\n`,
  ).config;

describe('engineEnvironment', () => {
  it('changes nothing unless asked to', () => {
    expect(engineEnvironment({}, { A: 'b' })).toEqual({ A: 'b' });
  });

  it('serves a file under its name, and a known model by its name', () => {
    expect(engineEnvironment({ engine: 'llama-cpp', model: '/models/Some.gguf' }, {})).toEqual({
      ROOST_ENGINE__TYPE: 'llama-cpp',
      ROOST_ENGINE__LLAMA_CPP__MODEL_PATH: '/models/Some.gguf',
      ROOST_MODEL: 'Some',
    });
    expect(engineEnvironment({ model: 'tiny' }, {})).toEqual({
      ROOST_ENGINE__LLAMA_CPP__MODEL_PATH: 'tiny',
      ROOST_MODEL: 'tiny',
    });
  });
});

describe('checkEngines', () => {
  it('asks nothing of other engines', () => {
    expect(() => checkEngines(clusterWith('{ type: simulated }'))).not.toThrow();
  });

  it('says how to get the runtime', () => {
    const cluster = clusterWith(`{ type: llama-cpp, llama_cpp: { runtime_path: ${folder} } }`);
    expect(() => checkEngines(cluster)).toThrow('npm run llama:install');
  });
});
