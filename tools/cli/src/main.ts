#!/usr/bin/env node
import './needed-node.js';

import process from 'node:process';

import { runCli } from './program.js';

/** What shells report of a program that wrote to a closed pipe: 128 and the number of SIGPIPE. */
const READER_GONE = 141;

// A reader that has seen enough, such as `head`, is no defect to show a stack of.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(READER_GONE);
});

await runCli(process.argv);
