import { existsSync, readdirSync } from 'node:fs';

import base from '../jest/jest.config.js';

import { inRoot } from './workspace.mjs';

const endToEnd = 'tools/e2e';

/** Jest's configuration for all unit tests in one run: one Jest project for each project of the workspace. */
export const unit = {
  projects: ['apps', 'libs', 'tools']
    .flatMap((group) => readdirSync(inRoot(group)).map((name) => `${group}/${name}`))
    .filter((project) => project !== endToEnd && hasSources(project))
    .map(jestProject),
};

/** Jest's configuration for the tests that start real processes: to be run one after another. */
export const e2e = { projects: [endToEnd].filter(hasSources).map(jestProject) };

function hasSources(project) {
  return existsSync(inRoot(project, 'src'));
}

function jestProject(project) {
  return { ...base, rootDir: inRoot(project), displayName: project };
}
