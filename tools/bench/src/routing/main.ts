/**
 * Decisions a second, and bytes, of all routers and of the index of blocks: `npm run bench:routing -- [--rounds 5] [--only
 * TEXT]`; TEXT is part of a line's first column. Every figure is of a process of its own, and rounds go over all lines in
 * turn.
 */
import '../machine/needed-node.js';

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { banner } from '../machine/banner.js';
import { spread } from '../machine/spread.js';

import { ALL_WORK } from './all-work.js';
import type { Figures } from './work.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const rounds = Number(values.rounds);
if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= 50)) throw new Error('--rounds takes 1 to 50');
const names = ALL_WORK.map(({ name }) => name).filter((name) => name.includes(values.only));
if (names.length === 0) throw new Error(`nothing of that name: ${values.only}`);

const MEASURE = path.join(import.meta.dirname, 'measure.js');
const THOUSAND = 1_000;

function measured(name: string): Figures {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', MEASURE, name], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  return JSON.parse(stdout) as Figures;
}

function cellsOf(figures: readonly Figures[]): string {
  const bytes = figures.flatMap((each) => (each.kind === 'bytes' ? [each.each] : []));
  if (bytes.length > 0) return `${spread(bytes, 0)} bytes |`;
  const rates = figures.flatMap((each) => (each.kind === 'rate' ? [each] : []));
  const perCpuSecond = rates.map((each) => each.perCpuSecond / THOUSAND);
  const perSecond = rates.map((each) => each.perSecond / THOUSAND);
  return `${spread(perCpuSecond, 0)} | ${spread(perSecond, 0)}`;
}

console.log(banner());
console.log(`${String(rounds)} rounds: median and range.\n`);
const all = new Map<string, Figures[]>(names.map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, figures] of all) figures.push(measured(name));
  process.stderr.write(`round ${String(round + 1)} of ${String(rounds)}\n`);
}
console.log('| what | thousands a second of processor time | thousands a second |');
console.log('| --- | ---: | ---: |');
for (const [name, figures] of all) console.log(`| ${name} | ${cellsOf(figures)} |`);
