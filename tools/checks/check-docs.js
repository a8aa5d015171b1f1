// Checks that the documents are true where a program can tell: links, paths, npm scripts, configuration keys, quoted code,
// the table of errors, the routes, the session headers, and the gRPC services. Needs the compiled workspace.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import { openApiDocument } from '../../libs/edge-server/dist/http/openapi-document.js';
import { ERRORS, SESSION_HEADERS } from '../../libs/protocol/dist/index.js';

import { errorTable, projects, routes, services, sessionHeaders } from './docs/facts.js';
import { readMarkdown } from './docs/markdown.js';
import { problemsOf } from './docs/rules.js';

const read = (file) => readFileSync(file, 'utf8');

const files = globSync(['*.md', '{apps,docs,libs,tools}/**/*.md'], {
  exclude: (name) => ['node_modules', 'dist'].includes(name),
}).sort();

const projectNames = globSync('{apps,libs,tools}/*/package.json')
  .filter((file) => JSON.parse(read(file)).nx !== undefined)
  .map((file) => path.basename(path.dirname(file)));

const repository = {
  exists: existsSync,
  read,
  anchorsOf: (file) => readMarkdown(read(file)).anchors,
  scripts: new Set(Object.keys(JSON.parse(read('package.json')).scripts)),
  configSchema: JSON.parse(read('docs/configuration.schema.json')),
};

const problems = files.flatMap((file) =>
  problemsOf(file, readMarkdown(read(file)), repository).map(({ line, message }) => `${file}:${line}: ${message}`),
);

const facts = (file, ...rules) =>
  rules.flatMap((rule) => rule(read(file))).map((message) => problems.push(`${file}: ${message}`));
facts(
  'docs/http-api.md',
  (text) => errorTable(text, ERRORS),
  (text) => routes(text, openApiDocument.paths),
  (text) => sessionHeaders(text, SESSION_HEADERS),
);
facts('docs/worker-protocol.md', (text) => services(text, read('libs/protocol/proto/roost/worker/v1/worker.proto')));

facts('ARCHITECTURE.md', (text) => projects(text, projectNames));

for (const problem of problems) console.error(problem);
console.log(`${files.length} documents, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
