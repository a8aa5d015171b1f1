// Owns what the document checks find, and what they let pass: each rule on small documents of its own.
import { describe, expect, it } from '@jest/globals';

interface Problem {
  readonly line: number;
  readonly message: string;
}
interface Repository {
  readonly exists: (file: string) => boolean;
  readonly read: (file: string) => string;
  readonly anchorsOf: (file: string) => ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
  readonly configSchema: object;
}
interface Markdown {
  readonly anchors: ReadonlySet<string>;
}

const load = (name: string): Promise<unknown> => import(new URL(`../docs/${name}.js`, import.meta.url).href);
const { readMarkdown } = (await load('markdown')) as { readMarkdown: (text: string) => Markdown };
const { problemsOf } = (await load('rules')) as {
  problemsOf: (file: string, document: Markdown, repository: Repository) => Problem[];
};
const facts = (await load('facts')) as {
  errorTable: (text: string, errors: object) => string[];
  projects: (text: string, names: readonly string[]) => string[];
  routes: (text: string, paths: object) => string[];
  sessionHeaders: (text: string, headers: readonly string[]) => string[];
  services: (text: string, proto: string) => string[];
};

const files: Readonly<Record<string, string>> = {
  'README.md': '',
  docs: '',
  'docs/a.md': '',
  'docs/b.md': '# One heading\n## Same\n## Same\n',
  'libs/x/src/x.ts': 'one();\ntwo();\nthree();\n',
};

const repository: Repository = {
  exists: (file) => Object.hasOwn(files, file),
  read: (file) => files[file] ?? '',
  anchorsOf: (file) => readMarkdown(files[file] ?? '').anchors,
  scripts: new Set(['start', 'test', 'demo', 'bench:overhead']),
  configSchema: {
    $defs: {
      ClusterConfig: {
        properties: {
          port: { type: 'integer' },
          edge: { anyOf: [{ $ref: '#/$defs/EdgeSettings' }, { type: 'null' }] },
          router: { type: ['object', 'null'] },
        },
      },
      EdgeSettings: { properties: { port: { type: 'integer' }, body_limit_bytes: { type: 'integer' } } },
    },
  },
};

const check = (text: string): string[] =>
  problemsOf('docs/a.md', readMarkdown(text), repository).map(({ line, message }) => `${String(line)}: ${message}`);

describe('links', () => {
  it('may lead to files, folders, headings and other sites', () => {
    expect(
      check(
        '# Here\n[a](b.md) [b](../README.md) [c](b.md#one-heading) [d](b.md#same-1) [e](#here) [f](https://x.example/y) ![g](../docs)',
      ),
    ).toEqual([]);
  });

  it('must not lead nowhere', () => {
    expect(check('\n[a](c.md)\n[b](b.md#two) [c](#gone)')).toEqual([
      '2: link to c.md: there is no docs/c.md',
      '3: link to b.md#two: docs/b.md has no such heading',
      '3: link to #gone: docs/a.md has no such heading',
    ]);
  });

  it('are not looked for in code', () => {
    expect(check('`[a](gone.md)`\n```md\n[a](gone.md)\n```\n')).toEqual([]);
  });
});

describe('paths', () => {
  it('of the repository must be there', () => {
    expect(check('`libs/x/src/x.ts` and `libs/x/src/y.ts`, `apps/edge`')).toEqual([
      '1: there is no libs/x/src/y.ts',
      '1: there is no apps/edge',
    ]);
  });

  it('with holes, of compiled files and elsewhere are let be', () => {
    expect(check('`libs/*/src` `libs/<name>` `libs/x/dist/x.js` `cluster.yaml` `x/y`')).toEqual([]);
  });
});

describe('npm scripts', () => {
  it('must be there, in prose and in blocks', () => {
    expect(check('`npm start` `npm test` `npm run demo -- --json`\n```sh\nnpm run bench:overhead\n```')).toEqual([]);
    expect(check('`npm run dmeo`\n```sh\necho\nnpm run bench:none\n```')).toEqual([
      '1: package.json has no script dmeo',
      '4: package.json has no script bench:none',
    ]);
  });
});

describe('configuration keys', () => {
  it('may be of any section, of an open mapping, or variables', () => {
    expect(check('`edge.body_limit_bytes` `router.anything` `ROOST_EDGE__PORT` `ROOST_PORT`')).toEqual([]);
  });

  it('must be there', () => {
    expect(check('`edge.body_limit` `egde.port` `port.x` `ROOST_EDGE__PROT`')).toEqual(
      ['edge.body_limit', 'egde.port', 'port.x', 'ROOST_EDGE__PROT'].map(
        (key) => `1: ${key} is no key of the configuration`,
      ),
    );
  });

  it('are told from files and from names of other things', () => {
    expect(check('`local.yaml` `grpc.health.v1` `conversation_params.conversation_id`')).toEqual([]);
  });
});

describe('quoted code', () => {
  it('must be what the file says', () => {
    expect(check('```ts file=libs/x/src/x.ts\none();\ntwo();\n```')).toEqual([]);
    expect(check('```ts file=libs/x/src/x.ts\none();\nthree();\n```')).toEqual([
      '1: quotes libs/x/src/x.ts, which says something else',
    ]);
    expect(check('```ts file=libs/x/src/y.ts\none();\n```')).toEqual(['1: quotes libs/x/src/y.ts, which is not there']);
  });
});

describe('facts', () => {
  const errors = { bad: { http: 400, type: 'wrong', retryable: false } };

  it('of the table of errors agree with the code in both directions', () => {
    expect(facts.errorTable('| `bad` | 400 | `wrong` | no | text |', errors)).toEqual([]);
    expect(facts.errorTable('| `bad` | 400 | `wrong` | yes | text |', errors)).toHaveLength(1);
    expect(facts.errorTable('', errors)).toEqual(['error bad: expected a row with 400 wrong no, found none']);
    expect(facts.errorTable('| `bad` | 400 | `wrong` | no |\n| `old` | 500 | `x` | no |', errors)).toEqual([
      'error old: there is none in the code',
    ]);
  });

  it('of projects are complete, and a name inside another one does not count', () => {
    expect(facts.projects('edge-server and engine', ['edge-server', 'engine', 'edge'])).toEqual([
      'project edge is not named',
    ]);
  });

  it('of routes, session headers and services are complete', () => {
    expect(facts.routes('`GET /health` `/live`', { '/health': {}, '/live': {}, '/healthz': {} })).toEqual([
      'route /healthz is not described',
    ]);
    expect(facts.sessionHeaders('1. `x-a`\n2. `x-b`\n', ['x-a', 'x-b'])).toEqual([]);
    expect(facts.sessionHeaders('1. `x-b`\n2. `x-a`\n', ['x-a', 'x-b'])).toHaveLength(1);
    expect(facts.services('`A` `M`', 'service A {\n  rpc M(X) returns (Y);\n  rpc N(X) returns (Y);\n}')).toEqual([
      'N of the .proto is not described',
    ]);
  });
});
