import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Which types of project (the `type:` tag in a project's package.json) each type may import. */
const allowed = {
  app: ['feature', 'infra', 'domain', 'contracts'],
  feature: ['feature', 'infra', 'domain', 'contracts'],
  infra: ['infra', 'domain', 'contracts'],
  domain: ['domain'],
  contracts: [],
  testing: ['domain', 'contracts'],
  tool: ['app', 'tool', 'feature', 'infra', 'domain', 'contracts'],
  e2e: ['app', 'tool', 'testing', 'infra', 'domain', 'contracts'],
};

const projects = globSync(['apps/*/package.json', 'libs/*/package.json', 'tools/*/package.json']).map((file) => {
  const { nx } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    root: path.dirname(file),
    type: nx.tags.find((tag) => tag.startsWith('type:')).slice('type:'.length),
  };
});

const rootsOf = (types) => projects.filter(({ type }) => types.includes(type)).map(({ root }) => `^${root}/`);

const layerRules = projects.map(({ root, type }) => ({
  name: `${root}-is-${type}`,
  severity: 'error',
  comment: `A project of type ${type} may import only: ${allowed[type].join(', ') || 'nothing of this workspace'}.`,
  // A spec may use what stands in for time and chance; production code may not.
  from: {
    path: `^${root}/`,
    pathNot: type === 'testing' ? [] : '\\.spec\\.ts$',
  },
  to: {
    path: '^(apps|libs|tools)/',
    pathNot: [`^${root}/`, ...rootsOf(allowed[type])],
  },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...layerRules,
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'In ES modules a decorated class in a cycle is read before it exists.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment: 'Domain projects import no framework and no transport.',
      from: { path: rootsOf(['domain']) },
      to: { path: '^node_modules/(@nestjs|@grpc|fastify|rxjs)' },
    },
    {
      name: 'signatures-are-pure',
      severity: 'error',
      comment: 'Identity and signatures know nothing of Nest and gRPC; the guards beside them do.',
      from: {
        path: '^libs/affinity-auth/src/',
        pathNot: '^libs/affinity-auth/src/guards/|\\.spec\\.ts$',
      },
      to: { path: '^node_modules/(@nestjs|@grpc|fastify|rxjs)' },
    },
    {
      name: 'declared-dependencies-only',
      severity: 'error',
      comment:
        'npm hoists: an import that the project does not declare works here and breaks when it is deployed alone.',
      from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@roost/source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs'],
    },
  },
};
